// The fixture prompts, resources and completions. Pure but for the prompt that needs input (tools.h).
#pragma once

#include <optional>
#include <string_view>

#include "tests/mcp_fixtures/call.h"

namespace instantstart::mcp_fixtures {

json::array listed_prompts();
/// Error `invalid_params` when there is none of this name, or an argument is missing.
faces::McpOutcome read_prompt(const faces::RpcMessage& request);

json::array listed_resources();
json::array listed_templates();
/// nullopt when there is none of this URI.
std::optional<json::object> read_resource(std::string_view uri);

faces::McpOutcome complete(const faces::RpcMessage& request);

}  // namespace instantstart::mcp_fixtures
