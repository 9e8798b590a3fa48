// Pod identity associations: which IAM role the pods of a service account have.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// The one of a service account; nullptr when it has none.
const aws::eks::PodIdentityAssociation* find_association(const State& state, std::string_view cluster_key,
                                                         std::string_view namespace_name,
                                                         std::string_view service_account);
/// A role of the account that exists.
std::optional<AwsFault> refuse_pod_role(const State& state, const std::string& role_arn,
                                        const std::string& cluster_name);

struct AssociationSpec {
  std::string region;
  std::string cluster_name;
  std::string namespace_name;
  std::string service_account;
  std::string role_arn;
  std::optional<std::string> owner_arn = {};  ///< The add-on that it belongs to.
};
/// No checks. Its ARN; the rest of it may be edited in.
std::string make_association(State& state, const AssociationSpec& spec);
/// Those that an add-on owns.
void forget_owned(State& state, std::string_view cluster_key, const std::string& owner_arn);
/// All of a cluster.
void forget_pod_identities(State& state, std::string_view cluster_key);

Reply<aws::eks::CreatePodIdentityAssociationResponse> create_pod_identity_association(
    State& state, const Call& call, const aws::eks::CreatePodIdentityAssociationRequest& in);
Reply<aws::eks::DescribePodIdentityAssociationResponse> describe_pod_identity_association(
    State& state, const Call& call, const aws::eks::DescribePodIdentityAssociationRequest& in);
Reply<aws::eks::ListPodIdentityAssociationsResponse> list_pod_identity_associations(
    State& state, const Call& call, const aws::eks::ListPodIdentityAssociationsRequest& in);
Reply<aws::eks::UpdatePodIdentityAssociationResponse> update_pod_identity_association(
    State& state, const Call& call, const aws::eks::UpdatePodIdentityAssociationRequest& in);
Reply<aws::eks::DeletePodIdentityAssociationResponse> delete_pod_identity_association(
    State& state, const Call& call, const aws::eks::DeletePodIdentityAssociationRequest& in);

}  // namespace instantstart::sandbox::eks
