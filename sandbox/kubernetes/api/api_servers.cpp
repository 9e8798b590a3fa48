#include "sandbox/kubernetes/api/api_servers.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "sandbox/kubernetes/api/addons.h"
#include "sandbox/kubernetes/api/bootstrap.h"
#include "sandbox/kubernetes/api/planned_fault.h"
#include "sandbox/kubernetes/api/pod_proxy_path.h"
#include "sandbox/kubernetes/api/protobuf.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_root = "clusters";
constexpr std::string_view k_service = "kubernetes";

/// EKS lets nobody unknown in, but to these.
bool is_public(const RequestInfo& info) {
  if (info.is_resource) return false;
  for (const std::string_view path : {"/healthz", "/livez", "/readyz", "/version"}) {
    if (info.path == path || info.path.starts_with(std::string(path) + "/")) return true;
  }
  return false;
}

std::string fault_code(const net::Response& response) {
  if (response.status < 400) return {};
  const auto* text = std::get_if<std::string>(&response.body);
  const auto body = text ? parse_json(*text) : Result<json::value>(json::value());
  if (body && body->is_object()) {
    const auto* reason = body->get_object().if_contains("reason");
    if (reason && reason->is_string()) return std::string(reason->get_string());
  }
  return fmt::format("HTTP{}", response.status);
}

}  // namespace

struct ApiServers::Passage {
  ApiCall call;
  json::object record;
  std::string request_id;
  std::optional<FaultRule> rule;

  bool hit_by(FaultKind kind) const { return rule && rule->kind == kind; }
};

Result<std::unique_ptr<ApiServers>> ApiServers::make(ApiServersParts parts) {
  auto built_in = SchemaSet::with_built_in();
  if (!built_in) return std::unexpected(std::move(built_in.error()));
  return std::unique_ptr<ApiServers>(new ApiServers(std::move(parts), std::move(*built_in)));
}

ApiServers::ApiServers(ApiServersParts parts, SchemaSet built_in)
    : parts_(std::move(parts)),
      store_(parts_.world),
      types_(store_, std::move(built_in)),
      writer_(parts_.world, store_, types_, parts_.ca_pem),
      open_api_(store_, types_),
      authorizer_(store_),
      authenticator_({store_, authorizer_, parts_.directory, parts_.tokens, parts_.verify_eks_token}),
      lifecycle_(parts_.world, store_, types_, writer_),
      rest_({parts_.world, store_, types_, writer_, open_api_, authorizer_, authenticator_, parts_.logs,
             parts_.tokens}),
      hurried_(parts_.world.time()) {}

// -- the clusters

ControlPlaneEndpoint ApiServers::endpoint(std::string_view cluster_id) const {
  return {.url = fmt::format("{}/{}/{}", parts_.base_url, k_root, cluster_id), .ca_pem = parts_.ca_pem};
}

ClusterObjects ApiServers::objects(std::string cluster, std::string manager) {
  return {store_, types_, writer_, std::move(cluster), std::move(manager)};
}

void ApiServers::open(const ControlPlaneRef& cluster) {
  if (store_.find_cluster(cluster.id)) return;
  store_.open(cluster);
  ClusterObjects made = objects(cluster.id, "kube-apiserver");
  if (auto done = furnish_cluster(made, cluster.service_cidr); !done) {
    parts_.log.error("A new cluster could not be furnished.", {{"reason", done.error().message}});
  }
}

void ApiServers::close(std::string_view cluster_id) {
  store_.close(cluster_id);
  types_.forget(cluster_id);
}

void ApiServers::apply_addon(std::string_view cluster_id, const AddonRef& addon) {
  const OpenCluster* open = store_.find_cluster(cluster_id);
  if (!open) return;
  ClusterObjects made = objects(std::string(cluster_id), "eks");
  for (auto& object : addon_objects(addon, open->region, open->service_cidr)) {
    auto applied = made.apply(std::move(object));
    if (!applied) {
      parts_.log.error("An object of an add-on could not be applied.",
                       {{"addon", addon.name}, {"reason", applied.error().message}});
    }
  }
  std::vector<std::string> names = store_.find_cluster(cluster_id)->addons;
  if (std::ranges::find(names, addon.name) == names.end()) names.push_back(addon.name);
  std::ranges::sort(names);
  store_.set_addons(cluster_id, std::move(names));
}

void ApiServers::remove_addon(std::string_view cluster_id, std::string_view addon_name) {
  const OpenCluster* open = store_.find_cluster(cluster_id);
  if (!open) return;
  std::vector<std::string> names = open->addons;
  std::erase(names, addon_name);
  ClusterObjects made = objects(std::string(cluster_id), "eks");
  remove_addon_objects(made, addon_name);
  store_.set_addons(cluster_id, std::move(names));
}

AddonHealth ApiServers::addon_health(std::string_view cluster_id, std::string_view addon_name) const {
  return kubernetes::addon_health(store_, cluster_id, addon_name);
}

// -- requests

asio::awaitable<net::Response> ApiServers::handle(net::Request request) {
  // What a program in a pod does ends when nobody waits for it; it is no change of ours.
  if (names_proxy(request.path())) co_return co_await answer(std::move(request));
  auto executor = co_await asio::this_coro::executor;
  co_return co_await asio::co_spawn(
      executor, answer(std::move(request)),
      asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
}

net::Response ApiServers::refuse_request(int status, std::string_view reason) {
  if (status == 413) return fault_response(too_large());
  return fault_response({.code = status, .reason = {}, .message = std::string(reason)});
}

void ApiServers::hurry() {
  in_a_hurry_ = true;
  hurried_.notify();
}

Outcome<ApiCall> ApiServers::read(net::Request request) {
  auto pieces = net::parse_path(request.path());
  auto parameters = Parameters::parse(request.query());
  if (!pieces || !parameters) return refuse(bad_request("the path or the query is malformed"));
  if (pieces->size() < 2 || pieces->front() != k_root) return refuse(no_such_path());
  std::string cluster = (*pieces)[1];
  if (!store_.find_cluster(cluster)) return refuse(unavailable("there is no such cluster"));
  if (request.body.size() > k_largest_body) return refuse(too_large());
  pieces->erase(pieces->begin(), pieces->begin() + 2);
  RequestInfo info = read_request_info(request.method, *pieces, *parameters);
  auto who = authenticator_.identify(cluster, request.headers);
  if (!who) return std::unexpected(std::move(who.error()));
  ApiCall call{.cluster = std::move(cluster),
               .info = std::move(info),
               .parameters = std::move(*parameters),
               .who = std::move(*who),
               .request = std::move(request)};
  if (auto may = authorize(call); !may) return std::unexpected(std::move(may.error()));
  if (is_protobuf(call.request.headers.get("Content-Type"))) {
    auto object = decode_protobuf(call.request.body);
    if (!object) return std::unexpected(std::move(object.error()));
    call.request.body = to_text(*object);
    call.request.headers.set("Content-Type", "application/json");
  }
  if (call.info.is_resource) {
    call.type = types_.find(call.cluster, call.info.group, call.info.version, call.info.resource);
  }
  return call;
}

Outcome<> ApiServers::authorize(const ApiCall& call) const {
  if (call.who.username == k_anonymous && !is_public(call.info)) return refuse(unauthorized());
  return authorizer_.check(call.cluster, call.who, attributes_of(call.info));
}

asio::awaitable<net::Response> ApiServers::answer(net::Request request) {
  auto call = read(std::move(request));
  if (!call) {
    // A reader of its own refusals waits, too, for what it may have seen.
    net::Response refusal = fault_response(call.error());
    const auto durable = co_await parts_.world.commit();
    co_return durable ? std::move(refusal) : fault_response(internal_fault(durable.error().message));
  }
  Passage passage{.call = std::move(*call)};
  passage.request_id = parts_.world.make_request_id();
  passage.record = request_record(passage.call);
  passage.rule = parts_.faults.hit(k_service, passage.call.info.operation(), passage.record);
  net::Response response = co_await carry_out(std::move(passage));
  co_return response;
}

asio::awaitable<net::Response> ApiServers::carry_out(Passage passage) {
  if (passage.hit_by(FaultKind::slow)) co_await delay(*passage.rule);
  std::optional<Status> planned;
  if (passage.rule) planned = planned_refusal(*passage.rule, passage.call);
  net::Response response;
  if (planned) {
    response = fault_response(*planned);
  } else if (passage.hit_by(FaultKind::drop_request)) {
    response = fault_response(unavailable("The fault plan dropped the request."));
  } else {
    response = co_await run(passage);
  }
  const auto recorded = co_await record(passage, response);
  if (passage.hit_by(FaultKind::late_reply)) co_await delay(*passage.rule);
  if (passage.hit_by(FaultKind::drop_request) || passage.hit_by(FaultKind::drop_reply)) {
    co_return net::Response{.abort = true};
  }
  if (!recorded) co_return fault_response(internal_fault(recorded.error().message));
  response.headers.set("Audit-Id", passage.request_id);
  co_return response;
}

asio::awaitable<net::Response> ApiServers::run(const Passage& passage) {
  const ApiCall& call = passage.call;
  if (is_proxied(call)) {
    auto target = proxy_target(store_, call);
    if (!target) co_return fault_response(target.error());
    net::Request inner = call.request;
    inner.target = proxied_path(call);
    inner.headers.remove("Authorization");
    co_return co_await parts_.proxy.forward(std::move(*target), std::move(inner));
  }
  auto answered = rest_.answer(call);
  if (!answered) co_return fault_response(answered.error());
  co_return std::move(*answered);
}

asio::awaitable<void> ApiServers::delay(const FaultRule& rule) {
  if (in_a_hurry_) co_return;
  const auto end = net::Deadline::in(parts_.world.time(), milliseconds(rule.delay_ms.value_or(0)));
  co_await hurried_.wait(end);
}

/// Makes durable what the call did, with its audit row. Of reads, only those that a fault hit have one.
Task<> ApiServers::record(const Passage& passage, const net::Response& response) {
  const ApiCall& call = passage.call;
  const bool mutates = call.info.mutates();
  if (!mutates && !passage.rule) co_return co_await parts_.world.commit();
  AuditEntry entry{.at = to_rfc3339(parts_.world.now()),
                   .service = std::string(k_service),
                   .operation = call.info.operation(),
                   .mutating = mutates,
                   .principal = call.who.principal,
                   .request_id = passage.request_id,
                   .request = without_long_texts(passage.record)};
  if (const OpenCluster* open = store_.find_cluster(call.cluster)) entry.region = open->region;
  if (passage.rule) entry.fault = fault_kind_name(passage.rule->kind);
  entry.error_code = passage.hit_by(FaultKind::drop_request) ? "SandboxDroppedRequest" : fault_code(response);
  std::vector<AuditEntry> rows;
  rows.push_back(std::move(entry));
  co_return co_await parts_.world.commit(std::move(rows));
}

}  // namespace instantstart::sandbox::kubernetes
