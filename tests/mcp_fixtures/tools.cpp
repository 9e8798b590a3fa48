#include "tests/mcp_fixtures/tools.h"

#include <array>

namespace instantstart::mcp_fixtures {
namespace {

std::array<std::span<const FixtureTool>, 3> all() {
  return {content_tools(), speaking_tools(), input_tools()};
}

}  // namespace

const FixtureTool* find_tool(std::string_view name) {
  for (const auto& tools : all()) {
    for (const auto& tool : tools) {
      if (tool.name == name) return &tool;
    }
  }
  return nullptr;
}

json::array listed_tools() {
  json::array listed;
  for (const auto& tools : all()) {
    for (const auto& tool : tools) {
      json::object schema{{"type", "object"}};
      if (tool.schema) schema = tool.schema();
      listed.push_back({{"name", tool.name},
                        {"description", tool.description},
                        {"inputSchema", std::move(schema)},
                        {"annotations", json::object{{"readOnlyHint", true}}}});
    }
  }
  return listed;
}

}  // namespace instantstart::mcp_fixtures
