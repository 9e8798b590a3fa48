#include "sandbox/services/eks/addon_rules.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "sandbox/services/eks/errors.h"
#include "sandbox/services/eks/pod_identities.h"

namespace instantstart::sandbox::eks {
namespace {

Subject subject_of(const AddonPlace& place) {
  return {.cluster = place.cluster_name, .addon = place.addon_name};
}

}  // namespace

Reply<const AddonVersion*> checked_version(const AddonKind& kind, const std::optional<std::string>& asked,
                                           const std::string& kubernetes_version, const AddonPlace& place) {
  const std::string version = asked ? *asked : default_addon_version(kind.name, kubernetes_version);
  const auto* found = find_addon_version(kind, version, kubernetes_version);
  if (found) return found;
  return invalid_parameter("Addon version specified is not supported", subject_of(place));
}

std::optional<AwsFault> refuse_configuration(const std::optional<std::string>& text,
                                             const AddonPlace& place) {
  if (!text || text->empty()) return std::nullopt;
  const auto value = parse_json(*text);
  if (value && value->is_object()) return std::nullopt;
  constexpr std::string_view k_words = "ConfigurationValue provided in request is not supported: ";
  if (value) {
    return invalid_parameter(
               fmt::format("{}Json schema validation failed with error: [$: not an object]", k_words),
               subject_of(place))
        .error();
  }
  return invalid_parameter(fmt::format("{}the sandbox reads configuration values in JSON only. {}", k_words,
                                       value.error().message),
                           subject_of(place))
      .error();
}

std::optional<AwsFault> refuse_identities(const State& state, const AddonKind& kind,
                                          const AddonVersion& version, const AddonIdentities& identities,
                                          const std::string& owner, const AddonPlace& place) {
  if (identities.empty()) return std::nullopt;
  if (!version.takes_identity) {
    return invalid_parameter(
               fmt::format("Pod Identity feature is not supported for addon version: {}", version.version),
               subject_of(place))
        .error();
  }
  for (const auto& identity : identities) {
    if (!takes_role(kind, *identity.service_account)) {
      return invalid_parameter(fmt::format("Service account {} is not supported for the addon {}",
                                           shortened(*identity.service_account, 100), kind.name),
                               subject_of(place))
          .error();
    }
    if (auto refusal = refuse_pod_role(state, *identity.role_arn, place.cluster_name)) return refusal;
    const auto* present = find_association(state, cluster_key(place.region, place.cluster_name),
                                           kind.namespace_name, *identity.service_account);
    if (!present || (!owner.empty() && present->owner_arn == owner)) continue;
    return in_use(fmt::format("Association already exists: {}", *present->association_id), subject_of(place))
        .error();
  }
  return std::nullopt;
}

}  // namespace instantstart::sandbox::eks
