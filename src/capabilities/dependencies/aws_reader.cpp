#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "aws/pagination.h"
#include "aws/shapes/eks.h"
#include "aws/shapes/iam.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/dependencies/component_reader.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

namespace eks = aws::eks;
namespace iam = aws::iam;

/// What service accounts' tokens are made for; without it STS takes none of them.
constexpr std::string_view k_audience = "sts.amazonaws.com";

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

std::map<std::string, std::string> to_map(const std::optional<std::vector<iam::Tag>>& tags) {
  std::map<std::string, std::string> found;
  for (const auto& tag : aws::items(tags)) found[tag.key.value_or("")] = tag.value.value_or("");
  return found;
}

AddonSeen to_seen(const eks::Addon& addon, const ClusterTarget& cluster) {
  AddonSeen seen{.exists = true,
                 .status = addon.status.value_or(""),
                 .version = addon.addon_version.value_or(""),
                 .maker = maker_of(aws::items(addon.tags), cluster)};
  if (!addon.health) return seen;
  for (const auto& issue : aws::items(addon.health->issues)) {
    seen.issues.push_back({issue.code.value_or(""), without_controls(issue.message.value_or(""))});
  }
  return seen;
}

/// The default for the version, else the newest that fits.
std::string version_for(const std::vector<eks::AddonInfo>& addons, const std::string& kubernetes_version) {
  std::string newest;
  for (const auto& addon : addons) {
    for (const auto& version : aws::items(addon.addon_versions)) {
      for (const auto& fit : aws::items(version.compatibilities)) {
        if (fit.cluster_version.value_or("") != kubernetes_version) continue;
        if (fit.default_version.value_or(false)) return version.addon_version.value_or("");
        if (newest.empty()) newest = version.addon_version.value_or("");  // EKS lists the newest first.
      }
    }
  }
  return newest;
}

kube::ResourceType type_of_evidence(const Evidence& evidence) {
  return {.gvk = {std::string(evidence.group), std::string(evidence.version), std::string(evidence.kind)},
          .plural = std::string(evidence.plural),
          .namespaced = !evidence.space.empty()};
}

}  // namespace

Result<aws::Client*> ComponentReader::aws_client(const ClusterTarget& cluster) const {
  auto account = accounts_.get(cluster.profile, cluster.region);
  if (!account) return fail(account.error());
  return &(*account)->client();
}

Task<AddonSeen> ComponentReader::addon(ClusterTarget cluster, const Component& component,
                                       net::Deadline deadline) const {
  auto client = aws_client(cluster);
  if (!client) co_return fail(client.error());
  auto opened = co_await kubernetes(cluster, deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  const std::string name(component.addon);
  auto described = co_await (*client)->call<eks::DescribeAddon>(
      {.cluster_name = cluster.name, .addon_name = name}, until(deadline));
  if (!described && described.error().code != codes::not_found) {
    co_return fail(within("Look at the add-on " + name, described.error()));
  }
  AddonSeen seen;
  if (described && described->addon) seen = to_seen(*described->addon, cluster);
  auto nodes = co_await has_nodes(api, deadline);
  if (!nodes) co_return fail(nodes.error());
  seen.nodes = *nodes;
  if (seen.exists || !component.evidence) co_return seen;
  const Evidence& evidence = *component.evidence;
  const kube::ObjectName id{std::string(evidence.space), std::string(evidence.name)};
  auto there = co_await api->client().get(type_of_evidence(evidence), id, deadline);
  if (there) {
    seen.installed_otherwise = fmt::format("{} {}", evidence.kind, evidence.name);
  } else if (there.error().code != codes::not_found) {
    co_return fail(within(fmt::format("Look for {} {}", evidence.kind, evidence.name), there.error()));
  }
  co_return seen;
}

Task<std::string> ComponentReader::wanted_version(ClusterTarget cluster, std::string addon,
                                                  net::Deadline deadline) const {
  auto client = aws_client(cluster);
  if (!client) co_return fail(client.error());
  auto opened = co_await kubernetes(cluster, deadline);
  if (!opened) co_return fail(opened.error());
  const std::string kubernetes_version = (*opened)->description().kubernetes_version;
  eks::DescribeAddonVersionsRequest request{.kubernetes_version = kubernetes_version, .addon_name = addon};
  auto addons = co_await aws::collect<eks::DescribeAddonVersions>(
      **client, std::move(request), &eks::DescribeAddonVersionsResponse::addons, until(deadline));
  if (!addons && addons.error().code == codes::not_found) co_return std::string();
  if (!addons) co_return fail(within("List the versions of the add-on " + addon, addons.error()));
  co_return version_for(*addons, kubernetes_version);
}

Task<OidcSeen> ComponentReader::oidc_provider(ClusterTarget cluster, net::Deadline deadline) const {
  auto client = aws_client(cluster);
  if (!client) co_return fail(client.error());
  auto opened = co_await kubernetes(cluster, deadline);
  if (!opened) co_return fail(opened.error());
  OidcSeen seen{.issuer = (*opened)->description().oidc_issuer};
  if (seen.issuer.empty()) co_return seen;
  auto listed = co_await (*client)->call<iam::ListOpenIDConnectProviders>({}, until(deadline));
  if (!listed) co_return fail(within("List the OIDC providers", listed.error()));
  const auto arn = oidc_provider_arn(cluster, seen.issuer);
  for (const auto& entry : aws::items(listed->open_id_connect_provider_list)) {
    if (entry.arn == arn) seen.arn = arn;
  }
  if (!seen.arn) co_return seen;
  auto got = co_await (*client)->call<iam::GetOpenIDConnectProvider>({.open_id_connect_provider_arn = arn},
                                                                     until(deadline));
  if (!got && got.error().code == codes::not_found) {
    seen.arn.reset();
    co_return seen;
  }
  if (!got) co_return fail(within("Look at the OIDC provider", got.error()));
  const auto& audiences = aws::items(got->client_id_list);
  seen.has_audience = std::ranges::find(audiences, k_audience) != audiences.end();
  seen.maker = maker_of(to_map(got->tags), cluster);
  co_return seen;
}

Task<RoleSeen> ComponentReader::role(ClusterTarget cluster, std::string role_name, net::Deadline deadline,
                                     std::string policy) const {
  auto client = aws_client(cluster);
  if (!client) co_return fail(client.error());
  auto got = co_await (*client)->call<iam::GetRole>({.role_name = role_name}, until(deadline));
  if (!got && got.error().code == codes::not_found) co_return RoleSeen{};
  if (!got) co_return fail(within("Look at the role " + role_name, got.error()));
  const iam::Role role = got->role.value_or(iam::Role{});
  RoleSeen seen{.arn = role.arn.value_or(""),
                .trusts_pods = is_pod_role_trust(role.assume_role_policy_document.value_or(""), cluster),
                .maker = maker_of(to_map(role.tags), cluster)};
  if (policy.empty()) co_return seen;
  auto attached = co_await aws::collect<iam::ListAttachedRolePolicies>(
      **client, iam::ListAttachedRolePoliciesRequest{.role_name = role_name},
      &iam::ListAttachedRolePoliciesResponse::attached_policies, until(deadline));
  if (!attached && attached.error().code == codes::not_found) co_return RoleSeen{};
  if (!attached) co_return fail(within("List the policies of the role " + role_name, attached.error()));
  const auto arn = pod_policy_arn(cluster, policy);
  seen.has_policy = std::ranges::any_of(
      *attached, [&](const iam::AttachedPolicy& one) { return one.policy_arn.value_or("") == arn; });
  co_return seen;
}

Task<AssociationSeen> ComponentReader::association(ClusterTarget cluster, std::string space,
                                                   std::string service_account,
                                                   net::Deadline deadline) const {
  auto client = aws_client(cluster);
  if (!client) co_return fail(client.error());
  eks::ListPodIdentityAssociationsRequest request{
      .cluster_name = cluster.name, .namespace_ = space, .service_account = service_account};
  auto listed = co_await aws::collect<eks::ListPodIdentityAssociations>(
      **client, std::move(request), &eks::ListPodIdentityAssociationsResponse::associations, until(deadline));
  if (!listed) co_return fail(within("List the pod identities", listed.error()));
  AssociationSeen seen;
  for (const auto& summary : *listed) {
    if (summary.namespace_ == space && summary.service_account == service_account)
      seen.id = summary.association_id;
  }
  if (!seen.id) co_return seen;
  auto described = co_await (*client)->call<eks::DescribePodIdentityAssociation>(
      {.cluster_name = cluster.name, .association_id = seen.id}, until(deadline));
  if (!described && described.error().code == codes::not_found) co_return AssociationSeen{};
  if (!described) co_return fail(within("Look at the pod identity", described.error()));
  if (described->association) {
    seen.role_arn = described->association->role_arn.value_or("");
    seen.maker = maker_of(aws::items(described->association->tags), cluster);
  }
  co_return seen;
}

Task<ComponentSeen> ComponentReader::look(ClusterTarget cluster, const Component& component,
                                          std::string release, net::Deadline deadline) const {
  ComponentSeen seen;
  switch (component.how) {
    case How::objects: {
      auto found = co_await objects(cluster, component, release, deadline);
      if (!found) co_return fail(found.error());
      seen.objects = std::move(*found);
      break;
    }
    case How::oidc_provider: {
      auto found = co_await oidc_provider(cluster, deadline);
      if (!found) co_return fail(found.error());
      seen.oidc = std::move(*found);
      break;
    }
    case How::eks_addon: {
      auto found = co_await addon(cluster, component, deadline);
      if (!found) co_return fail(found.error());
      seen.addon = std::move(*found);
      auto wanted = co_await wanted_version(cluster, std::string(component.addon), deadline);
      if (!wanted) co_return fail(wanted.error());
      seen.wanted_version = std::move(*wanted);
      break;
    }
  }
  if (!component.identity) co_return seen;
  const auto name = pod_role_name(cluster, component.identity->purpose);
  if (!name) co_return fail(name.error());
  auto pod_role = co_await role(cluster, *name, deadline, std::string(component.identity->policy));
  if (!pod_role) co_return fail(pod_role.error());
  seen.role = std::move(*pod_role);
  auto pod_identity = co_await association(cluster, std::string(component.identity->space),
                                           std::string(component.identity->service_account), deadline);
  if (!pod_identity) co_return fail(pod_identity.error());
  seen.association = std::move(*pod_identity);
  co_return seen;
}

}  // namespace instantstart::capabilities
