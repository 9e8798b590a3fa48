// Amounts as Kubernetes writes them ("resource.Quantity"), as numbers. Pure.
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace instantstart::capabilities {

/// "500m" → 0.5, "64Gi" → 68719476736. nullopt: it is none.
std::optional<double> parse_amount(std::string_view text);

/// "1.5 GiB", for people.
std::string bytes_in_words(double bytes);

}  // namespace instantstart::capabilities
