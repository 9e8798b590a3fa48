#include "sandbox/services/eks/addons.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "sandbox/core/arn.h"
#include "sandbox/core/record.h"
#include "sandbox/services/eks/addon_rules.h"
#include "sandbox/services/eks/client_tokens.h"
#include "sandbox/services/eks/cluster_updates.h"
#include "sandbox/services/eks/errors.h"
#include "sandbox/services/eks/paging.h"
#include "sandbox/services/eks/pod_identities.h"
#include "sandbox/services/eks/tags.h"

namespace instantstart::sandbox::eks {
namespace {

using aws::eks::Addon;

constexpr milliseconds k_between_polls = std::chrono::seconds(15);
/// How often an add-on's health is asked until it is called DEGRADED.
constexpr std::int64_t k_most_polls = 12;
constexpr milliseconds k_time_to_delete = std::chrono::seconds(30);

/// What an add-on can't get over by waiting: its installation failed.
constexpr std::array<std::string_view, 6> k_final_codes{
    "AccessDenied",           "AddonPermissionFailure", "AddonSubscriptionNeeded",
    "AdmissionRequestDenied", "ConfigurationConflict",  "K8sResourceNotFound"};

aws::eks::AddonHealth health_of(const std::vector<std::pair<std::string, std::string>>& issues) {
  std::vector<aws::eks::AddonIssue> list;
  for (const auto& [code, message] : issues) {
    list.push_back({.code = code, .message = message, .resource_ids = std::vector<std::string>{}});
  }
  return {.issues = std::move(list)};
}

AddonHealth ask_health(const State& state, const std::string& key) {
  const auto* internals = state.addon_internals.find(key);
  const auto* cluster = state.cluster_internals.find(internals->cluster_key);
  return state.host.addon_health(cluster->id, *state.addons.find(key)->addon_name);
}

void apply(State& state, const std::string& key, const Addon& addon) {
  const auto* internals = state.addon_internals.find(key);
  const auto* cluster = state.cluster_internals.find(internals->cluster_key);
  state.host.apply_addon(cluster->id,
                         {.name = *addon.addon_name,
                          .version = *addon.addon_version,
                          .service_account_role_arn = addon.service_account_role_arn.value_or(""),
                          .configuration = addon.configuration_values.value_or(""),
                          .overwrite = internals->overwrite});
}

Addon shown(const State& state, const std::string& key) {
  Addon addon = *state.addons.find(key);
  addon.tags = tags_of(state, addon.addon_arn);
  if (!addon.health) addon.health = health_of({});
  if (addon.status != "ACTIVE") return addon;
  const auto health = ask_health(state, key);
  if (health.healthy) return addon;
  addon.status = "DEGRADED";
  addon.health = health_of({{health.code, health.message}});
  return addon;
}

void forget(State& state, const std::string& key) {
  const std::string arn = *state.addons.find(key)->addon_arn;
  const std::string cluster_key = state.addon_internals.find(key)->cluster_key;
  forget_owned(state, cluster_key, arn);
  state.world.cancel_timer(k_addon_timer, key);
  state.tags.erase(arn);
  state.creation_tokens.erase(arn);
  state.addon_targets.erase(key);
  state.addon_internals.erase(key);
  state.addons.erase(key);
}

void finish_deletion(State& state, const std::string& key) {
  const AddonInternals internals = *state.addon_internals.find(key);
  const std::string name = *state.addons.find(key)->addon_name;
  if (!internals.preserve) {
    state.host.remove_addon(state.cluster_internals.find(internals.cluster_key)->id, name);
  }
  forget(state, key);
}

/// The change under way ends: well, or with an issue.
void settle(State& state, const std::string& key, std::optional<std::pair<std::string, std::string>> issue) {
  const bool is_update = state.addons.find(key)->status == "UPDATING";
  const auto update_key = state.addon_internals.find(key)->update_key;
  if (const auto* target = state.addon_targets.find(key); target && !issue) {
    state.addons.put(key, Addon(*target));
  }
  state.addon_targets.erase(key);
  state.addons.edit(key, [&](Addon& addon) {
    addon.status = !issue ? "ACTIVE" : is_update ? "UPDATE_FAILED" : "CREATE_FAILED";
    addon.health = issue ? health_of({*issue}) : health_of({});
    addon.modified_at = timestamp(state.world.now());
  });
  state.addon_internals.edit(key, [](AddonInternals& internals) {
    internals.failure_code.reset();
    internals.failure_message.reset();
    internals.update_key.reset();
    internals.polls = 0;
  });
  if (!update_key) return;
  std::optional<aws::eks::ErrorDetail> failure;
  if (issue) {
    failure = aws::eks::ErrorDetail{.error_code = issue->first,
                                    .error_message = issue->second,
                                    .resource_ids = std::vector<std::string>{}};
  }
  end_update(state, *update_key, std::move(failure));
}

void poll(State& state, const std::string& key) {
  const AddonInternals internals = *state.addon_internals.find(key);
  if (internals.failure_code) {
    return settle(state, key, std::pair(*internals.failure_code, internals.failure_message.value_or("")));
  }
  const auto health = ask_health(state, key);
  if (!health.healthy && std::ranges::find(k_final_codes, health.code) != k_final_codes.end()) {
    return settle(state, key, std::pair(health.code, health.message));
  }
  if (health.healthy || internals.polls + 1 >= k_most_polls) return settle(state, key, std::nullopt);
  state.addon_internals.edit(key, [](AddonInternals& record) { ++record.polls; });
  state.world.set_timer(k_addon_timer, key, k_between_polls);
}

/// Makes the associations that the add-on owns; their ARNs.
std::vector<std::string> make_identities(State& state, const AddonKind& kind, const AddonPlace& place,
                                         const std::string& owner, const AddonIdentities& identities) {
  std::vector<std::string> arns;
  for (const auto& identity : identities) {
    arns.push_back(make_association(state, {.region = place.region,
                                            .cluster_name = place.cluster_name,
                                            .namespace_name = std::string(kind.namespace_name),
                                            .service_account = *identity.service_account,
                                            .role_arn = *identity.role_arn,
                                            .owner_arn = owner}));
  }
  return arns;
}

/// All but the version.
std::optional<AwsFault> refuse_addon(const State& state, const Call& call, const AddonKind& kind,
                                     const AddonVersion& version, const aws::eks::CreateAddonRequest& in) {
  const AddonPlace place{call.region, *in.cluster_name, *in.addon_name};
  const Subject subject{.cluster = *in.cluster_name, .addon = *in.addon_name};
  if (in.resolve_conflicts == "PRESERVE") {
    return invalid_parameter("The resolveConflicts option PRESERVE is not supported when creating an addon",
                             subject)
        .error();
  }
  if (in.namespace_config && in.namespace_config->namespace_.value_or("") != kind.namespace_name) {
    return not_simulated("namespaces of add-ons other than the default one", subject).error();
  }
  if (auto refusal = refuse_configuration(in.configuration_values, place)) return refusal;
  if (version.needs_configuration && in.configuration_values.value_or("").empty()) {
    return invalid_parameter(
               fmt::format("ConfigurationValue is required for addon version: {}", version.version), subject)
        .error();
  }
  if (auto refusal =
          refuse_identities(state, kind, version, aws::items(in.pod_identity_associations), "", place)) {
    return refusal;
  }
  return refuse_tags(call, in.tags);
}

Addon make_record(State& state, const Call& call, const AddonKind& kind, const AddonVersion& version,
                  const aws::eks::CreateAddonRequest& in) {
  const auto now = timestamp(state.world.now());
  return {.addon_name = in.addon_name,
          .cluster_name = in.cluster_name,
          .status = "CREATING",
          .addon_version = std::string(version.version),
          .health = health_of({}),
          .addon_arn = make_arn(
              "eks", call.region, state.world.account(),
              fmt::format("addon/{}/{}/{}", *in.cluster_name, *in.addon_name, state.world.make_request_id())),
          .created_at = now,
          .modified_at = now,
          .service_account_role_arn = in.service_account_role_arn,
          .publisher = "eks",
          .owner = std::string(kind.owner),
          .configuration_values = in.configuration_values,
          .namespace_config =
              aws::eks::AddonNamespaceConfigResponse{.namespace_ = std::string(kind.namespace_name)}};
}

Reply<std::string> find_addon(const State& state, const Call& call, const std::string& cluster_name,
                              const std::string& addon_name) {
  const auto cluster = find_cluster(state, call.region, cluster_name);
  if (!cluster) return std::unexpected(cluster.error());
  std::string key = child_key(cluster_key(call.region, cluster_name), addon_name);
  if (state.addons.contains(key)) return key;
  return not_found(fmt::format("No addon: {} found in cluster: {}", addon_name, cluster_name),
                   {.cluster = cluster_name, .addon = addon_name});
}

bool is_on_its_way(const Addon& addon) {
  return addon.status == "CREATING" || addon.status == "UPDATING" || addon.status == "DELETING";
}

UpdateSpec spec_of(const aws::eks::UpdateAddonRequest& in, const AddonVersion& version) {
  UpdateSpec spec{.type = "AddonUpdate", .params = {{"AddonVersion", std::string(version.version)}}};
  if (in.service_account_role_arn)
    spec.params.emplace_back("ServiceAccountRoleArn", *in.service_account_role_arn);
  if (in.resolve_conflicts) spec.params.emplace_back("ResolveConflicts", *in.resolve_conflicts);
  if (in.configuration_values) spec.params.emplace_back("ConfigurationValues", *in.configuration_values);
  if (in.pod_identity_associations) {
    json::array list;
    for (const auto& identity : *in.pod_identity_associations) list.emplace_back(record_to_json(identity));
    spec.params.emplace_back("PodIdentityAssociations", to_text(json::value(std::move(list))));
  }
  return spec;
}

}  // namespace

void advance_addon(State& state, const std::string& key) {
  const Addon* addon = state.addons.find(key);
  if (!addon) return;
  if (addon->status == "DELETING") return finish_deletion(state, key);
  if (addon->status == "CREATING" || addon->status == "UPDATING") poll(state, key);
}

void cancel_addons(State& state, const std::string& cluster_key) {
  for (const auto& [key, addon] : state.addons.starting_with(cluster_key + "/")) {
    state.world.cancel_timer(k_addon_timer, key);
  }
}

void forget_addons(State& state, const std::string& cluster_key) {
  std::vector<std::string> keys;
  for (const auto& [key, addon] : state.addons.starting_with(cluster_key + "/")) keys.push_back(key);
  for (const auto& key : keys) forget(state, key);
}

Reply<aws::eks::CreateAddonResponse> create_addon(State& state, const Call& call,
                                                  const aws::eks::CreateAddonRequest& in) {
  const auto cluster = find_cluster(state, call.region, *in.cluster_name);
  if (!cluster) return std::unexpected(cluster.error());
  const Subject subject{.cluster = *in.cluster_name, .addon = *in.addon_name};
  const AddonPlace place{call.region, *in.cluster_name, *in.addon_name};
  const AddonKind* kind = find_addon_kind(*in.addon_name);
  if (!kind) return invalid_parameter("Addon specified is not supported", subject);
  const std::string owner_key = cluster_key(call.region, *in.cluster_name);
  const std::string key = child_key(owner_key, *in.addon_name);
  if (const Addon* present = state.addons.find(key)) {
    if (is_repeat(state, *present->addon_arn, in))
      return aws::eks::CreateAddonResponse{.addon = shown(state, key)};
    return in_use("Addon already exists.", subject);
  }
  if ((*cluster)->status != "ACTIVE" && (*cluster)->status != "UPDATING") {
    return invalid_request(fmt::format("Addon cannot be created because the cluster {} is currently {}",
                                       *in.cluster_name, *(*cluster)->status),
                           subject);
  }
  const auto version = checked_version(*kind, in.addon_version, *(*cluster)->version, place);
  if (!version) return std::unexpected(version.error());
  if (auto refusal = refuse_addon(state, call, *kind, **version, in))
    return std::unexpected(std::move(*refusal));

  Addon record = make_record(state, call, *kind, **version, in);
  const auto& identities = aws::items(in.pod_identity_associations);
  if (!identities.empty()) {
    record.pod_identity_associations = make_identities(state, *kind, place, *record.addon_arn, identities);
  }
  AddonInternals internals{.cluster_key = owner_key, .overwrite = in.resolve_conflicts == "OVERWRITE"};
  if (call.fails_later) {
    internals.failure_code = call.fails_later->code;
    internals.failure_message = call.fails_later->message;
  }
  state.tags.put(*record.addon_arn, {.tags = aws::items(in.tags)});
  remember_creation(state, *record.addon_arn, in);
  state.addon_internals.put(key, std::move(internals));
  state.addons.put(key, record);
  apply(state, key, record);
  state.world.set_timer(k_addon_timer, key, k_between_polls);
  return aws::eks::CreateAddonResponse{.addon = shown(state, key)};
}

Reply<aws::eks::DescribeAddonResponse> describe_addon(State& state, const Call& call,
                                                      const aws::eks::DescribeAddonRequest& in) {
  const auto key = find_addon(state, call, *in.cluster_name, *in.addon_name);
  if (!key) return std::unexpected(key.error());
  return aws::eks::DescribeAddonResponse{.addon = shown(state, *key)};
}

Reply<aws::eks::ListAddonsResponse> list_addons(State& state, const Call& call,
                                                const aws::eks::ListAddonsRequest& in) {
  const auto cluster = find_cluster(state, call.region, *in.cluster_name);
  if (!cluster) return std::unexpected(cluster.error());
  std::vector<std::pair<std::string, std::string>> sorted;
  const std::string prefix = cluster_key(call.region, *in.cluster_name) + "/";
  for (const auto& [key, addon] : state.addons.starting_with(prefix))
    sorted.emplace_back(key, *addon.addon_name);
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::eks::ListAddonsResponse{.addons = std::move(page->items),
                                      .next_token = std::move(page->next_token)};
}

Reply<aws::eks::UpdateAddonResponse> update_addon(State& state, const Call& call,
                                                  const aws::eks::UpdateAddonRequest& in) {
  const auto key = find_addon(state, call, *in.cluster_name, *in.addon_name);
  if (!key) return std::unexpected(key.error());
  const auto earlier = earlier_update(state, *key, in);
  if (!earlier) return std::unexpected(earlier.error());
  if (*earlier) return aws::eks::UpdateAddonResponse{.update = *state.updates.find(**earlier)};

  const Subject subject{.cluster = *in.cluster_name, .addon = *in.addon_name};
  const AddonPlace place{call.region, *in.cluster_name, *in.addon_name};
  Addon target = *state.addons.find(*key);
  const auto* cluster = state.clusters.find(cluster_key(call.region, *in.cluster_name));
  if (is_on_its_way(target) || cluster->status == "DELETING") {
    return in_use(fmt::format("Addon {} cannot be updated as it is currently in {} state", *in.addon_name,
                              is_on_its_way(target) ? *target.status : *cluster->status),
                  subject);
  }
  const AddonKind& kind = *find_addon_kind(*in.addon_name);
  const auto version = checked_version(kind, in.addon_version ? in.addon_version : target.addon_version,
                                       *cluster->version, place);
  if (!version) return std::unexpected(version.error());
  if (auto refusal = refuse_configuration(in.configuration_values, place)) {
    return std::unexpected(std::move(*refusal));
  }
  if (auto refusal = refuse_identities(state, kind, **version, aws::items(in.pod_identity_associations),
                                       *target.addon_arn, place)) {
    return std::unexpected(std::move(*refusal));
  }

  target.addon_version = std::string((*version)->version);
  if (in.service_account_role_arn) target.service_account_role_arn = in.service_account_role_arn;
  if (in.configuration_values) target.configuration_values = in.configuration_values;
  if (in.pod_identity_associations) {
    forget_owned(state, cluster_key(call.region, *in.cluster_name), *target.addon_arn);
    target.pod_identity_associations =
        make_identities(state, kind, place, *target.addon_arn, *in.pod_identity_associations);
    if (target.pod_identity_associations->empty()) target.pod_identity_associations.reset();
  }
  const std::string update_key = begin_update(state, *key, spec_of(in, **version));
  remember_update(state, *key, in, update_key);
  state.addon_internals.edit(*key, [&](AddonInternals& internals) {
    internals.overwrite = in.resolve_conflicts == "OVERWRITE";
    internals.polls = 0;
    internals.update_key = update_key;
    if (!call.fails_later) return;
    internals.failure_code = call.fails_later->code;
    internals.failure_message = call.fails_later->message;
  });
  state.addons.edit(*key, [&target](Addon& addon) {
    addon.status = "UPDATING";
    addon.pod_identity_associations = target.pod_identity_associations;
  });
  apply(state, *key, target);
  state.addon_targets.put(*key, std::move(target));
  state.world.set_timer(k_addon_timer, *key, k_between_polls);
  return aws::eks::UpdateAddonResponse{.update = *state.updates.find(update_key)};
}

Reply<aws::eks::DeleteAddonResponse> delete_addon(State& state, const Call& call,
                                                  const aws::eks::DeleteAddonRequest& in) {
  const auto key = find_addon(state, call, *in.cluster_name, *in.addon_name);
  if (!key) return std::unexpected(key.error());
  const Subject subject{.cluster = *in.cluster_name, .addon = *in.addon_name};
  const std::string status = *state.addons.find(*key)->status;
  if (status == "UPDATING") {
    return in_use(
        fmt::format("Addon {} cannot be deleted as it is currently in {} state", *in.addon_name, status),
        subject);
  }
  const bool is_cluster_going =
      state.clusters.find(cluster_key(call.region, *in.cluster_name))->status == "DELETING";
  if (status != "DELETING" && !is_cluster_going) {
    state.addon_internals.edit(*key, [&in](AddonInternals& internals) {
      internals.preserve = in.preserve.value_or(false);
      internals.failure_code.reset();
    });
    state.addons.edit(*key, [](Addon& addon) { addon.status = "DELETING"; });
    state.world.set_timer(k_addon_timer, *key, k_time_to_delete);
  }
  return aws::eks::DeleteAddonResponse{.addon = shown(state, *key)};
}

}  // namespace instantstart::sandbox::eks
