#include "sandbox/kubernetes/api/service_addresses.h"

#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sandbox/core/cidr.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::int64_t k_first_node_port = 30000;
constexpr std::int64_t k_node_ports = 2768;  ///< kube-apiserver's default range, 30000-32767.
constexpr int k_tries = 1000;

struct Taken {
  std::set<std::string> addresses;
  std::set<std::int64_t> node_ports;
};

Taken taken_by_others(const ObjectStore& store, std::string_view cluster, std::string_view uid) {
  Taken taken;
  for (const auto* service : store.list(cluster, "", "services", "")) {
    if (uid_of(service->body) == uid) continue;
    const json::object& spec = member_object(service->body, "spec");
    taken.addresses.emplace(member_text(spec, "clusterIP"));
    for (const auto& port : member_array(spec, "ports")) {
      const auto* one = port.if_object();
      const auto* number = one ? one->if_contains("nodePort") : nullptr;
      if (number && number->is_int64()) taken.node_ports.insert(number->get_int64());
    }
  }
  return taken;
}

Status taken_address(const json::object& service, std::string_view address) {
  return invalid(
      "", "Service", name_of(service),
      {field_invalid("spec.clusterIPs", json::array{address},
                     fmt::format("failed to allocate IP {}: provided IP is already allocated", address))});
}

std::optional<std::string> free_address(AdmissionParts parts, std::string_view cidr, const Taken& taken) {
  const auto range = Cidr::parse(cidr);
  if (!range || range->size() < 8) return std::nullopt;
  // The lowest sixteen are for those who ask for one by name, as DNS does.
  constexpr std::uint64_t k_kept = 16;
  const std::uint64_t first = range->size() > 4 * k_kept ? k_kept : 2;
  for (int i = 0; i < k_tries; ++i) {
    const std::uint64_t offset = first + parts.random.next() % (range->size() - first - 1);
    std::string address = ipv4_text(static_cast<Ipv4>(range->network + offset));
    if (!taken.addresses.contains(address)) return address;
  }
  return std::nullopt;
}

Outcome<> give_address(AdmissionParts parts, std::string_view cluster, const json::object* before,
                       const Taken& taken, json::object& service) {
  json::object& spec = service["spec"].get_object();
  if (member_text(spec, "type") == "ExternalName") {
    for (const auto member : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) spec.erase(member);
    return {};
  }
  std::string address(member_text(spec, "clusterIP"));
  if (address.empty() && before) address = member_text(member_object(*before, "spec"), "clusterIP");
  if (address.empty()) {
    const OpenCluster* open = parts.store.find_cluster(cluster);
    auto found = open ? free_address(parts, open->service_cidr, taken) : std::nullopt;
    if (!found) return refuse(internal_fault("failed to allocate a serviceIP: range is full"));
    address = std::move(*found);
  } else if (address != "None" && taken.addresses.contains(address)) {
    return refuse(taken_address(service, address));
  }
  spec["clusterIP"] = address;
  spec["clusterIPs"] = json::array{address};
  if (!spec.contains("ipFamilies")) spec["ipFamilies"] = json::array{"IPv4"};
  if (!spec.contains("ipFamilyPolicy")) spec["ipFamilyPolicy"] = "SingleStack";
  return {};
}

/// The port that an earlier form of the Service had for the same port.
std::int64_t earlier_node_port(const json::object* before, const json::object& port) {
  if (!before) return 0;
  for (const auto& value : member_array(member_object(*before, "spec"), "ports")) {
    const auto* one = value.if_object();
    if (!one || !one->contains("nodePort") || !one->contains("port") || !port.contains("port")) continue;
    const bool same =
        one->at("port") == port.at("port") && member_text(*one, "protocol") == member_text(port, "protocol");
    if (same && one->at("nodePort").is_int64()) return one->at("nodePort").get_int64();
  }
  return 0;
}

Outcome<> give_node_ports(AdmissionParts parts, const json::object* before, Taken& taken,
                          json::object& service) {
  json::object& spec = service["spec"].get_object();
  const auto type = member_text(spec, "type");
  if (type != "NodePort" && type != "LoadBalancer") return {};
  if (!spec["ports"].is_array()) return {};
  for (auto& value : spec["ports"].get_array()) {
    auto* port = value.if_object();
    if (!port) continue;
    if (const auto* given = port->if_contains("nodePort");
        given && given->is_int64() && given->get_int64() > 0) {
      const auto number = given->get_int64();
      if (!taken.node_ports.insert(number).second) {
        return refuse(
            invalid("", "Service", name_of(service),
                    {field_invalid("spec.ports[0].nodePort", number, "provided port is already allocated")}));
      }
      continue;
    }
    std::int64_t number = earlier_node_port(before, *port);
    for (int i = 0; number == 0 && i < k_tries; ++i) {
      const auto candidate =
          k_first_node_port + static_cast<std::int64_t>(parts.random.next() % k_node_ports);
      if (taken.node_ports.insert(candidate).second) number = candidate;
    }
    if (number == 0) return refuse(internal_fault("failed to allocate a nodePort: range is full"));
    (*port)["nodePort"] = number;
  }
  return {};
}

}  // namespace

Outcome<json::object> with_addresses(AdmissionParts parts, std::string_view cluster,
                                     const json::object* before, json::object service) {
  if (!service["spec"].is_object()) service["spec"].emplace_object();
  Taken taken = taken_by_others(parts.store, cluster, uid_of(service));
  if (auto done = give_address(parts, cluster, before, taken, service); !done)
    return std::unexpected(done.error());
  if (auto done = give_node_ports(parts, before, taken, service); !done) return std::unexpected(done.error());
  return service;
}

std::string first_service_address(std::string_view service_cidr) {
  const auto range = Cidr::parse(service_cidr);
  return range ? ipv4_text(range->network + 1) : std::string("172.20.0.1");
}

}  // namespace instantstart::sandbox::kubernetes
