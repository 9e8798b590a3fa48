#include "sandbox/kubernetes/cluster/service_endpoints.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"
#include "sandbox/kubernetes/objects/selectors.h"

namespace instantstart::sandbox::kubernetes {
namespace {

const json::object& selector_of(const json::object& service) {
  return member_object(member_object(service, "spec"), "selector");
}

std::string_view ip_of(const json::object& pod) { return member_text(member_object(pod, "status"), "podIP"); }

bool is_same_to_services(const json::object& before, const json::object& after) {
  return member_object(metadata_of(before), "labels") == member_object(metadata_of(after), "labels") &&
         is_ready_pod(before) == is_ready_pod(after) && ip_of(before) == ip_of(after) &&
         is_deleting(before) == is_deleting(after) && has_ended(before) == has_ended(after);
}

json::object reference(const json::object& pod) {
  return {{"kind", "Pod"}, {"namespace", namespace_of(pod)}, {"name", name_of(pod)}, {"uid", uid_of(pod)}};
}

json::object address_of(const json::object& pod) {
  return {{"ip", ip_of(pod)},
          {"nodeName", member_text(member_object(pod, "spec"), "nodeName")},
          {"targetRef", reference(pod)}};
}

json::object port_entry(const json::object& port, std::int64_t number) {
  json::object entry;
  if (const auto name = member_text(port, "name"); !name.empty()) entry["name"] = name;
  entry["port"] = number;
  const auto protocol = member_text(port, "protocol");
  entry["protocol"] = protocol.empty() ? std::string_view("TCP") : protocol;
  return entry;
}

json::object slice_endpoint(const json::object& pod, bool ready) {
  json::object endpoint{
      {"addresses", json::array{ip_of(pod)}},
      {"conditions", json::object{{"ready", ready}, {"serving", ready}, {"terminating", is_deleting(pod)}}},
      {"targetRef", reference(pod)},
      {"nodeName", member_text(member_object(pod, "spec"), "nodeName")}};
  if (const auto host = member_text(member_object(pod, "spec"), "hostname"); !host.empty()) {
    endpoint["hostname"] = host;
  }
  return endpoint;
}

json::object object_of(std::string_view api_version, std::string_view kind, const ObjectKey& service,
                       const std::string& name) {
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata", json::object{{"name", name}, {"namespace", service.namespace_name}}}};
}

}  // namespace

std::optional<std::int64_t> target_port(const json::object& service_port, const json::object& pod) {
  const auto* target = service_port.if_contains("targetPort");
  if (!target) return number_at(service_port, "port");
  if (!target->is_string()) return number_at(service_port, "targetPort");
  const std::string_view name = target->get_string();
  for (const auto& container : member_array(member_object(pod, "spec"), "containers")) {
    if (!container.is_object()) continue;
    for (const auto& port : member_array(container.get_object(), "ports")) {
      if (port.is_object() && member_text(port.get_object(), "name") == name) {
        return number_at(port.get_object(), "containerPort");
      }
    }
  }
  return std::nullopt;
}

void ServiceEndpoints::notice(const Change& change) {
  if (!change.key.group.empty()) return;
  if (change.key.resource == "services") mark(change.key);
  if (change.key.resource != "pods") return;
  if (change.before && change.kind == ChangeKind::modified &&
      is_same_to_services(*change.before, *change.object)) {
    return;
  }
  for (const auto* service : store().list(change.key.cluster, "", "services", change.key.namespace_name)) {
    const json::object& selector = selector_of(service->body);
    if (selector.empty()) continue;
    const auto parsed = LabelSelector::from_map(selector);
    if (parsed.matches_object(*change.object) || (change.before && parsed.matches_object(*change.before))) {
      mark(service->key());
    }
  }
}

void ServiceEndpoints::sync(const ObjectKey& key) {
  const json::object* found = access().find(key);
  if (!found) {
    for (const auto& [group, resource, name] :
         {std::tuple("", "endpoints", key.name),
          std::tuple("discovery.k8s.io", "endpointslices", fmt::format("{}-slice", key.name))}) {
      // Gone already, as a rule with its service.
      std::ignore = objects(key).remove(group, resource, key.namespace_name, name);
    }
    return;
  }
  const json::object service = *found;
  if (selector_of(service).empty() || is_deleting(service)) return;
  const auto selector = LabelSelector::from_map(selector_of(service));
  const bool early = is_true_at(member_object(service, "spec"), "publishNotReadyAddresses");
  std::map<std::string, std::vector<const json::object*>> ready_by_ports;
  json::array endpoints;
  json::array ready;
  json::array unready;
  json::array ports;
  const json::array& wanted_ports = member_array(member_object(service, "spec"), "ports");
  for (const auto* stored : store().list(key.cluster, "", "pods", key.namespace_name)) {
    const json::object& pod = stored->body;
    if (ip_of(pod).empty() || has_ended(pod) || !selector.matches_object(pod)) continue;
    json::array own;
    for (const auto& port : wanted_ports) {
      if (!port.is_object()) continue;
      if (const auto number = target_port(port.get_object(), pod)) {
        own.emplace_back(port_entry(port.get_object(), *number));
      }
    }
    if (own.empty() && !wanted_ports.empty()) continue;
    if (ports.empty()) ports = std::move(own);
    const bool is_up = (is_ready_pod(pod) && !is_deleting(pod)) || early;
    endpoints.emplace_back(slice_endpoint(pod, is_up));
    if (is_deleting(pod) && !early) continue;
    (is_up ? ready : unready).emplace_back(address_of(pod));
  }
  json::object subset;
  if (!ready.empty()) subset["addresses"] = std::move(ready);
  if (!unready.empty()) subset["notReadyAddresses"] = std::move(unready);
  json::object old = object_of("v1", "Endpoints", key, key.name);
  if (!subset.empty()) {
    if (!ports.empty()) subset["ports"] = ports;
    old["subsets"] = json::array{std::move(subset)};
  }
  json::object slice =
      object_of("discovery.k8s.io/v1", "EndpointSlice", key, fmt::format("{}-slice", key.name));
  set_label(slice, "kubernetes.io/service-name", key.name);
  set_label(slice, "endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io");
  metadata_of(slice)["ownerReferences"] = json::array{owner_reference(service)};
  slice["addressType"] = "IPv4";
  slice["endpoints"] = std::move(endpoints);
  slice["ports"] = std::move(ports);
  put({key.cluster, "", "endpoints", key.namespace_name, key.name}, std::move(old));
  put({key.cluster, "discovery.k8s.io", "endpointslices", key.namespace_name,
       fmt::format("{}-slice", key.name)},
      std::move(slice));
}

void ServiceEndpoints::put(const ObjectKey& key, json::object object) {
  const json::object* before = access().find(key);
  if (!before) {
    // The namespace may be going away; then there is nothing to answer for.
    std::ignore = objects(key).create(std::move(object));
    return;
  }
  json::object next = *before;
  for (const auto member : {"subsets", "endpoints", "ports"}) {
    if (const auto* value = object.if_contains(member)) {
      next[member] = *value;
    } else {
      next.erase(member);
    }
  }
  if (next != *before) std::ignore = objects(key).update(std::move(next));
}

}  // namespace instantstart::sandbox::kubernetes
