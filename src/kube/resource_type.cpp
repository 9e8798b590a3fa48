#include "kube/resource_type.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::kube {
namespace {

constexpr std::size_t k_max_piece = 253;  // a DNS subdomain, the longest that names are (RFC 1123)

std::unexpected<Error> refuse(std::string message) {
  return fail(codes::invalid_request, std::move(message));
}

}  // namespace

bool ResourceType::serves(std::string_view verb) const {
  return std::ranges::find(verbs, verb) != verbs.end();
}

bool ResourceType::has_subresource(std::string_view name) const {
  return std::ranges::find(subresources, name) != subresources.end();
}

Result<std::string> path_piece(std::string_view what, std::string_view text) {
  const bool bad = text.empty() || text.size() > k_max_piece || text == "." || text == ".." ||
                   text.find_first_of("/%\t\n") != std::string_view::npos || without_controls(text) != text;
  if (bad) return refuse(fmt::format("'{}' can't be a {}", shortened(without_controls(text), 80), what));
  return percent_encode(text, ":@!$&'()*+,;=");
}

Result<std::string> collection_path(const ResourceType& type, std::string_view space) {
  std::string path = type.gvk.group.empty() ? "/api" : "/apis";
  if (!type.gvk.group.empty()) {
    auto group = path_piece("group", type.gvk.group);
    if (!group) return group;
    path += "/" + *group;
  }
  auto version = path_piece("version", type.gvk.version);
  if (!version) return version;
  auto plural = path_piece("resource", type.plural);
  if (!plural) return plural;
  path += "/" + *version;
  if (!space.empty()) {
    if (!type.namespaced) return refuse(fmt::format("{} belong to no namespace", type.plural));
    auto piece = path_piece("namespace", space);
    if (!piece) return piece;
    path += "/namespaces/" + *piece;
  }
  return path + "/" + *plural;
}

Result<std::string> object_path(const ResourceType& type, const ObjectName& id,
                                std::string_view subresource) {
  if (type.namespaced && id.space.empty()) {
    return refuse(fmt::format("{} are in a namespace, and none was given", type.plural));
  }
  auto path = collection_path(type, id.space);
  if (!path) return path;
  auto name = path_piece("name", id.name);
  if (!name) return name;
  *path += "/" + *name;
  if (subresource.empty()) return path;
  auto sub = path_piece("subresource", subresource);
  if (!sub) return sub;
  return *path + "/" + *sub;
}

}  // namespace instantstart::kube
