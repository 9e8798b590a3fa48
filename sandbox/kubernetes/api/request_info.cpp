#include "sandbox/kubernetes/api/request_info.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// Subresources of a namespace object; anything else after a namespace's name is a resource in it.
constexpr std::array<std::string_view, 2> k_of_namespaces{"status", "finalize"};

std::string join_path(const std::vector<std::string>& pieces, std::size_t from) {
  std::string path;
  for (std::size_t i = from; i < pieces.size(); ++i) {
    path += '/';
    path += pieces[i];
  }
  return path;
}

std::string collection_verb(std::string_view method, const Parameters& parameters) {
  if (method == "POST") return "create";
  if (method == "DELETE") return "deletecollection";
  if (method == "GET" || method == "HEAD") return parameters.is_set("watch") ? "watch" : "list";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  return to_lower(method);
}

std::string object_verb(std::string_view method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return to_lower(method);
}

/// The pieces behind the version: [watch/] [namespaces/NS/] resource [/name [/subresource [/…]]].
void read_resource(RequestInfo& info, std::string_view method, const std::vector<std::string>& pieces,
                   std::size_t at, const Parameters& parameters) {
  const bool old_watch = pieces[at] == "watch" && at + 1 < pieces.size();
  if (old_watch) ++at;
  if (pieces[at] == "namespaces" && at + 1 < pieces.size()) {
    info.namespace_name = pieces[at + 1];
    const bool inside =
        at + 2 < pieces.size() && std::ranges::find(k_of_namespaces, pieces[at + 2]) == k_of_namespaces.end();
    if (inside) at += 2;
  }
  info.is_resource = true;
  info.resource = pieces[at];
  if (at + 1 < pieces.size()) info.name = pieces[at + 1];
  if (at + 2 < pieces.size()) info.subresource = pieces[at + 2];
  if (at + 3 < pieces.size()) info.rest = join_path(pieces, at + 3);
  info.verb = info.name.empty() ? collection_verb(method, parameters) : object_verb(method);
  if (old_watch) info.verb = "watch";
}

}  // namespace

std::optional<Parameters> Parameters::parse(std::string_view query) {
  auto pairs = net::parse_query(query);
  if (!pairs) return std::nullopt;
  Parameters parameters;
  parameters.pairs_ = std::move(*pairs);
  return parameters;
}

std::string_view Parameters::get(std::string_view name) const {
  const auto found = std::ranges::find(pairs_, name, &std::pair<std::string, std::string>::first);
  return found == pairs_.end() ? std::string_view() : std::string_view(found->second);
}

std::vector<std::string> Parameters::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : pairs_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

bool Parameters::contains(std::string_view name) const {
  return std::ranges::find(pairs_, name, &std::pair<std::string, std::string>::first) != pairs_.end();
}

bool Parameters::is_set(std::string_view name) const {
  if (!contains(name)) return false;
  const std::string value = to_lower(get(name));
  return value != "false" && value != "0";
}

std::string RequestInfo::resource_and_subresource() const {
  return subresource.empty() ? resource : fmt::format("{}/{}", resource, subresource);
}

bool RequestInfo::mutates() const {
  return verb == "create" || verb == "update" || verb == "patch" || verb == "delete" ||
         verb == "deletecollection";
}

std::string RequestInfo::operation() const {
  return is_resource ? fmt::format("{} {}", verb, resource_and_subresource())
                     : fmt::format("{} {}", verb, path);
}

RequestInfo read_request_info(std::string_view method, const std::vector<std::string>& pieces,
                              const Parameters& parameters) {
  RequestInfo info;
  info.path = pieces.empty() ? "/" : join_path(pieces, 0);
  info.verb = to_lower(method);
  if (pieces.empty()) return info;
  // A slash at the end leads to the same place.
  std::vector<std::string> parts = pieces;
  while (!parts.empty() && parts.back().empty()) parts.pop_back();
  if (parts.size() >= 3 && parts[0] == "api") {
    info.version = parts[1];
    read_resource(info, method, parts, 2, parameters);
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    info.group = parts[1];
    info.version = parts[2];
    read_resource(info, method, parts, 3, parameters);
  }
  return info;
}

}  // namespace instantstart::sandbox::kubernetes
