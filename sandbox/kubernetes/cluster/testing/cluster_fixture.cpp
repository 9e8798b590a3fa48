#include "sandbox/kubernetes/cluster/testing/cluster_fixture.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/objects/patch.h"

namespace instantstart::sandbox::kubernetes {
namespace {

Task<std::string> read_all(std::unique_ptr<net::BodyStream> stream) {
  std::string all;
  while (true) {
    auto piece = co_await stream->next();
    if (!piece) co_return all;
    all += *piece;
  }
}

Task<std::shared_ptr<net::Response>> call(PodProxy& proxy, ProxyTarget target, net::Request request) {
  auto response = co_await proxy.forward(std::move(target), std::move(request));
  co_return std::make_shared<net::Response>(std::move(response));
}

}  // namespace

void ClusterFixture::start_cluster(WorldOptions options) {
  TestWorld& begun = start(std::move(options));
  running = std::make_unique<Running>(begun.world(), time);
  auto made = ApiServers::make({.world = begun.world(),
                                .faults = running->faults,
                                .directory = running->directory,
                                .tokens = running->tokens,
                                .logs = running->runtime.logs(),
                                .proxy = running->runtime.proxy(),
                                .verify_eks_token = &verify_test_token,
                                .log = {},
                                .base_url = "https://127.0.0.1:6443",
                                .ca_pem = "a certificate"});
  ASSERT_TRUE(made) << made.error().message;
  running->servers = std::move(*made);
  furnish(begun.world(), running->runtime);
  running->runtime.attach(*running->servers);
  ASSERT_TRUE(begun.load());
  begun.start_timers();
  running->servers->open(test_cluster());
  ASSERT_TRUE(begun.run(begun.world().commit()));
}

void ClusterFixture::end_cluster() {
  if (running) running->servers->hurry();
  process.reset();
  running.reset();
}

json::object ClusterFixture::create(std::string_view text) {
  auto parsed = parse_json(text);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message << ": " << text;
    return {};
  }
  json::object object = parsed->as_object();
  const auto kind = member_text(object, "kind");
  const bool cluster_wide =
      kind == "Node" || kind == "PersistentVolume" || kind == "StorageClass" || kind == "CSIDriver";
  if (!cluster_wide && namespace_of(object).empty()) metadata_of(object)["namespace"] = "default";
  auto made = running->servers->objects(std::string(k_test_cluster), "kubectl").create(std::move(object));
  if (!made) {
    ADD_FAILURE() << made.error().message;
    return {};
  }
  return std::move(*made);
}

const json::object* ClusterFixture::find(std::string_view group, std::string_view resource,
                                         std::string_view name) {
  const std::string cluster(k_test_cluster);
  ObjectStore& store = running->servers->store();
  for (const auto space : {"default", "", "kube-system"}) {
    if (const auto* found =
            store.find({cluster, std::string(group), std::string(resource), space, std::string(name)}))
      return found;
  }
  return nullptr;
}

std::vector<const json::object*> ClusterFixture::list(std::string_view group, std::string_view resource) {
  std::vector<const json::object*> found;
  for (const auto* stored : running->servers->store().list(k_test_cluster, group, resource, "")) {
    found.push_back(&stored->body);
  }
  return found;
}

std::vector<std::string> ClusterFixture::names(std::string_view group, std::string_view resource) {
  std::vector<std::string> all;
  for (const auto* object : list(group, resource)) all.emplace_back(name_of(*object));
  return all;
}

std::string ClusterFixture::text(const json::object* object, std::string_view path) {
  if (!object) return "(none)";
  const json::value whole(*object);
  const json::value* place = &whole;
  for (const auto member : split(path, '.')) {
    if (const auto* array = place->if_array()) {
      std::size_t index = 0;
      std::from_chars(member.data(), member.data() + member.size(), index);
      if (index >= array->size()) return {};
      place = &(*array)[index];
      continue;
    }
    const auto* inner = place->if_object();
    place = inner ? inner->if_contains(member) : nullptr;
    if (!place) return {};
  }
  return place->is_string() ? std::string(place->get_string()) : to_text(*place);
}

std::string ClusterFixture::container_state(std::string_view pod) {
  const auto* found = find_pod(pod);
  if (!found) return "(none)";
  const auto& statuses = member_array(member_object(*found, "status"), "containerStatuses");
  if (statuses.empty()) return {};
  for (const auto& [state, detail] : member_object(statuses.front().as_object(), "state")) {
    const auto reason = member_text(detail.as_object(), "reason");
    return reason.empty() ? std::string(state) : fmt::format("{} {}", std::string_view(state), reason);
  }
  return {};
}

void ClusterFixture::change(std::string_view group, std::string_view resource, std::string_view name,
                            std::string_view patch) {
  const auto* found = find(group, resource, name);
  auto parsed = parse_json(patch);
  if (!found || !parsed) {
    ADD_FAILURE() << "no " << name << " or a bad patch";
    return;
  }
  auto next = merge_patch(*found, *parsed);
  auto changed = running->servers->objects(std::string(k_test_cluster), "kubectl").update(next.as_object());
  if (!changed) ADD_FAILURE() << changed.error().message;
}

void ClusterFixture::remove(std::string_view group, std::string_view resource, std::string_view name,
                            const DeleteOptions& options) {
  const auto* found = find(group, resource, name);
  if (!found) {
    ADD_FAILURE() << "no " << name;
    return;
  }
  const std::string space(namespace_of(*found));
  auto removed = running->servers->objects(std::string(k_test_cluster), "kubectl")
                     .remove(group, resource, space, name, options);
  if (!removed) ADD_FAILURE() << removed.error().message;
}

bool ClusterFixture::has_event(std::string_view reason, std::string_view message_part) {
  for (const auto* event : list("", "events")) {
    if (member_text(*event, "reason") == reason &&
        member_text(*event, "message").find(message_part) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

NodeSpec ClusterFixture::node(std::string name, std::map<std::string, std::string> more) {
  std::map<std::string, std::string> amounts{{"cpu", "8"}, {"memory", "32Gi"}, {"pods", "58"}};
  for (auto& [key, value] : more) amounts[key] = value;
  return {.name = name,
          .provider_id = "aws:///usw2-az2/sagemaker/cluster/" + name,
          .internal_ip = "10.0.1.5",
          .hostname = "ip-10-0-1-5.us-west-2.compute.internal",
          .kubelet_version = "v1.34.2-eks-ecaa3a6",
          .os_image = "Amazon Linux 2023",
          .labels = {{"node.kubernetes.io/instance-type", "ml.g5.8xlarge"}},
          .annotations = {},
          .taints = {},
          .capacity = amounts,
          .allocatable = amounts};
}

LogRequest ClusterFixture::log_of(std::string pod, std::string container) {
  return {.cluster = std::string(k_test_cluster),
          .namespace_name = "default",
          .pod = std::move(pod),
          .container = std::move(container)};
}

std::string ClusterFixture::read_log(LogRequest request) {
  auto stream = running->runtime.logs().open(request);
  if (!stream) return "refused: " + stream.error().message;
  return process->run(read_all(std::move(*stream))).value_or("never ends");
}

net::Response ClusterFixture::request(ProxyTarget target, net::Request asked) {
  target.cluster = k_test_cluster;
  target.namespace_name = "default";
  auto answered = process->run(call(running->runtime.proxy(), std::move(target), std::move(asked)));
  return answered ? std::move(**answered) : net::Response{.status = 0};
}

std::string pod_text(std::string_view name, std::string_view image, std::string_view container_rest,
                     std::string_view spec_rest) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}"}},"spec":{{{}"containers":[)"
      R"({{{}"name":"main","image":"{}"}}]}}}})",
      name, spec_rest, container_rest, image);
}

}  // namespace instantstart::sandbox::kubernetes
