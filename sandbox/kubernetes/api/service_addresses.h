// Cluster IPs and node ports of Services, unique in a cluster.
#pragma once

#include <string_view>

#include "sandbox/kubernetes/api/admission.h"

namespace instantstart::sandbox::kubernetes {

/// `before` is nullptr for a new Service. Fills in what isn't given; refuses what another Service has.
Outcome<json::object> with_addresses(AdmissionParts parts, std::string_view cluster,
                                     const json::object* before, json::object service);

/// The first address of the range: the Service "kubernetes" has it.
std::string first_service_address(std::string_view service_cidr);

}  // namespace instantstart::sandbox::kubernetes
