// The fixture tools, as a table.
#pragma once

#include <span>
#include <string_view>

#include "tests/mcp_fixtures/call.h"

namespace instantstart::mcp_fixtures {

using Answer = asio::awaitable<faces::McpOutcome>;

struct FixtureTool {
  std::string_view name;
  std::string_view description;
  Answer (*answer)(const Call& call);
  json::object (*schema)() = nullptr;  ///< nullptr: it takes no argument.
};

/// Those that answer at once.
std::span<const FixtureTool> content_tools();
/// Those that speak or ask while they work.
std::span<const FixtureTool> speaking_tools();
/// Those that need input, which the client sends with its next try (2026-07-28).
std::span<const FixtureTool> input_tools();

/// nullptr when there is none.
const FixtureTool* find_tool(std::string_view name);
json::array listed_tools();

/// A prompt that needs input.
Answer input_prompt(const Call& call);

}  // namespace instantstart::mcp_fixtures
