// Lists that come in pages.
//
//   auto done = co_await for_each_page<ec2::DescribeVpcs>(client, {}, [&](ec2::DescribeVpcsResult& page) {
//     …; return true;  // go on
//   });
//   auto vpcs = co_await collect<ec2::DescribeVpcs>(client, {}, &ec2::DescribeVpcsResult::vpcs);
#pragma once

#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "aws/client.h"
#include "aws/shapes/shape.h"
#include "base/result.h"
#include "net/task.h"

namespace instantstart::aws {

/// Puts the continuation of a page into the input for the next one; false when there is none. Error
/// `upstream_error` when the continuation is that of the page before, which would never end.
Result<bool> to_next_page(const OperationInfo& operation, const void* output, void* input);

/// Calls `visit` with each page until it returns false. Each page is a call of its own with the same options;
/// the timeout is for each, the deadline for all. Works for operations without pages too: they are one page.
/// `visit` lives until the end.
template <class Op>
Task<> for_each_page(Client& client, typename Op::Input input,
                     std::function<bool(typename Op::Output&)> visit, CallOptions options = {}) {
  for (;;) {
    typename Op::Output page;
    auto called = co_await client.call(Op::info(), &input, &page, options);
    if (!called) co_return fail(std::move(called.error()));
    if (!visit(page)) co_return Result<>{};
    const auto more = to_next_page(Op::info(), &page, &input);
    if (!more) co_return fail(more.error());
    if (!*more) co_return Result<>{};
  }
}

/// The items of one list of all pages. Error `upstream_error` when there are more than `most`: nobody meant
/// to hold that.
template <class Op, class Item>
Task<std::vector<Item>> collect(Client& client, typename Op::Input input,
                                std::optional<std::vector<Item>> Op::Output::* list, CallOptions options = {},
                                std::size_t most = 100'000) {
  std::vector<Item> all;
  bool too_many = false;
  auto visited = co_await for_each_page<Op>(
      client, std::move(input),
      [&all, &too_many, list, most](typename Op::Output& page) {
        if (page.*list) std::ranges::move(*(page.*list), std::back_inserter(all));
        too_many = all.size() > most;
        return !too_many;
      },
      std::move(options));
  if (!visited) co_return fail(std::move(visited.error()));
  if (too_many) co_return fail("upstream_error", "The list is longer than can be held");
  co_return all;
}

}  // namespace instantstart::aws
