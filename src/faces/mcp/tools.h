// Actions as MCP tools: names, short texts, flat schemas, hints. Pure.
//
// An agent pays for every byte of the list in each conversation, so texts are bounded, the members that all
// actions share are explained once in the server's instructions, and schemas hold only words that every host
// reads.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/action.h"
#include "contract/caller.h"
#include "faces/mcp/json_rpc.h"
#include "faces/mcp/revision.h"

namespace instantstart::faces {

/// No tool is longer, as compact JSON.
inline constexpr std::size_t k_tool_bytes = 1200;
/// Members have their docs as long as the tool stays below this.
inline constexpr std::size_t k_documented_tool_bytes = 640;
inline constexpr std::size_t k_description_bytes = 300;

/// The whole tool, as the newest revision has it: name, title, description, inputSchema, annotations.
json::object tool_of(const contract::Action& action);

class Tools {
 public:
  /// The table must outlive this. First stands an overview that needs no argument, then all by name.
  explicit Tools(const contract::ActionTable& actions, std::size_t page_size = 200);

  /// {tools, nextCursor?}: those that a caller of this role may call. Error `invalid_params` for a cursor
  /// that no page had.
  std::expected<json::object, RpcError> list(contract::Role role, Revision revision,
                                             std::optional<std::string_view> cursor) const;

  /// nullptr when there is none of this name.
  const contract::Action* find(std::string_view name) const { return actions_.find(name); }
  RpcError unknown(std::string_view name) const;

 private:
  struct Tool {
    const contract::Action* action;
    json::object shown;
  };

  const contract::ActionTable& actions_;
  std::size_t page_size_;
  std::vector<Tool> tools_;
};

}  // namespace instantstart::faces
