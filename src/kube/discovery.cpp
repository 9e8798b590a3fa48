#include "kube/discovery.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "kube/json_access.h"

namespace instantstart::kube {
namespace {

constexpr std::string_view k_accept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
constexpr std::array<std::string_view, 2> k_roots{"/api", "/apis"};
constexpr std::size_t k_max_bytes = std::size_t{32} << 20;
constexpr std::size_t k_max_types = 20'000;

std::string text_of(const json::object& object, JsonPath path) { return std::string(text_at(object, path)); }

std::vector<std::string> texts_at(const json::object& object, JsonPath path) {
  std::vector<std::string> texts;
  for (const json::value& item : array_at(object, path)) texts.emplace_back(as_text(item));
  return texts;
}

ResourceType aggregated_type(const json::object& resource, std::string group, std::string version) {
  ResourceType type{.gvk = {.group = std::move(group),
                            .version = std::move(version),
                            .kind = text_of(resource, {"responseKind", "kind"})},
                    .plural = text_of(resource, {"resource"}),
                    .namespaced = text_at(resource, {"scope"}) == "Namespaced",
                    .singular = text_of(resource, {"singularResource"}),
                    .short_names = texts_at(resource, {"shortNames"}),
                    .verbs = texts_at(resource, {"verbs"})};
  for (const json::value& item : array_at(resource, {"subresources"})) {
    type.subresources.push_back(text_of(as_object(item), {"subresource"}));
  }
  return type;
}

bool usable(const ResourceType& type) {
  return !type.plural.empty() && !type.gvk.kind.empty() && !type.gvk.version.empty();
}

Result<json::object> parsed(const ApiAnswer& answer) {
  auto value = parse_json(answer.body, {.max_bytes = k_max_bytes});
  if (!value || !value->is_object()) {
    return fail(codes::upstream_error, "the server's list of what it serves can't be read");
  }
  return std::move(value->get_object());
}

/// "deployments.v1.apps" → the pieces that kubectl reads in it.
struct Spelling {
  std::string name;
  std::string version;
  std::string group;
  bool has_group = false;
};

bool is_named(const ResourceType& type, const std::string& name) {
  const auto is = [&](const std::string& text) { return to_lower(text) == name; };
  return is(type.plural) || is(type.singular) || is(type.gvk.kind) ||
         std::ranges::any_of(type.short_names, is);
}

bool fits(const ResourceType& type, const Spelling& spelling) {
  return is_named(type, spelling.name) &&
         (!spelling.has_group || to_lower(type.gvk.group) == spelling.group) &&
         (spelling.version.empty() || to_lower(type.gvk.version) == spelling.version);
}

std::vector<Spelling> readings(std::string_view text) {
  const std::string lower = to_lower(text);
  const auto dot = lower.find('.');
  if (dot == std::string::npos) return {{.name = lower, .version = {}, .group = {}}};
  const std::string name = lower.substr(0, dot);
  const std::string rest = lower.substr(dot + 1);
  std::vector<Spelling> result;
  const auto second = rest.find('.');
  const std::string version = rest.substr(0, second);
  if (version.size() > 1 && version[0] == 'v' && version[1] >= '0' && version[1] <= '9') {
    const std::string group = second == std::string::npos ? "" : rest.substr(second + 1);
    result.push_back({.name = name, .version = version, .group = group, .has_group = true});
  }
  result.push_back({.name = name, .version = {}, .group = rest, .has_group = true});
  return result;
}

}  // namespace

const ResourceType* ResourceCatalog::find(const GroupVersionKind& gvk) const {
  const auto found = std::ranges::find(types_, gvk, &ResourceType::gvk);
  return found == types_.end() ? nullptr : &*found;
}

const ResourceType* ResourceCatalog::preferred(std::string_view group, std::string_view kind) const {
  const auto found = std::ranges::find_if(
      types_, [&](const ResourceType& type) { return type.gvk.group == group && type.gvk.kind == kind; });
  return found == types_.end() ? nullptr : &*found;
}

Result<ResourceType> ResourceCatalog::spelled(std::string_view text) const {
  for (const Spelling& reading : readings(text)) {
    const auto found =
        std::ranges::find_if(types_, [&](const ResourceType& type) { return fits(type, reading); });
    if (found != types_.end()) return *found;
  }
  std::vector<std::string_view> names;
  for (const ResourceType& type : types_) {
    names.push_back(type.plural);
    names.push_back(type.gvk.kind);
  }
  std::string message = fmt::format("The cluster has no kind '{}'.", shortened(without_controls(text), 80));
  const auto close = nearest(text, names);
  if (close) message += fmt::format(" The nearest is '{}'.", *close);
  Error error{.code = std::string(codes::not_found), .message = std::move(message)};
  if (close) error.detail["nearest"] = *close;
  return fail(std::move(error));
}

std::vector<ResourceType> parse_aggregated_discovery(const json::object& list) {
  std::vector<ResourceType> types;
  for (const json::value& group_item : array_at(list, {"items"})) {
    const json::object& group = as_object(group_item);
    for (const json::value& version_item : array_at(group, {"versions"})) {
      const json::object& version = as_object(version_item);
      for (const json::value& resource : array_at(version, {"resources"})) {
        auto type = aggregated_type(as_object(resource), text_of(group, {"metadata", "name"}),
                                    text_of(version, {"version"}));
        if (usable(type) && types.size() < k_max_types) types.push_back(std::move(type));
      }
    }
  }
  return types;
}

std::vector<ResourceType> parse_resource_list(const json::object& list) {
  const auto home = to_gvk(text_at(list, {"groupVersion"}), "");
  std::vector<ResourceType> types;
  std::vector<std::pair<std::string, std::string>> subresources;
  for (const json::value& item : array_at(list, {"resources"})) {
    const json::object& resource = as_object(item);
    const std::string name = text_of(resource, {"name"});
    if (const auto slash = name.find('/'); slash != std::string::npos) {
      subresources.emplace_back(name.substr(0, slash), name.substr(slash + 1));
      continue;
    }
    ResourceType type{
        .gvk = {.group = home.group, .version = home.version, .kind = text_of(resource, {"kind"})},
        .plural = name,
        .namespaced = flag_at(resource, {"namespaced"}),
        .singular = text_of(resource, {"singularName"}),
        .short_names = texts_at(resource, {"shortNames"}),
        .verbs = texts_at(resource, {"verbs"})};
    if (usable(type) && types.size() < k_max_types) types.push_back(std::move(type));
  }
  for (auto& [plural, name] : subresources) {
    const auto owner = std::ranges::find(types, plural, &ResourceType::plural);
    if (owner != types.end()) owner->subresources.push_back(std::move(name));
  }
  return types;
}

std::vector<std::string> parse_group_versions(const json::object& list) {
  std::vector<std::string> result;
  const auto add = [&](std::string text) {
    if (!text.empty() && std::ranges::find(result, text) == result.end()) result.push_back(std::move(text));
  };
  for (const json::value& version : array_at(list, {"versions"})) add(std::string(as_text(version)));
  for (const json::value& item : array_at(list, {"groups"})) {
    const json::object& group = as_object(item);
    add(text_of(group, {"preferredVersion", "groupVersion"}));
    for (const json::value& version : array_at(group, {"versions"})) {
      add(text_of(as_object(version), {"groupVersion"}));
    }
  }
  return result;
}

Task<ResourceType> Discovery::find(GroupVersionKind gvk, net::Deadline deadline) {
  return look(
      [gvk = std::move(gvk)](const ResourceCatalog& catalog) -> Result<ResourceType> {
        if (const auto* type = catalog.find(gvk)) return *type;
        return fail(codes::not_found,
                    fmt::format("The cluster does not serve {} {}.", gvk.api_version(), gvk.kind));
      },
      deadline);
}

Task<ResourceType> Discovery::preferred(std::string group, std::string kind, net::Deadline deadline) {
  return look(
      [group = std::move(group),
       kind = std::move(kind)](const ResourceCatalog& catalog) -> Result<ResourceType> {
        if (const auto* type = catalog.preferred(group, kind)) return *type;
        return fail(codes::not_found,
                    fmt::format("The cluster does not serve {} of the group '{}'.", kind, group));
      },
      deadline);
}

Task<ResourceType> Discovery::spelled(std::string text, net::Deadline deadline) {
  return look([text = std::move(text)](const ResourceCatalog& catalog) { return catalog.spelled(text); },
              deadline);
}

Task<ResourceType> Discovery::look(Lookup lookup, net::Deadline deadline) {
  auto found = lookup(catalog_);
  if (found) co_return std::move(*found);
  if (asked_at_ && connection_.time().steady() < *asked_at_ + k_least_age)
    co_return fail(std::move(found.error()));
  auto refreshed = co_await refresh(deadline);
  if (!refreshed) co_return fail(std::move(refreshed.error()));
  co_return lookup(catalog_);
}

Task<> Discovery::refresh(net::Deadline deadline) {
  while (refreshing_) {
    const auto before = asked_at_;
    const bool woken = co_await refreshed_.wait(deadline);
    if (!woken)
      co_return fail(codes::deadline_exceeded, "waited too long for the list of what the cluster serves");
    if (asked_at_ != before) co_return Result<>();
  }
  refreshing_ = true;
  struct Guard {
    Discovery& self;
    ~Guard() {
      self.refreshing_ = false;
      self.refreshed_.notify();
    }
  } const guard{*this};
  auto fetched = co_await fetch(deadline);
  if (!fetched) co_return fail(within("Ask the cluster what it serves", std::move(fetched.error())));
  catalog_ = std::move(*fetched);
  asked_at_ = connection_.time().steady();
  co_return Result<>();
}

Task<ResourceCatalog> Discovery::fetch(net::Deadline deadline) {
  ResourceCatalog catalog;
  for (const auto root : k_roots) {
    auto types = co_await fetch_root(std::string(root), deadline);
    if (!types) co_return fail(std::move(types.error()));
    for (auto& type : *types) catalog.add(std::move(type));
  }
  co_return catalog;
}

Task<std::vector<ResourceType>> Discovery::fetch_root(std::string root, net::Deadline deadline) {
  auto answer = co_await connection_.send({.path = root, .accept = std::string(k_accept)}, deadline);
  if (!answer && answer.error().code == codes::not_acceptable) {
    answer = co_await connection_.send({.path = root}, deadline);
  }
  if (!answer) co_return fail(std::move(answer.error()));
  auto list = parsed(*answer);
  if (!list) co_return fail(std::move(list.error()));
  if (text_at(*list, {"kind"}) == "APIGroupDiscoveryList") co_return parse_aggregated_discovery(*list);
  std::vector<ResourceType> types;
  for (const auto& group_version : parse_group_versions(*list)) {
    ApiRequest request;
    request.path = root + "/" + group_version;
    auto resources = co_await connection_.send(std::move(request), deadline);
    // An aggregated API whose server is down is missing, and the others are there (client-go does the same).
    if (!resources &&
        (resources.error().code == codes::unavailable || resources.error().code == codes::not_found)) {
      connection_.log().warning("An API group of the cluster does not answer",
                                {{"group", json::value(group_version)}});
      continue;
    }
    if (!resources) co_return fail(std::move(resources.error()));
    auto resource_list = parsed(*resources);
    if (!resource_list) co_return fail(std::move(resource_list.error()));
    for (auto& type : parse_resource_list(*resource_list)) types.push_back(std::move(type));
  }
  co_return types;
}

}  // namespace instantstart::kube
