#include "tests/mcp_fixtures/mcp_fixtures.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tests/mcp_fixtures/prompts.h"
#include "tests/mcp_fixtures/tools.h"

namespace instantstart::mcp_fixtures {
namespace {

using faces::McpCaller;
using faces::McpOutcome;
using faces::Revision;
using faces::RpcMessage;

constexpr auto k_log_levels = std::to_array<std::string_view>(
    {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"});
constexpr std::string_view k_input_prompt = "test_input_required_result_prompt";

/// What 2026-07-28 wants of whatever may be kept; older revisions don't know it.
json::object for_keeping(Revision revision, json::object result) {
  if (!faces::is_modern(revision)) return result;
  result["ttlMs"] = 0;
  result["cacheScope"] = "private";
  return result;
}

std::string_view named(const RpcMessage& request, std::string_view member) {
  return faces::text_member(request.params, member).value_or("");
}

void append(json::object& page, std::string_view list, json::array items) {
  auto& listed = page[list].as_array();
  for (auto& item : items) listed.push_back(std::move(item));
}

}  // namespace

ConformanceFixtures::ConformanceFixtures(net::Timekeeper& time, std::string key)
    : time_(time), key_(std::move(key)) {}

void ConformanceFixtures::add_capabilities(Revision revision, json::object& capabilities) const {
  capabilities["prompts"] = json::object();
  capabilities["completions"] = json::object();
  if (faces::is_modern(revision)) {
    capabilities["tools"].as_object()["listChanged"] = true;
    capabilities["prompts"].as_object()["listChanged"] = true;
  } else {
    capabilities["logging"] = json::object();
    capabilities["resources"].as_object()["subscribe"] = true;
  }
}

void ConformanceFixtures::add_items(std::string_view method, Revision, json::object& page) const {
  if (method == "tools/list") append(page, "tools", listed_tools());
  if (method == "resources/list") append(page, "resources", listed_resources());
  if (method == "resources/templates/list") append(page, "resourceTemplates", listed_templates());
}

bool ConformanceFixtures::takes(const McpCaller& caller, const RpcMessage& request) const {
  const std::string_view method = request.method;
  if (method == "tools/call") return find_tool(named(request, "name")) != nullptr;
  if (method == "resources/read") return read_resource(named(request, "uri")).has_value();
  if (method == "prompts/list" || method == "prompts/get" || method == "completion/complete") return true;
  if (faces::is_modern(caller.revision)) return method == "subscriptions/listen";
  return method == "logging/setLevel" || method == "resources/subscribe" || method == "resources/unsubscribe";
}

asio::awaitable<McpOutcome> ConformanceFixtures::answer(McpCaller caller, RpcMessage request,
                                                        faces::Exchange& exchange) {
  const Call call{.caller = caller,
                  .request = request,
                  .exchange = exchange,
                  .time = time_,
                  .listeners = listeners_,
                  .key = key_};
  const std::string_view method = request.method;
  if (method == "tools/call") co_return co_await find_tool(named(request, "name"))->answer(call);
  if (method == "prompts/get" && named(request, "name") == k_input_prompt) {
    co_return co_await input_prompt(call);
  }
  if (method == "prompts/get") co_return read_prompt(request);
  if (method == "prompts/list") {
    co_return for_keeping(caller.revision, json::object{{"prompts", listed_prompts()}});
  }
  if (method == "resources/read") {
    co_return for_keeping(caller.revision, *read_resource(named(request, "uri")));
  }
  if (method == "completion/complete") co_return complete(request);
  if (method == "subscriptions/listen") {
    co_await listeners_.serve(request, exchange);
    co_return json::object();
  }
  if (method == "logging/setLevel" &&
      std::ranges::find(k_log_levels, named(request, "level")) == k_log_levels.end()) {
    co_return std::unexpected(fault(faces::rpc::invalid_params, "params.level is not one of the levels."));
  }
  // What is subscribed to never changes, and what is logged is of level info.
  co_return json::object();
}

}  // namespace instantstart::mcp_fixtures
