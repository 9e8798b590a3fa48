#include "aws/pagination.h"

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

struct Value {
  const ShapeInfo* shape = nullptr;
  const void* at = nullptr;
};

/// Follows "Listing.NextMarker"; nothing when any part of it is absent.
Value follow(const ShapeInfo& shape, const void* object, std::string_view path) {
  Value value{.shape = &shape, .at = object};
  for (const auto name : split(path, '.')) {
    const MemberInfo* member = value.shape->member(name);
    const void* held = member ? member->peek(value.at) : nullptr;
    if (!held) return {};
    value = {.shape = member->shape, .at = held};
  }
  return value;
}

std::string text_of(Value value) {
  if (!value.at || value.shape->kind != ShapeKind::string) return "";
  return *static_cast<const std::string*>(value.at);
}

bool is_false(Value value) {
  return !value.at || (value.shape->kind == ShapeKind::boolean && !*static_cast<const bool*>(value.at));
}

}  // namespace

Result<bool> to_next_page(const OperationInfo& operation, const void* output, void* input) {
  const Pagination& pages = operation.pagination;
  if (pages.input_tokens.empty()) return false;
  if (!pages.more_results.empty() && is_false(follow(*operation.output, output, pages.more_results)))
    return false;

  bool any = false;
  bool changed = false;
  for (std::size_t i = 0; i < pages.input_tokens.size(); ++i) {
    const MemberInfo* member = operation.input->member(pages.input_tokens[i]);
    if (!member || member->shape->kind != ShapeKind::string) {
      return fail(codes::internal,
                  fmt::format("{}: its pages continue in a way that is not supported", operation.name));
    }
    const std::string next = text_of(follow(*operation.output, output, pages.output_tokens[i]));
    if (next.empty()) continue;
    any = true;
    const void* before = member->peek(input);
    changed = changed || !before || *static_cast<const std::string*>(before) != next;
    *static_cast<std::string*>(member->emplace(input)) = next;
  }
  if (any && !changed) {
    return fail(codes::upstream_error,
                fmt::format("{}: AWS gave the same continuation twice", operation.name));
  }
  return any;
}

}  // namespace instantstart::aws
