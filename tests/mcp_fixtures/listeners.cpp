#include "tests/mcp_fixtures/listeners.h"

#include <array>
#include <string>

namespace instantstart::mcp_fixtures {
namespace {

constexpr std::string_view k_subscription_key = "io.modelcontextprotocol/subscriptionId";
constexpr std::array k_honoured = {std::string_view("toolsListChanged"),
                                   std::string_view("promptsListChanged")};

json::object tagged(const faces::RpcId& subscription) {
  return {{"_meta", json::object{{k_subscription_key, subscription}}}};
}

json::object honoured(const json::object& asked) {
  json::object filter;
  for (const auto name : k_honoured) {
    const auto* value = asked.if_contains(name);
    if (value && value->is_bool() && value->get_bool()) filter[name] = true;
  }
  return filter;
}

}  // namespace

asio::awaitable<void> Listeners::serve(faces::RpcMessage request, faces::Exchange& exchange) {
  const auto* asked = faces::object_member(request.params, "notifications");
  json::object filter = asked ? honoured(*asked) : json::object();
  json::object acknowledged = tagged(request.id);
  acknowledged["notifications"] = filter;
  exchange.notify("notifications/subscriptions/acknowledged", std::move(acknowledged));
  const auto listener = listeners_.insert(listeners_.end(), {&exchange, request.id, std::move(filter)});
  co_await exchange.wait_until_gone();
  listeners_.erase(listener);
}

void Listeners::tell(std::string_view filter, std::string_view notification) {
  for (const auto& listener : listeners_) {
    if (listener.filter.contains(filter)) {
      listener.exchange->notify(notification, tagged(listener.subscription));
    }
  }
}

}  // namespace instantstart::mcp_fixtures
