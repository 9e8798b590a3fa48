// From method and path to an action, by the table's own path templates. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "contract/action.h"

namespace instantstart::faces {

inline constexpr std::string_view k_api_prefix = "/api/v1";

struct RouteMatch {
  const contract::Action* action = nullptr;
  std::vector<std::pair<std::string, std::string>> members;  ///< Of the path: {"operation_id", "0193…"}
};

class Routes {
 public:
  /// The table must outlive this.
  explicit Routes(const contract::ActionTable& actions);

  /// `path` is still percent-encoded and begins with /api/v1. A fixed segment wins over a member. Errors:
  /// `bad_request` for a path that can't be meant well, `not_found`, `method_not_allowed` with detail
  /// "allow".
  Result<RouteMatch> find(std::string_view method, std::string_view path) const;

 private:
  struct Node {
    std::map<std::string, Node, std::less<>> fixed;
    std::vector<Node> member;  ///< At most one.
    std::map<std::string, const contract::Action*, std::less<>> by_method;
  };

  static const Node* descend(const Node& node, const std::vector<std::string>& segments, std::size_t at,
                             std::vector<std::string>& values);

  Node root_;
};

}  // namespace instantstart::faces
