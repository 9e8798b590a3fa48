// Access entries: which IAM principals may enter a cluster, and as whom.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

std::string entry_key(std::string_view cluster_key, std::string_view principal_arn);
/// Refuses clusters whose authentication mode is CONFIG_MAP.
Reply<const aws::eks::AccessEntry*> find_entry(const State& state, const Call& call,
                                               const std::string& cluster_name,
                                               const std::string& principal_arn);
/// The administrator's entry of who made the cluster, unless there is one; not in mode CONFIG_MAP.
void ensure_creator_entry(State& state, const std::string& cluster_key);
/// All of a cluster, with their policies.
void forget_entries(State& state, const std::string& cluster_key);
/// The user or role behind a caller: "arn:aws:sts::123456789012:assumed-role/dev/me" is
/// "arn:aws:iam::123456789012:role/team/dev".
std::string permanent_principal(const State& state, std::string_view caller_arn);

Reply<aws::eks::CreateAccessEntryResponse> create_access_entry(State& state, const Call& call,
                                                               const aws::eks::CreateAccessEntryRequest& in);
Reply<aws::eks::DescribeAccessEntryResponse> describe_access_entry(
    State& state, const Call& call, const aws::eks::DescribeAccessEntryRequest& in);
Reply<aws::eks::ListAccessEntriesResponse> list_access_entries(State& state, const Call& call,
                                                               const aws::eks::ListAccessEntriesRequest& in);
Reply<aws::eks::UpdateAccessEntryResponse> update_access_entry(State& state, const Call& call,
                                                               const aws::eks::UpdateAccessEntryRequest& in);
Reply<aws::eks::DeleteAccessEntryResponse> delete_access_entry(State& state, const Call& call,
                                                               const aws::eks::DeleteAccessEntryRequest& in);

}  // namespace instantstart::sandbox::eks
