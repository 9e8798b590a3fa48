#include "contract/action.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::contract {
namespace {

constexpr auto k_any_call = std::to_array<std::string_view>(
    {codes::bad_host, codes::bad_origin, codes::bad_request, codes::deadline_exceeded, codes::forbidden,
     codes::internal, codes::invalid_request, codes::method_not_allowed, codes::not_found,
     codes::rate_limited, codes::unauthenticated, codes::unavailable});

constexpr auto k_with_body = std::to_array<std::string_view>(
    {codes::body_too_large, codes::invalid_json, codes::unsupported_media_type});

/// Reads and changes ask AWS and Kubernetes; a local action doesn't.
constexpr auto k_with_peers =
    std::to_array<std::string_view>({codes::access_denied, codes::connection_failed, codes::upstream_error});

constexpr auto k_not_a_read =
    std::to_array<std::string_view>({codes::confirm_required, codes::confirm_token_invalid, codes::conflict,
                                     codes::operation_conflict, codes::token_reused});

}  // namespace

Type describe(Effect*) {
  return enum_type<Effect>(
      "Effect", "What an action does, at worst.",
      {{Effect::read, {"read", "Only looks."}},
       {Effect::local, {"local", "Changes only the product's own store, at once."}},
       {Effect::change, {"change", "Starts an operation."}},
       {Effect::destroy, {"destroy", "Starts an operation that may take something away."}}});
}

std::string_view Action::method() const {
  if (!spec.method.empty()) return spec.method;
  return spec.effect == Effect::read ? "GET" : "POST";
}

bool Action::has_body() const { return method() != "GET" && method() != "DELETE"; }

bool takes_selected_cluster(const Action& action) {
  return !action.spec.names_cluster && std::ranges::any_of(action.request->fields, [](const Field& field) {
    return field.name == "cluster" && field.required();
  });
}

std::string Action::doc() const {
  if (spec.status_action.empty()) return spec.doc;
  return fmt::format("{} {} tells when it is complete.", spec.doc, spec.status_action);
}

std::string_view noun_of(std::string_view action_name) {
  return action_name.substr(0, action_name.rfind('_'));
}

std::string_view verb_of(std::string_view action_name) {
  return action_name.substr(action_name.rfind('_') + 1);  // npos + 1 is 0
}

std::vector<std::string_view> path_members(std::string_view path) {
  std::vector<std::string_view> members;
  for (auto open = path.find('{'); open != path.npos; open = path.find('{', open + 1)) {
    const auto close = path.find('}', open);
    if (close == path.npos) break;
    members.push_back(path.substr(open + 1, close - open - 1));
  }
  return members;
}

std::vector<std::string_view> error_codes_of(const Action& action) {
  std::set<std::string_view> found(k_any_call.begin(), k_any_call.end());
  if (action.has_body()) found.insert(k_with_body.begin(), k_with_body.end());
  if (action.spec.effect != Effect::local) found.insert(k_with_peers.begin(), k_with_peers.end());
  if (action.spec.effect != Effect::read) found.insert(k_not_a_read.begin(), k_not_a_read.end());
  found.insert(action.spec.errors.begin(), action.spec.errors.end());
  return {found.begin(), found.end()};
}

}  // namespace instantstart::contract
