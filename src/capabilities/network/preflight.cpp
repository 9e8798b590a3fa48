#include "capabilities/network/preflight.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/core.h>

#include "aws/arn.h"
#include "aws/pagination.h"
#include "aws/shapes/ec2.h"
#include "aws/shapes/eks.h"
#include "aws/shapes/iam.h"
#include "aws/shapes/service_quotas.h"
#include "aws/shapes/sts.h"
#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/catalog/offers.h"

namespace instantstart::capabilities {
namespace {

namespace ec2 = aws::ec2;
namespace eks = aws::eks;
namespace iam = aws::iam;
namespace quotas = aws::service_quotas;

/// EKS wants so many free addresses in each of its subnets (EKS user guide, "Subnet requirements for
/// clusters").
constexpr std::int64_t k_least_free_addresses = 6;

/// The calls that CloudFormation makes in the caller's name; the first that is denied would fail the stack.
const std::vector<std::string>& needed_actions() {
  static const std::vector<std::string> k_actions{"cloudformation:CreateStack",
                                                  "cloudformation:DescribeStacks",
                                                  "cloudformation:DescribeStackEvents",
                                                  "ec2:CreateVpc",
                                                  "ec2:CreateSubnet",
                                                  "ec2:CreateRouteTable",
                                                  "ec2:CreateRoute",
                                                  "ec2:CreateInternetGateway",
                                                  "ec2:AllocateAddress",
                                                  "ec2:CreateNatGateway",
                                                  "ec2:CreateVpcEndpoint",
                                                  "ec2:CreateSecurityGroup",
                                                  "ec2:AuthorizeSecurityGroupIngress",
                                                  "ec2:AuthorizeSecurityGroupEgress",
                                                  "ec2:CreateTags",
                                                  "iam:CreateRole",
                                                  "iam:TagRole",
                                                  "iam:AttachRolePolicy",
                                                  "iam:PassRole",
                                                  "eks:CreateCluster",
                                                  "eks:TagResource",
                                                  "eks:DescribeCluster",
                                                  "eks:CreateAddon",
                                                  "eks:CreateAccessEntry"};
  return k_actions;
}

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

bool may_be_left_out(const Error& error) {
  return error.code == codes::access_denied || error.code == codes::not_found;
}

void add_block(std::vector<domain::Cidr>& blocks, const std::optional<std::string>& text) {
  if (!text) return;
  if (const auto block = domain::Cidr::parse(*text)) blocks.push_back(*block);
}

void add_vpc(std::vector<domain::Cidr>& blocks, const ec2::Vpc& vpc) {
  add_block(blocks, vpc.cidr_block);
  for (const auto& more : aws::items(vpc.cidr_block_association_set)) add_block(blocks, more.cidr_block);
}

void add_peer(std::vector<domain::Cidr>& blocks, const std::optional<ec2::VpcPeeringConnectionVpcInfo>& vpc) {
  if (!vpc) return;
  add_block(blocks, vpc->cidr_block);
  for (const auto& more : aws::items(vpc->cidr_block_set)) add_block(blocks, more.cidr_block);
}

Task<> add_networks(aws::Client& client, Preflight& found, net::Deadline deadline) {
  auto vpcs =
      co_await aws::collect<ec2::DescribeVpcs>(client, {}, &ec2::DescribeVpcsResult::vpcs, until(deadline));
  if (!vpcs) co_return fail(within("List VPCs", vpcs.error()));
  for (const auto& vpc : *vpcs) add_vpc(found.facts.taken, vpc);
  found.budgets.push_back({"VPCs in the region", std::nullopt, static_cast<std::int64_t>(vpcs->size()), 1});
  auto peers = co_await aws::collect<ec2::DescribeVpcPeeringConnections>(
      client, {}, &ec2::DescribeVpcPeeringConnectionsResult::vpc_peering_connections, until(deadline));
  if (!peers) co_return fail(within("List VPC peering connections", peers.error()));
  for (const auto& peer : *peers) {
    add_peer(found.facts.taken, peer.requester_vpc_info);
    add_peer(found.facts.taken, peer.accepter_vpc_info);
  }
  co_return Result<>{};
}

Task<> add_zones(aws::Client& client, Preflight& found, net::Deadline deadline) {
  auto zones = co_await client.call<ec2::DescribeAvailabilityZones>({}, until(deadline));
  if (!zones) co_return fail(within("List zones", zones.error()));
  for (const auto& zone : to_zones(aws::items(zones->availability_zones), nullptr)) {
    if (zone.control_plane && zone.state == "available") found.facts.zones.push_back(zone.name);
  }
  co_return Result<>{};
}

Task<> add_versions(aws::Client& client, Preflight& found, net::Deadline deadline) {
  auto versions = co_await aws::collect<eks::DescribeClusterVersions>(
      client, {}, &eks::DescribeClusterVersionsResponse::cluster_versions, until(deadline));
  if (!versions && may_be_left_out(versions.error())) {
    found.warnings.push_back("EKS's Kubernetes versions could not be read, so the version is not checked.");
    co_return Result<>{};
  }
  if (!versions) co_return fail(within("List Kubernetes versions", versions.error()));
  for (const auto& version : *versions) {
    found.facts.versions.push_back(version.cluster_version.value_or(""));
    if (version.default_version.value_or(false)) found.facts.default_version = found.facts.versions.back();
  }
  co_return Result<>{};
}

Task<> add_quota(aws::Client& client, Preflight& found, std::string service, std::string code,
                 std::size_t budget, net::Deadline deadline) {
  quotas::GetServiceQuotaRequest input;
  input.service_code = std::move(service);
  input.quota_code = std::move(code);
  auto quota = co_await client.call<quotas::GetServiceQuota>(std::move(input), until(deadline));
  if (!quota && may_be_left_out(quota.error())) {
    found.warnings.push_back(fmt::format("The quota of {} could not be read.", found.budgets[budget].what));
    co_return Result<>{};
  }
  if (!quota) co_return fail(within("Read a quota", quota.error()));
  if (quota->quota && quota->quota->value) {
    found.budgets[budget].quota = static_cast<std::int64_t>(*quota->quota->value);
  }
  co_return Result<>{};
}

Task<> add_addresses(aws::Client& client, Preflight& found, std::int64_t needed, net::Deadline deadline) {
  auto addresses = co_await client.call<ec2::DescribeAddresses>({}, until(deadline));
  if (!addresses) co_return fail(within("List elastic addresses", addresses.error()));
  const auto used = static_cast<std::int64_t>(aws::items(addresses->addresses).size());
  found.budgets.push_back({"Elastic IP addresses", std::nullopt, used, needed});
  co_return co_await add_quota(client, found, "ec2", "L-0263D0A3", found.budgets.size() - 1, deadline);
}

Task<> add_clusters(aws::Client& client, Preflight& found, net::Deadline deadline) {
  auto clusters = co_await aws::collect<eks::ListClusters>(client, {}, &eks::ListClustersResponse::clusters,
                                                           until(deadline));
  if (!clusters) co_return fail(within("List EKS clusters", clusters.error()));
  found.budgets.push_back({"EKS clusters", std::nullopt, static_cast<std::int64_t>(clusters->size()), 1});
  co_return co_await add_quota(client, found, "eks", "L-1194D53C", found.budgets.size() - 1, deadline);
}

Task<> add_permissions(aws::Client& client, Identity identity, Preflight& found, net::Deadline deadline) {
  auto permissions = co_await look_at_permissions(client, std::move(identity), needed_actions(), deadline);
  if (!permissions) co_return fail(permissions.error());
  found.denied = std::move(permissions->denied);
  if (!permissions->checked) {
    found.warnings.push_back("The caller may not simulate its own policies, so permissions are not checked.");
  }
  co_return Result<>{};
}

Task<> add_existing_vpc(aws::Client& client, ExistingVpc vpc, Preflight& found, net::Deadline deadline) {
  ec2::DescribeSubnetsRequest input;
  input.subnet_ids.emplace();
  for (const auto& id : vpc.subnet_ids) input.subnet_ids->push_back(id.value);
  auto subnets = co_await aws::collect<ec2::DescribeSubnets>(
      client, std::move(input), &ec2::DescribeSubnetsResult::subnets, until(deadline));
  if (!subnets &&
      (subnets.error().code == codes::not_found || subnets.error().code == codes::invalid_request)) {
    found.problems.push_back({"/vpc/subnet_ids", "not_found", subnets.error().message, "", std::nullopt});
    co_return Result<>{};
  }
  if (!subnets) co_return fail(within("Look at the subnets", subnets.error()));
  std::set<std::string> zones;
  for (const auto& subnet : *subnets) {
    const std::string id = subnet.subnet_id.value_or("");
    const auto complain = [&](std::string rule, std::string message) {
      found.problems.push_back({"/vpc/subnet_ids", std::move(rule), std::move(message), id, std::nullopt});
    };
    if (subnet.vpc_id != vpc.vpc_id.value) complain("other_vpc", fmt::format("{} is in another VPC", id));
    if (!zone_takes_control_plane(subnet.availability_zone_id.value_or(""))) {
      complain("zones", fmt::format("{} is in a zone that EKS does not take", id));
    }
    if (subnet.available_ip_address_count.value_or(k_least_free_addresses) < k_least_free_addresses) {
      complain("free_addresses",
               fmt::format("{} has fewer than {} free addresses", id, k_least_free_addresses));
    }
    zones.insert(subnet.availability_zone.value_or(""));
  }
  if (zones.size() < 2) {
    found.problems.push_back({"/vpc/subnet_ids", "zones", "must be in at least two zones", "", std::nullopt});
  }
  co_return Result<>{};
}

Task<> add_own_network(aws::Client& client, const ControlPlaneCreate& request, Preflight& found,
                       net::Deadline deadline) {
  auto networks = co_await add_networks(client, found, deadline);
  if (!networks) co_return fail(networks.error());
  auto vpc_quota = co_await add_quota(client, found, "vpc", "L-F678F1CE", found.budgets.size() - 1, deadline);
  if (!vpc_quota) co_return fail(vpc_quota.error());
  auto zones = co_await add_zones(client, found, deadline);
  if (!zones) co_return fail(zones.error());
  const std::size_t wanted = request.zones ? request.zones->size() : 2;
  const bool each = request.nat == NatMode::per_zone;
  co_return co_await add_addresses(client, found, each ? static_cast<std::int64_t>(wanted) : 1, deadline);
}

}  // namespace

Task<Identity> look_at_identity(aws::Client& client, net::Deadline deadline) {
  auto caller = co_await client.call<aws::sts::GetCallerIdentity>({}, until(deadline));
  if (!caller) co_return fail(within("Find out who calls", caller.error()));
  Identity identity;
  identity.arn = caller->arn.value_or("");
  const auto arn = aws::parse_arn(identity.arn);
  if (!arn) co_return fail(within("Find out who calls", arn.error()));
  identity.place = {arn->partition, client.region(), caller->account.value_or(arn->account)};
  co_return identity;
}

Task<Permissions> look_at_permissions(aws::Client& client, Identity identity,
                                      std::vector<std::string> actions, net::Deadline deadline) {
  auto principal = simulated_principal(identity);
  if (!principal) co_return Permissions{};
  if (!principal->role_name.empty()) {
    iam::GetRoleRequest asked;
    asked.role_name = principal->role_name;
    auto role = co_await client.call<iam::GetRole>(std::move(asked), until(deadline));
    if (!role && !may_be_left_out(role.error()))
      co_return fail(within("Look at the caller's role", role.error()));
    if (role && role->role) principal->arn = role->role->arn.value_or(principal->arn);
  }
  iam::SimulatePrincipalPolicyRequest input;
  input.policy_source_arn = principal->arn;
  input.action_names = std::move(actions);
  auto results = co_await aws::collect<iam::SimulatePrincipalPolicy>(
      client, std::move(input), &iam::SimulatePolicyResponse::evaluation_results, until(deadline));
  if (!results && may_be_left_out(results.error())) co_return Permissions{.denied = {}, .checked = false};
  if (!results) co_return fail(within("Check permissions", results.error()));
  Permissions permissions;
  for (const auto& result : *results) {
    if (result.eval_decision == "allowed") continue;
    // What depends on resources or conditions that a simulation doesn't know may still be allowed.
    if (!aws::items(result.missing_context_values).empty()) continue;
    permissions.denied.push_back(result.eval_action_name.value_or(""));
  }
  co_return permissions;
}

Task<Preflight> look_around(aws::Client& client, Identity identity, ControlPlaneCreate request,
                            net::Deadline deadline) {
  Preflight found;
  auto versions = co_await add_versions(client, found, deadline);
  if (!versions) co_return fail(versions.error());
  if (request.vpc) {
    auto vpc = co_await add_existing_vpc(client, *request.vpc, found, deadline);
    if (!vpc) co_return fail(vpc.error());
  } else {
    auto network = co_await add_own_network(client, request, found, deadline);
    if (!network) co_return fail(network.error());
  }
  auto clusters = co_await add_clusters(client, found, deadline);
  if (!clusters) co_return fail(clusters.error());
  auto permissions = co_await add_permissions(client, std::move(identity), found, deadline);
  if (!permissions) co_return fail(permissions.error());
  co_return found;
}

std::vector<FieldProblem> preflight_problems(const Preflight& preflight) {
  std::vector<FieldProblem> problems = preflight.problems;
  if (!preflight.denied.empty()) {
    problems.push_back({"", std::string(codes::access_denied),
                        "needs permissions that the caller does not have: " + join(preflight.denied, ", "),
                        "", std::nullopt});
  }
  for (const auto& budget : preflight.budgets) {
    if (!budget.quota || budget.used + budget.needed <= *budget.quota) continue;
    problems.push_back({"", std::string(codes::quota_exceeded),
                        fmt::format("needs {} more of {}, and {} of {} are in use", budget.needed,
                                    budget.what, budget.used, *budget.quota),
                        "", std::nullopt});
  }
  return problems;
}

std::optional<Error> to_error(std::vector<FieldProblem> problems) {
  if (problems.empty()) return std::nullopt;
  const auto has = [&](std::string_view rule) {
    return std::ranges::count(problems, rule, &FieldProblem::rule) > 0;
  };
  const bool of_request =
      std::ranges::any_of(problems, [](const FieldProblem& problem) { return !problem.pointer.empty(); });
  const bool denied = has(codes::access_denied);
  Error error = invalid_request(std::move(problems));
  if (!of_request) {
    error.code = denied ? codes::access_denied : codes::quota_exceeded;
    error.message = "The creation " + error.problems.front().message + ".";
  }
  return error;
}

std::optional<Principal> simulated_principal(const Identity& identity) {
  const auto arn = aws::parse_arn(identity.arn);
  if (!arn) return std::nullopt;
  if (arn->service == "iam" && arn->resource.starts_with("user/")) return Principal{identity.arn, ""};
  const auto pieces = split(arn->resource, '/');
  if (arn->service != "sts" || pieces.size() < 2 || pieces[0] != "assumed-role") return std::nullopt;
  return Principal{domain::global_arn(identity.place, "iam", fmt::format("role/{}", pieces[1])),
                   std::string(pieces[1])};
}

}  // namespace instantstart::capabilities
