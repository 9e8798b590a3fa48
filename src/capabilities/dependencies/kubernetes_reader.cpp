#include <algorithm>
#include <map>
#include <utility>

#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/dependencies/component_reader.h"
#include "capabilities/dependencies/hyperpod_tables.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

constexpr std::size_t k_most_differences = 20;
constexpr std::size_t k_most_daemon_sets = 2'000;
constexpr std::size_t k_most_releases = 500;
/// An image or a version that a cluster tells us goes no further than this.
constexpr std::size_t k_longest_text = 200;

const kube::ResourceType k_daemon_sets{.gvk = {"apps", "v1", "DaemonSet"}, .plural = "daemonsets"};
const kube::ResourceType k_secrets{.gvk = {"", "v1", "Secret"}, .plural = "secrets"};

std::string bounded(std::string_view text) { return shortened(without_controls(text), k_longest_text); }

std::string_view first_image(const json::object& daemon_set) {
  const auto& containers = kube::array_at(daemon_set, {"spec", "template", "spec", "containers"});
  return containers.empty() ? std::string_view()
                            : kube::text_at(kube::as_object(containers.front()), {"image"});
}

bool runs_image(const json::object& daemon_set, std::string_view mark) {
  return std::ranges::any_of(kube::array_at(daemon_set, {"spec", "template", "spec", "containers"}),
                             [&](const json::value& container) {
                               return kube::text_at(kube::as_object(container), {"image"}).find(mark) !=
                                      std::string_view::npos;
                             });
}

std::optional<std::string> version_of(const json::object& live) {
  if (const auto noted = kube::text_at(live, {"metadata", "annotations", k_version_annotation});
      !noted.empty()) {
    return bounded(noted);
  }
  const auto image = first_image(live);
  const auto colon = image.rfind(':');
  if (colon == std::string_view::npos || image.find('/', colon) != std::string_view::npos)
    return std::nullopt;
  const auto tag = image.substr(colon + 1);
  return bounded(tag);
}

DaemonsSeen daemons_of(const json::object& live) {
  const auto number = [&](kube::JsonPath path) { return kube::integer_at(live, path).value_or(0); };
  return {.current = number({"status", "observedGeneration"}) >= number({"metadata", "generation"}),
          .wanted = number({"status", "desiredNumberScheduled"}),
          .ready = number({"status", "numberReady"})};
}

ObjectSeen seen_of(const json::object& plain, const json::object& with_owner, const json::object& live) {
  ObjectSeen seen{.ref = to_text(ref_of(plain)), .exists = true};
  seen.going = !kube::text_at(live, {"metadata", "deletionTimestamp"}).empty();
  seen.maker = maker_of(live);
  const auto release = kube::text_at(live, {"metadata", "annotations", "meta.helm.sh/release-name"});
  if (!release.empty()) seen.helm_release = bounded(release);
  seen.version = version_of(live);
  seen.differences = differences(seen.maker ? with_owner : plain, live);
  if (seen.differences.size() > k_most_differences) seen.differences.resize(k_most_differences);
  if (ref_of(plain).kind == "DaemonSet") seen.daemons = daemons_of(live);
  return seen;
}

/// Of a list of which one item was asked for.
Task<bool> has_any(std::shared_ptr<kube::EksCluster> cluster, std::string path, net::Deadline deadline) {
  kube::ApiRequest request{.path = std::move(path), .query = {{"limit", "1"}}};
  auto answer = co_await cluster->connection().send(std::move(request), deadline);
  if (!answer) co_return fail(answer.error());
  const auto list = parse_json(answer->body, {.max_bytes = std::size_t{16} << 20});
  if (!list || !list->is_object())
    co_return fail(codes::upstream_error, "The API server's list is no JSON object.");
  co_return !kube::array_at(list->get_object(), {"items"}).empty();
}

Task<std::vector<std::string>> copies_of(std::shared_ptr<kube::EksCluster> cluster, std::string_view mark,
                                         std::vector<std::string> own, net::Deadline deadline) {
  kube::ListOptions options{.keep = {"/apiVersion", "/kind", "/metadata/name", "/metadata/namespace",
                                     "/spec/template/spec/containers/image"}};
  auto list =
      co_await cluster->client().list_all(k_daemon_sets, std::move(options), k_most_daemon_sets, deadline);
  if (!list) co_return fail(within("List the DaemonSets", list.error()));
  std::vector<std::string> copies;
  for (const auto& item : list->items) {
    if (!runs_image(item, mark)) continue;
    const auto ref = bounded(
        to_text(ObjectRef{"apps/v1", "DaemonSet", std::string(kube::text_at(item, {"metadata", "namespace"})),
                          std::string(kube::text_at(item, {"metadata", "name"}))}));
    if (std::ranges::find(own, ref) == own.end()) copies.push_back(ref);
  }
  co_return copies;
}

}  // namespace

kube::ResourceType type_of_object(const ObjectRef& ref) {
  const std::string text = to_text(ref);
  return {.gvk = kube::to_gvk(ref.api_version, ref.kind),
          .plural = text.substr(0, text.find('/')),
          .namespaced = !ref.namespace_.empty()};
}

Task<std::shared_ptr<kube::EksCluster>> ComponentReader::kubernetes(ClusterTarget cluster,
                                                                    net::Deadline deadline) const {
  return clusters_.open(eks_id_of(cluster), deadline);
}

Task<ObjectsSeen> ComponentReader::objects(ClusterTarget cluster, const Component& component,
                                           std::string release, net::Deadline deadline) const {
  auto opened = co_await kubernetes(cluster, deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  ObjectsSeen seen;
  std::vector<std::string> own;
  for (const auto& plain : component.objects({.region = cluster.region, .release = release})) {
    const ObjectRef ref = ref_of(plain);
    own.push_back(to_text(ref));
    auto live = co_await api->client().get(type_of_object(ref), {.space = ref.namespace_, .name = ref.name},
                                           deadline);
    if (!live && live.error().code == codes::not_found) {
      seen.objects.push_back({.ref = own.back()});
      continue;
    }
    if (!live) co_return fail(within("Look at " + own.back(), live.error()));
    const auto with_owner = owned(plain, {.component = std::string(component.name),
                                          .version = std::string(component.version),
                                          .release = release,
                                          .operation_id = {}});
    seen.objects.push_back(seen_of(plain, with_owner, *live));
  }
  if (!component.image_mark.empty()) {
    auto copies = co_await copies_of(api, component.image_mark, own, deadline);
    if (!copies) co_return fail(copies.error());
    seen.copies = std::move(*copies);
  }
  auto nodes = co_await has_nodes(api, deadline);
  if (!nodes) co_return fail(nodes.error());
  seen.nodes = *nodes;
  co_return seen;
}

Task<bool> ComponentReader::has_nodes(std::shared_ptr<kube::EksCluster> cluster, net::Deadline deadline) {
  auto nodes = co_await has_any(std::move(cluster), "/api/v1/nodes", deadline);
  if (!nodes) co_return fail(within("List the nodes", nodes.error()));
  co_return *nodes;
}

Task<bool> ComponentReader::has_namespace(ClusterTarget cluster, std::string space,
                                          net::Deadline deadline) const {
  auto opened = co_await kubernetes(std::move(cluster), deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  const kube::ResourceType namespaces{
      .gvk = {"", "v1", "Namespace"}, .plural = "namespaces", .namespaced = false};
  auto live = co_await api->client().get(namespaces, {.space = {}, .name = space}, deadline);
  if (!live && live.error().code == codes::not_found) co_return false;
  if (!live) co_return fail(within("Look at the namespace " + space, live.error()));
  co_return true;
}

Task<bool> ComponentReader::has_pods(ClusterTarget cluster, std::string space, net::Deadline deadline) const {
  auto opened = co_await kubernetes(std::move(cluster), deadline);
  if (!opened) co_return fail(opened.error());
  const auto path = kube::collection_path({.gvk = {"", "v1", "Pod"}, .plural = "pods"}, space);
  if (!path) co_return fail(path.error());
  co_return co_await has_any(std::move(*opened), *path, deadline);
}

Task<std::optional<kube::HelmRelease>> ComponentReader::hyperpod_release(ClusterTarget cluster,
                                                                         net::Deadline deadline) const {
  auto opened = co_await kubernetes(std::move(cluster), deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  // Helm's payloads are large: few at a time, and of each only what is needed is kept.
  kube::ListOptions options{.label_selector = std::string(kube::k_helm_secret_selector),
                            .page_size = 20,
                            .keep = {"/type", "/metadata/name", "/metadata/namespace", "/data/release"}};
  auto list = co_await api->client().list_all(k_secrets, std::move(options), k_most_releases, deadline);
  if (!list) co_return fail(within("Look for Helm releases", list.error()));
  std::vector<kube::HelmRelease> found;
  for (const auto& secret : list->items) {
    auto release = kube::read_helm_release(secret);
    // A release of another chart that can't be read is not ours to complain about.
    if (release && release->chart == k_hyperpod_chart) found.push_back(std::move(*release));
  }
  auto latest = kube::latest_revisions(std::move(found));
  if (latest.empty()) co_return std::nullopt;
  // With several, the one that works.
  const auto deployed = std::ranges::find(latest, std::string("deployed"), &kube::HelmRelease::status);
  co_return std::move(deployed == latest.end() ? latest.front() : *deployed);
}

}  // namespace instantstart::capabilities
