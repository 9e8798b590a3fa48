#include "sandbox/services/eks/pod_identities.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/eks/client_tokens.h"
#include "sandbox/services/eks/errors.h"
#include "sandbox/services/eks/paging.h"
#include "sandbox/services/eks/principals.h"
#include "sandbox/services/eks/tags.h"

namespace instantstart::sandbox::eks {
namespace {

using aws::eks::PodIdentityAssociation;

/// "a-" and 17 letters and digits.
std::string make_association_id(World& world) {
  constexpr std::string_view k_alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::array<std::uint8_t, 17> bytes{};
  world.random().fill(bytes);
  std::string id = "a-";
  for (const auto byte : bytes) id += k_alphabet[byte % k_alphabet.size()];
  return id;
}

/// What restricts the role further is a JSON document, and session tags leave no room for it.
std::optional<AwsFault> refuse_policy(const std::optional<std::string>& policy, bool disables_tags,
                                      const Subject& subject) {
  if (!policy) return std::nullopt;
  const auto document = parse_json(*policy);
  if (!document || !document->is_object()) {
    return invalid_parameter("The policy is not a valid JSON document.", subject).error();
  }
  if (disables_tags) return std::nullopt;
  return invalid_parameter("A policy can only be specified when disableSessionTags is true.", subject)
      .error();
}

std::optional<AwsFault> refuse_target(const std::optional<std::string>& arn, const Subject& subject) {
  if (!arn) return std::nullopt;
  const auto principal = parse_principal(*arn);
  if (principal && principal->kind == PrincipalKind::role) return std::nullopt;
  return invalid_parameter("The targetRoleArn is not the ARN of a role.", subject).error();
}

Reply<const PodIdentityAssociation*> find(const State& state, const Call& call,
                                          const std::string& cluster_name, const std::string& id) {
  const auto cluster = find_cluster(state, call.region, cluster_name);
  if (!cluster) return std::unexpected(cluster.error());
  const auto* association = state.pod_identities.find(child_key(cluster_key(call.region, cluster_name), id));
  if (association) return association;
  return not_found(fmt::format("No association found with associationID: {}", shortened(id, 100)),
                   {.cluster = cluster_name});
}

std::optional<AwsFault> refuse_owned(const PodIdentityAssociation& association) {
  if (!association.owner_arn) return std::nullopt;
  return invalid_request(
             fmt::format("The association {} is owned by the add-on {}. Change it with the add-on.",
                         *association.association_id, *association.owner_arn),
             {.cluster = *association.cluster_name})
      .error();
}

PodIdentityAssociation shown(const State& state, PodIdentityAssociation association) {
  association.tags = tags_of(state, association.association_arn);
  return association;
}

void forget(State& state, const std::string& key) {
  const std::string arn = *state.pod_identities.find(key)->association_arn;
  state.tags.erase(arn);
  state.creation_tokens.erase(arn);
  state.pod_identities.erase(key);
}

std::optional<AwsFault> refuse_association(const State& state, const Call& call,
                                           const aws::eks::CreatePodIdentityAssociationRequest& in) {
  const Subject subject{.cluster = *in.cluster_name};
  if (in.namespace_->empty() || in.service_account->empty()) {
    return invalid_parameter("The namespace and the service account must not be empty.", subject).error();
  }
  if (auto refusal = refuse_pod_role(state, *in.role_arn, *in.cluster_name)) return refusal;
  if (auto refusal = refuse_target(in.target_role_arn, subject)) return refusal;
  if (auto refusal = refuse_policy(in.policy, in.disable_session_tags.value_or(false), subject))
    return refusal;
  if (auto refusal = refuse_tags(call, in.tags)) return refusal;
  std::size_t present = 0;
  const std::string prefix = cluster_key(call.region, *in.cluster_name) + "/";
  for ([[maybe_unused]] const auto& one : state.pod_identities.starting_with(prefix)) ++present;
  if (present < state.limits(call.region).pod_identity_associations) return std::nullopt;
  return fault("ResourceLimitExceededException",
               fmt::format("The limit of pod identity associations for the cluster is reached: {}", present),
               0, {{"clusterName", *in.cluster_name}})
      .error();
}

/// What a target role may ask for, so that only this association can use it.
std::string external_id(State& state, const PodIdentityAssociation& association) {
  return fmt::format("{}/{}/{}/{}", state.world.account(), *association.cluster_name,
                     *association.association_id, state.world.make_request_id());
}

}  // namespace

const PodIdentityAssociation* find_association(const State& state, std::string_view cluster_key,
                                               std::string_view namespace_name,
                                               std::string_view service_account) {
  for (const auto& [key, association] : state.pod_identities.starting_with(child_key(cluster_key, ""))) {
    if (association.namespace_ == namespace_name && association.service_account == service_account) {
      return &association;
    }
  }
  return nullptr;
}

std::optional<AwsFault> refuse_pod_role(const State& state, const std::string& role_arn,
                                        const std::string& cluster_name) {
  const Subject subject{.cluster = cluster_name};
  const auto principal = parse_principal(role_arn);
  if (!principal || principal->kind != PrincipalKind::role) {
    return invalid_parameter("The roleArn is not the ARN of a role.", subject).error();
  }
  if (principal->account != state.world.account()) {
    return invalid_parameter(
               "The role must be in the account of the cluster; use targetRoleArn for roles of "
               "other accounts.",
               subject)
        .error();
  }
  if (state.iam.find_role(role_arn)) return std::nullopt;
  return invalid_parameter("Role provided in the request does not exist.", subject).error();
}

std::string make_association(State& state, const AssociationSpec& spec) {
  const auto now = timestamp(state.world.now());
  const std::string id = make_association_id(state.world);
  std::string arn = make_arn("eks", spec.region, state.world.account(),
                             fmt::format("podidentityassociation/{}/{}", spec.cluster_name, id));
  state.pod_identities.put(child_key(cluster_key(spec.region, spec.cluster_name), id),
                           {.cluster_name = spec.cluster_name,
                            .namespace_ = spec.namespace_name,
                            .service_account = spec.service_account,
                            .role_arn = spec.role_arn,
                            .association_arn = arn,
                            .association_id = id,
                            .created_at = now,
                            .modified_at = now,
                            .owner_arn = spec.owner_arn,
                            .disable_session_tags = false});
  state.tags.put(arn, {});
  return arn;
}

void forget_owned(State& state, std::string_view cluster_key, const std::string& owner_arn) {
  std::vector<std::string> keys;
  for (const auto& [key, association] : state.pod_identities.starting_with(child_key(cluster_key, ""))) {
    if (association.owner_arn == owner_arn) keys.push_back(key);
  }
  for (const auto& key : keys) forget(state, key);
}

void forget_pod_identities(State& state, std::string_view cluster_key) {
  std::vector<std::string> keys;
  for (const auto& [key, one] : state.pod_identities.starting_with(child_key(cluster_key, ""))) {
    keys.push_back(key);
  }
  for (const auto& key : keys) forget(state, key);
}

Reply<aws::eks::CreatePodIdentityAssociationResponse> create_pod_identity_association(
    State& state, const Call& call, const aws::eks::CreatePodIdentityAssociationRequest& in) {
  const auto cluster = find_cluster(state, call.region, *in.cluster_name);
  if (!cluster) return std::unexpected(cluster.error());
  const std::string cluster_name_key = cluster_key(call.region, *in.cluster_name);
  if (const auto* present = find_association(state, cluster_name_key, *in.namespace_, *in.service_account)) {
    if (is_repeat(state, *present->association_arn, in)) {
      return aws::eks::CreatePodIdentityAssociationResponse{.association = shown(state, *present)};
    }
    return in_use(fmt::format("Association already exists: {}", *present->association_id),
                  {.cluster = *in.cluster_name});
  }
  if (auto refusal = refuse_association(state, call, in)) return std::unexpected(std::move(*refusal));
  const std::string arn = make_association(state, {.region = call.region,
                                                   .cluster_name = *in.cluster_name,
                                                   .namespace_name = *in.namespace_,
                                                   .service_account = *in.service_account,
                                                   .role_arn = *in.role_arn});
  const std::string key = child_key(cluster_name_key, arn.substr(arn.rfind('/') + 1));
  state.pod_identities.edit(key, [&](PodIdentityAssociation& record) {
    record.disable_session_tags = in.disable_session_tags.value_or(false);
    record.target_role_arn = in.target_role_arn;
    if (in.target_role_arn) record.external_id = external_id(state, record);
    record.policy = in.policy;
  });
  state.tags.put(arn, {.tags = aws::items(in.tags)});
  remember_creation(state, arn, in);
  return aws::eks::CreatePodIdentityAssociationResponse{.association =
                                                            shown(state, *state.pod_identities.find(key))};
}

Reply<aws::eks::DescribePodIdentityAssociationResponse> describe_pod_identity_association(
    State& state, const Call& call, const aws::eks::DescribePodIdentityAssociationRequest& in) {
  const auto association = find(state, call, *in.cluster_name, *in.association_id);
  if (!association) return std::unexpected(association.error());
  return aws::eks::DescribePodIdentityAssociationResponse{.association = shown(state, **association)};
}

Reply<aws::eks::ListPodIdentityAssociationsResponse> list_pod_identity_associations(
    State& state, const Call& call, const aws::eks::ListPodIdentityAssociationsRequest& in) {
  const auto cluster = find_cluster(state, call.region, *in.cluster_name);
  if (!cluster) return std::unexpected(cluster.error());
  std::vector<std::pair<std::string, aws::eks::PodIdentityAssociationSummary>> sorted;
  const std::string prefix = cluster_key(call.region, *in.cluster_name) + "/";
  for (const auto& [key, one] : state.pod_identities.starting_with(prefix)) {
    if (in.namespace_ && one.namespace_ != in.namespace_) continue;
    if (in.service_account && one.service_account != in.service_account) continue;
    sorted.emplace_back(key, aws::eks::PodIdentityAssociationSummary{.cluster_name = one.cluster_name,
                                                                     .namespace_ = one.namespace_,
                                                                     .service_account = one.service_account,
                                                                     .association_arn = one.association_arn,
                                                                     .association_id = one.association_id,
                                                                     .owner_arn = one.owner_arn});
  }
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::eks::ListPodIdentityAssociationsResponse{.associations = std::move(page->items),
                                                       .next_token = std::move(page->next_token)};
}

Reply<aws::eks::UpdatePodIdentityAssociationResponse> update_pod_identity_association(
    State& state, const Call& call, const aws::eks::UpdatePodIdentityAssociationRequest& in) {
  const auto association = find(state, call, *in.cluster_name, *in.association_id);
  if (!association) return std::unexpected(association.error());
  const Subject subject{.cluster = *in.cluster_name};
  if (auto refusal = refuse_owned(**association)) return std::unexpected(std::move(*refusal));
  if (in.role_arn) {
    if (auto refusal = refuse_pod_role(state, *in.role_arn, *in.cluster_name)) {
      return std::unexpected(std::move(*refusal));
    }
  }
  if (auto refusal = refuse_target(in.target_role_arn, subject)) return std::unexpected(std::move(*refusal));
  const bool disables_tags =
      in.disable_session_tags.value_or((*association)->disable_session_tags.value_or(false));
  const auto policy = in.policy ? in.policy : (*association)->policy;
  if (auto refusal = refuse_policy(policy, disables_tags, subject))
    return std::unexpected(std::move(*refusal));
  const std::string key = child_key(cluster_key(call.region, *in.cluster_name), *in.association_id);
  state.pod_identities.edit(key, [&](PodIdentityAssociation& record) {
    if (in.role_arn) record.role_arn = in.role_arn;
    record.disable_session_tags = disables_tags;
    record.policy = policy;
    if (in.target_role_arn) {
      record.target_role_arn = in.target_role_arn;
      if (!record.external_id) record.external_id = external_id(state, record);
    }
    record.modified_at = timestamp(state.world.now());
  });
  return aws::eks::UpdatePodIdentityAssociationResponse{.association =
                                                            shown(state, *state.pod_identities.find(key))};
}

Reply<aws::eks::DeletePodIdentityAssociationResponse> delete_pod_identity_association(
    State& state, const Call& call, const aws::eks::DeletePodIdentityAssociationRequest& in) {
  const auto association = find(state, call, *in.cluster_name, *in.association_id);
  if (!association) return std::unexpected(association.error());
  if (auto refusal = refuse_owned(**association)) return std::unexpected(std::move(*refusal));
  auto answer = shown(state, **association);
  forget(state, child_key(cluster_key(call.region, *in.cluster_name), *in.association_id));
  return aws::eks::DeletePodIdentityAssociationResponse{.association = std::move(answer)};
}

}  // namespace instantstart::sandbox::eks
