#include "sandbox/kubernetes/api/pod_actions.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/api/listing.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"
#include "sandbox/kubernetes/objects/selectors.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::int64_t k_shortest_token = 600;  ///< Seconds; TokenRequest refuses less.
constexpr std::int64_t k_longest_token = 24 * 3600;
constexpr std::int64_t k_usual_token = 3600;

json::object success() {
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", json::object{}},
          {"status", "Success"},
          {"code", 201}};
}

const json::object* pod_of(PodActionParts parts, const ApiCall& call) {
  return parts.store.find({call.cluster, "", "pods", call.info.namespace_name, call.info.name});
}

std::vector<std::string> container_names(const json::object& pod) {
  std::vector<std::string> names;
  for (const auto list : {"containers", "initContainers", "ephemeralContainers"}) {
    for (const auto& value : member_array(member_object(pod, "spec"), list)) {
      if (const auto* container = value.if_object()) names.emplace_back(member_text(*container, "name"));
    }
  }
  return names;
}

Outcome<std::string> chosen_container(const json::object& pod, std::string_view wanted) {
  const auto names = container_names(pod);
  if (wanted.empty()) {
    const std::size_t usual = member_array(member_object(pod, "spec"), "containers").size();
    if (usual == 1) return names.front();
    return refuse(
        bad_request(fmt::format("a container name must be specified for pod {}, choose one of: [{}]",
                                name_of(pod), join(names, " "))));
  }
  if (std::ranges::find(names, wanted) != names.end()) return std::string(wanted);
  return refuse(bad_request(fmt::format("container {} is not valid for pod {}", wanted, name_of(pod))));
}

Outcome<std::optional<std::int64_t>> optional_number(const Parameters& parameters, std::string_view name) {
  if (!parameters.contains(name)) return std::optional<std::int64_t>();
  auto number = read_version(parameters.get(name));
  if (!number) return std::unexpected(std::move(number.error()));
  return std::optional(*number);
}

Outcome<LogRequest> log_request(const ApiCall& call, std::string container) {
  LogRequest request{.cluster = call.cluster,
                     .namespace_name = call.info.namespace_name,
                     .pod = call.info.name,
                     .container = std::move(container),
                     .follow = call.parameters.is_set("follow"),
                     .previous = call.parameters.is_set("previous"),
                     .timestamps = call.parameters.is_set("timestamps"),
                     .since_time = std::string(call.parameters.get("sinceTime"))};
  auto tail = optional_number(call.parameters, "tailLines");
  auto since = optional_number(call.parameters, "sinceSeconds");
  auto limit = optional_number(call.parameters, "limitBytes");
  for (const auto* read : {&tail, &since, &limit}) {
    if (!*read) return std::unexpected(read->error());
  }
  request.tail_lines = *tail;
  request.since_seconds = *since;
  request.limit_bytes = *limit;
  return request;
}

/// Takes one disruption of every budget that covers the pod; 429 when one allows none.
Outcome<> use_budgets(PodActionParts parts, const json::object& pod, const std::string& cluster,
                      bool dry_run) {
  std::vector<ObjectKey> covering;
  for (const auto* budget : parts.store.list(cluster, "policy", "poddisruptionbudgets", namespace_of(pod))) {
    const auto* selector = member_object(budget->body, "spec").if_contains("selector");
    const auto parsed = LabelSelector::from_object(selector ? *selector : json::value());
    if (parsed && parsed->matches_object(pod)) covering.push_back(budget->key());
  }
  for (const auto& key : covering) {
    const auto* allowed = member_object(*parts.store.find(key), "status").if_contains("disruptionsAllowed");
    if (allowed && allowed->is_int64() && allowed->get_int64() > 0) continue;
    return refuse({.code = 429,
                   .reason = "TooManyRequests",
                   .message = "Cannot evict pod as it would violate the pod's disruption budget.",
                   .causes = {{.reason = "DisruptionBudget",
                               .message = fmt::format("The disruption budget {} does not allow evicting pods "
                                                      "currently",
                                                      key.name),
                               .field = {}}},
                   .retry_after_seconds = 10});
  }
  for (const auto& key : covering) {
    if (dry_run) break;
    json::object budget = *parts.store.find(key);
    json::object& status = budget["status"].get_object();
    status["disruptionsAllowed"] = status["disruptionsAllowed"].get_int64() - 1;
    parts.writer.settle(key, std::move(budget));
  }
  return {};
}

}  // namespace

Outcome<DeleteOptions> delete_options(const Parameters& parameters, const json::object& body) {
  DeleteOptions options;
  const auto* grace = body.if_contains("gracePeriodSeconds");
  if (grace && grace->is_int64()) options.grace_seconds = grace->get_int64();
  if (parameters.contains("gracePeriodSeconds")) {
    auto number = read_version(parameters.get("gracePeriodSeconds"));
    if (!number) return std::unexpected(std::move(number.error()));
    options.grace_seconds = *number;
  }
  options.propagation = member_text(body, "propagationPolicy");
  if (parameters.contains("propagationPolicy")) options.propagation = parameters.get("propagationPolicy");
  const auto* orphan = body.if_contains("orphanDependents");
  if (orphan && *orphan == json::value(true)) options.propagation = "Orphan";
  constexpr std::string_view k_known[] = {"", "Background", "Foreground", "Orphan"};
  if (std::ranges::find(k_known, options.propagation) == std::end(k_known)) {
    return refuse(invalid("meta.k8s.io", "DeleteOptions", "",
                          {field_not_supported("propagationPolicy", json::value(options.propagation),
                                               {"Foreground", "Background", "Orphan"})}));
  }
  const json::object& preconditions = member_object(body, "preconditions");
  options.uid = member_text(preconditions, "uid");
  options.resource_version = member_text(preconditions, "resourceVersion");
  options.dry_run = parameters.contains("dryRun") || !member_array(body, "dryRun").empty();
  return options;
}

Outcome<net::Response> pod_log(PodActionParts parts, const ApiCall& call) {
  const json::object* pod = pod_of(parts, call);
  if (!pod) return refuse(not_found("", "pods", call.info.name));
  auto container = chosen_container(*pod, call.parameters.get("container"));
  if (!container) return std::unexpected(std::move(container.error()));
  auto request = log_request(call, std::move(*container));
  if (!request) return std::unexpected(std::move(request.error()));
  net::Response response{.headers = {{"Content-Type", "text/plain"}}};
  // Without a node there is nothing to read from, and that is no error.
  if (member_text(member_object(*pod, "spec"), "nodeName").empty()) return response;
  auto text = parts.logs.open(*request);
  if (!text) return std::unexpected(std::move(text.error()));
  response.body = std::move(*text);
  return response;
}

Outcome<net::Response> evict_pod(PodActionParts parts, const ApiCall& call) {
  const json::object* pod = pod_of(parts, call);
  if (!pod) return refuse(not_found("", "pods", call.info.name));
  auto body = body_object(call);
  if (!body) return std::unexpected(std::move(body.error()));
  auto options = delete_options(call.parameters, member_object(*body, "deleteOptions"));
  if (!options) return std::unexpected(std::move(options.error()));
  const auto phase = member_text(member_object(*pod, "status"), "phase");
  const bool counts = phase != "Succeeded" && phase != "Failed" && phase != "Pending" && !is_deleting(*pod);
  if (counts) {
    if (auto may = use_budgets(parts, *pod, call.cluster, options->dry_run); !may) {
      return std::unexpected(std::move(may.error()));
    }
  }
  const WriteTarget target{.cluster = call.cluster,
                           .type = call.type,
                           .namespace_name = call.info.namespace_name,
                           .name = call.info.name};
  auto removed = parts.writer.remove(target, *options);
  if (!removed) return std::unexpected(std::move(removed.error()));
  return json_response(201, success());
}

Outcome<net::Response> bind_pod(PodActionParts parts, const ApiCall& call) {
  const json::object* found = pod_of(parts, call);
  if (!found) return refuse(not_found("", "pods", call.info.name));
  auto body = body_object(call);
  if (!body) return std::unexpected(std::move(body.error()));
  const std::string node(member_text(member_object(*body, "target"), "name"));
  if (node.empty()) {
    return refuse(invalid("", "Binding", call.info.name, {field_required("target.name")}));
  }
  json::object pod = *found;
  json::object& spec = pod["spec"].get_object();
  if (const auto current = member_text(spec, "nodeName"); !current.empty()) {
    return refuse(
        conflict("", "pods/binding", call.info.name,
                 fmt::format("pod {} is already assigned to node \"{}\"", call.info.name, current)));
  }
  if (is_deleting(pod)) {
    return refuse(
        conflict("", "pods/binding", call.info.name,
                 fmt::format("pod {} is being deleted, cannot be assigned to a host", call.info.name)));
  }
  spec["nodeName"] = node;
  json::object& status =
      pod["status"].is_object() ? pod["status"].get_object() : pod["status"].emplace_object();
  json::array conditions;
  for (const auto& value : member_array(status, "conditions")) {
    if (!value.is_object() || member_text(value.get_object(), "type") != "PodScheduled") {
      conditions.push_back(value);
    }
  }
  conditions.emplace_back(json::object{{"type", "PodScheduled"},
                                       {"status", "True"},
                                       {"lastProbeTime", nullptr},
                                       {"lastTransitionTime", api_time(parts.world.now())}});
  status["conditions"] = std::move(conditions);
  if (!call.parameters.contains("dryRun")) {
    parts.writer.settle({call.cluster, "", "pods", call.info.namespace_name, call.info.name}, std::move(pod));
  }
  return json_response(201, success());
}

Outcome<net::Response> request_token(PodActionParts parts, const ApiCall& call) {
  const json::object* account =
      parts.store.find({call.cluster, "", "serviceaccounts", call.info.namespace_name, call.info.name});
  if (!account) return refuse(not_found("", "serviceaccounts", call.info.name));
  auto body = body_object(call);
  if (!body) return std::unexpected(std::move(body.error()));
  json::object spec = member_object(*body, "spec");
  const auto* given = spec.if_contains("expirationSeconds");
  std::int64_t lifetime = given && given->is_int64() ? given->get_int64() : k_usual_token;
  if (lifetime < k_shortest_token) {
    return refuse(invalid("authentication.k8s.io", "TokenRequest", "",
                          {field_invalid("spec.expirationSeconds", lifetime,
                                         "may not specify a duration less than 10 minutes")}));
  }
  lifetime = std::min(lifetime, k_longest_token);
  ServiceAccountTokenSpec claims{.namespace_name = call.info.namespace_name,
                                 .service_account = call.info.name,
                                 .service_account_uid = std::string(uid_of(*account)),
                                 .lifetime = seconds(lifetime)};
  for (const auto& value : member_array(spec, "audiences")) {
    if (const auto* audience = value.if_string()) claims.audiences.emplace_back(*audience);
  }
  if (claims.audiences.empty()) claims.audiences = {"https://kubernetes.default.svc"};
  const json::object& bound = member_object(spec, "boundObjectRef");
  if (member_text(bound, "kind") == "Pod") {
    claims.pod_name = std::string(member_text(bound, "name"));
    const json::object* pod =
        parts.store.find({call.cluster, "", "pods", call.info.namespace_name, *claims.pod_name});
    if (!pod) return refuse(not_found("", "pods", *claims.pod_name));
    claims.pod_uid = std::string(uid_of(*pod));
  }
  const auto token = parts.tokens.sign(call.cluster, claims);
  if (!token) return refuse(internal_fault(token.error().message));
  json::array audiences;
  for (const auto& audience : claims.audiences) audiences.emplace_back(audience);
  spec["audiences"] = std::move(audiences);
  spec["expirationSeconds"] = lifetime;
  return json_response(
      201, json::object{{"kind", "TokenRequest"},
                        {"apiVersion", "authentication.k8s.io/v1"},
                        {"metadata", json::object{{"name", call.info.name},
                                                  {"namespace", call.info.namespace_name},
                                                  {"creationTimestamp", api_time(parts.world.now())}}},
                        {"spec", std::move(spec)},
                        {"status", json::object{{"token", *token},
                                                {"expirationTimestamp",
                                                 api_time(parts.world.now() + seconds(lifetime))}}}});
}

}  // namespace instantstart::sandbox::kubernetes
