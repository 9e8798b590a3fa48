// Add-ons of clusters. EKS keeps what was asked for; the Kubernetes side makes it and says how it does.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

/// Keys are those of add-ons on their way.
inline constexpr std::string_view k_addon_timer = "eks.addon";
/// What the timer runs: looks at the add-on's health, or ends its deletion.
void advance_addon(State& state, const std::string& key);

/// Nothing happens to a cluster's add-ons any more.
void cancel_addons(State& state, const std::string& cluster_key);
/// All of a cluster that goes with everything in it.
void forget_addons(State& state, const std::string& cluster_key);

Reply<aws::eks::CreateAddonResponse> create_addon(State& state, const Call& call,
                                                  const aws::eks::CreateAddonRequest& in);
/// An add-on that is there but not healthy is DEGRADED for as long as it isn't, and nobody has to do anything
/// for it to become ACTIVE.
Reply<aws::eks::DescribeAddonResponse> describe_addon(State& state, const Call& call,
                                                      const aws::eks::DescribeAddonRequest& in);
Reply<aws::eks::ListAddonsResponse> list_addons(State& state, const Call& call,
                                                const aws::eks::ListAddonsRequest& in);
Reply<aws::eks::UpdateAddonResponse> update_addon(State& state, const Call& call,
                                                  const aws::eks::UpdateAddonRequest& in);
Reply<aws::eks::DeleteAddonResponse> delete_addon(State& state, const Call& call,
                                                  const aws::eks::DeleteAddonRequest& in);

}  // namespace instantstart::sandbox::eks
