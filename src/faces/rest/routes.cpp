#include "faces/rest/routes.h"

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "net/http.h"

namespace instantstart::faces {
namespace {

bool is_member(std::string_view segment) { return segment.starts_with('{') && segment.ends_with('}'); }

std::vector<std::string_view> segments_of(std::string_view path_template) {
  return split(path_template.substr(1), '/');
}

}  // namespace

Routes::Routes(const contract::ActionTable& actions) {
  for (const auto& action : actions.all()) {
    Node* node = &root_;
    for (const std::string_view segment : segments_of(action.spec.path)) {
      if (is_member(segment)) {
        if (node->member.empty()) node->member.emplace_back();
        node = &node->member.front();
      } else {
        node = &node->fixed[std::string(segment)];
      }
    }
    node->by_method[std::string(action.method())] = &action;
  }
}

const Routes::Node* Routes::descend(const Node& node, const std::vector<std::string>& segments,
                                    std::size_t at, std::vector<std::string>& values) {
  if (at == segments.size()) return node.by_method.empty() ? nullptr : &node;
  if (const auto fixed = node.fixed.find(segments[at]); fixed != node.fixed.end()) {
    if (const Node* found = descend(fixed->second, segments, at + 1, values)) return found;
  }
  if (node.member.empty() || segments[at].empty()) return nullptr;
  values.push_back(segments[at]);
  if (const Node* found = descend(node.member.front(), segments, at + 1, values)) return found;
  values.pop_back();
  return nullptr;
}

Result<RouteMatch> Routes::find(std::string_view method, std::string_view path) const {
  const std::string_view below = path.substr(k_api_prefix.size());
  const auto segments = net::parse_path(below.empty() ? "/" : below);
  if (!segments)
    return fail(codes::bad_request, "The path has a bad escape or a segment that is not allowed.");
  std::vector<std::string> values;
  const Node* node = descend(root_, *segments, 0, values);
  if (!node) return fail(codes::not_found, "No action has this path; /api/v1/openapi.json lists them all.");

  const auto wanted = node->by_method.find(method == "HEAD" ? "GET" : method);
  if (wanted == node->by_method.end()) {
    std::vector<std::string> allowed;
    for (const auto& [name, action] : node->by_method) allowed.push_back(name);
    Error error{.code = std::string(codes::method_not_allowed)};
    error.message = fmt::format("This path takes {}.", fmt::join(allowed, ", "));
    error.detail["allow"] = fmt::format("{}", fmt::join(allowed, ", "));
    return fail(std::move(error));
  }
  RouteMatch match{.action = wanted->second};
  const auto names = contract::path_members(match.action->spec.path);
  for (std::size_t i = 0; i < names.size(); ++i)
    match.members.emplace_back(std::string(names[i]), std::move(values[i]));
  return match;
}

}  // namespace instantstart::faces
