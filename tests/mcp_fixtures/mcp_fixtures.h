// The tools, prompts and resources that the MCP conformance suite calls for by name. They do nothing but show
// the protocol, and are the one exception to the action table: `serve --mcp-conformance-fixtures` lets them
// in, on loopback alone.
#pragma once

#include <string>
#include <string_view>

#include "faces/mcp/extension.h"
#include "net/time.h"
#include "tests/mcp_fixtures/listeners.h"

namespace instantstart::mcp_fixtures {

/// Loop thread only.
class ConformanceFixtures final : public faces::Extension {
 public:
  /// `key` signs what is handed to clients to carry; `time` must outlive this.
  ConformanceFixtures(net::Timekeeper& time, std::string key);

  void add_capabilities(faces::Revision revision, json::object& capabilities) const override;
  void add_items(std::string_view method, faces::Revision revision, json::object& page) const override;
  bool takes(const faces::McpCaller& caller, const faces::RpcMessage& request) const override;
  asio::awaitable<faces::McpOutcome> answer(faces::McpCaller caller, faces::RpcMessage request,
                                            faces::Exchange& exchange) override;

 private:
  net::Timekeeper& time_;
  std::string key_;
  Listeners listeners_;
};

}  // namespace instantstart::mcp_fixtures
