// Methods beside those of the action table. The product has none; the fixtures that the protocol's
// conformance suite calls for come in by this door.
#pragma once

#include <string>
#include <string_view>

#include "contract/caller.h"
#include "faces/mcp/exchange.h"
#include "faces/mcp/json_rpc.h"
#include "faces/mcp/revision.h"

namespace instantstart::faces {

struct McpCaller {
  Revision revision = k_newest_handshake;
  contract::Caller caller;
  std::string session = {};  ///< Empty where the revision has none.
};

/// Loop thread only.
class Extension {
 public:
  virtual ~Extension() = default;

  /// Adds what it serves to the capabilities that the handshake or discovery announces.
  virtual void add_capabilities(Revision revision, json::object& capabilities) const = 0;
  /// Adds its own items to the last page of a list that the product answers.
  virtual void add_items(std::string_view method, Revision revision, json::object& page) const = 0;

  /// Whether it answers this request. What it doesn't take, the product answers.
  virtual bool takes(const McpCaller& caller, const RpcMessage& request) const = 0;
  /// `exchange` outlives the call. A result without `resultType` is a complete one.
  virtual asio::awaitable<McpOutcome> answer(McpCaller caller, RpcMessage request, Exchange& exchange) = 0;
};

}  // namespace instantstart::faces
