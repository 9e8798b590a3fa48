// Answers of actions as results of tool calls: cleaned, bounded, once as text and once as structure. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include "contract/action.h"
#include "contract/problem.h"
#include "faces/mcp/json_rpc.h"
#include "faces/mcp/revision.h"

namespace instantstart::faces {

/// What a result takes of an agent's context when it asked for no particular number of items.
inline constexpr std::size_t k_result_bytes = 8 * 1024;
/// When it named a limit itself, and of plans.
inline constexpr std::size_t k_large_result_bytes = 32 * 1024;

/// Marks a result whose texts came, or may have come, from AWS, a cluster or a workload: data, never orders.
inline constexpr std::string_view k_untrusted_key = "instantstart/untrusted";

/// Without control characters in any text, names of members included (base/text.h).
json::value cleaned(const json::value& value);

/// At most `max_bytes` as compact JSON: the longest lists lose their last items, then the longest texts their
/// ends, then objects their last members. A member `truncated` lists what was cut, with `hint`.
json::object fitted(json::object body, std::size_t max_bytes, const std::string& hint);

/// How many items of its longest list an answer may have to fit; nullopt when it fits as it is, or when fewer
/// items would not help.
std::optional<std::size_t> items_that_fit(const json::object& body, std::size_t max_bytes);

/// How a caller gets at what was cut.
std::string narrowing_hint(const contract::Action& action);

/// A CallToolResult: the object as compact text, and as structuredContent where the revision has that.
json::object tool_result(const json::object& body, bool is_error, Revision revision);

/// The problem details that every face answers, as an error that the model sees.
json::object problem_result(const contract::Problem& problem, Revision revision);

}  // namespace instantstart::faces
