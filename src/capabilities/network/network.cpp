#include "capabilities/network/network.h"

#include <algorithm>

namespace instantstart::capabilities {
namespace {

constexpr double k_most_subnets = 16;       // EKS, CreateCluster; SageMaker takes as many.
constexpr double k_most_zones = 4;          // What the address plan of control_plane_choices.h has room for.
constexpr double k_most_access_cidrs = 40;  // EKS service quotas, "Public endpoint access CIDR ranges".
constexpr double k_most_administrators = 20;

/// Rules between members: pointers are relative to the request.
void check_create(const ControlPlaneCreate& request, std::vector<FieldProblem>& problems) {
  const auto excluded = [&](bool given, std::string_view pointer, std::string_view why) {
    if (given) problems.push_back({std::string(pointer), "not_together", std::string(why), "", std::nullopt});
  };
  if (request.vpc) {
    excluded(request.vpc_cidr.has_value(), "/vpc_cidr", "can't be chosen for an existing VPC");
    excluded(request.zones.has_value(), "/zones", "are those of the subnets of the existing VPC");
    excluded(request.nat.has_value(), "/nat", "is not made in an existing VPC");
    excluded(request.avoid_cidrs.has_value(), "/avoid_cidrs", "mean nothing for an existing VPC");
  }
  excluded(request.public_access_cidrs && request.endpoint_access == EndpointAccess::private_only,
           "/public_access_cidrs", "mean nothing without a public endpoint");
  if (request.zones) {
    for (std::size_t i = 0; i < request.zones->size(); ++i) {
      const auto& zone = (*request.zones)[i];
      if (std::ranges::count(*request.zones, zone) > 1) {
        problems.push_back({"/zones/" + std::to_string(i), "unique", "is named twice", "", std::nullopt});
      }
    }
  }
  if (request.vpc_cidr) {
    const auto block = domain::Cidr::parse(request.vpc_cidr->value);
    const auto why = block ? domain::why_no_vpc_block(*block) : std::nullopt;
    if (why) problems.push_back({"/vpc_cidr", "vpc_block", *why, request.vpc_cidr->value, std::nullopt});
  }
}

}  // namespace

Type describe(NatMode*) {
  return enum_type<NatMode>(
      "NatMode", "How private subnets reach the internet.",
      {{NatMode::single, {"single", "One NAT gateway for all zones: cheaper, and gone with its zone."}},
       {NatMode::per_zone, {"per_zone", "One NAT gateway in each zone."}}});
}

Type describe(EndpointAccess*) {
  return enum_type<EndpointAccess>(
      "EndpointAccess", "From where the Kubernetes API server is reached; who may use it is another matter.",
      {{EndpointAccess::public_and_private, {"public_and_private", "From the internet, and inside the VPC."}},
       {EndpointAccess::public_only, {"public_only", "From the internet; nodes go out to reach it."}},
       {EndpointAccess::private_only, {"private_only", "Inside the VPC only, and this program with it."}}});
}

Type describe(VpcId*) {
  return text_type<VpcId>("VpcId", "A VPC.",
                          {.min = 12, .max = 21, .pattern = Pattern("^vpc-[0-9a-f]{8}([0-9a-f]{9})?$")},
                          {"vpc-0123456789abcdef0"});
}

Type describe(SubnetId*) {
  return text_type<SubnetId>("SubnetId", "A subnet.",
                             {.min = 15, .max = 24, .pattern = Pattern("^subnet-[0-9a-f]{8}([0-9a-f]{9})?$")},
                             {"subnet-0123456789abcdef0"});
}

Type describe(PrincipalArn*) {
  return text_type<PrincipalArn>(
      "PrincipalArn", "The ARN of an IAM role or user, not of a session.",
      {.min = 20,
       .max = 2048,
       .pattern = Pattern("^arn:aws(-[a-z]+)*:iam::[0-9]{12}:(role|user)/[A-Za-z0-9_+=,.@/-]+$")},
      {"arn:aws:iam::123456789012:role/platform"});
}

Type describe(ExistingVpc*) {
  return object_type<ExistingVpc>(
      "ExistingVpc", "A VPC that exists already.",
      {field<&ExistingVpc::vpc_id>("vpc_id", "The VPC; it needs DNS support and DNS host names."),
       field<&ExistingVpc::subnet_ids>("subnet_ids",
                                       "Its subnets for the control plane, in at least two zones.",
                                       {.rule = {.min = 2, .max = k_most_subnets}})});
}

Type describe(ControlPlaneCreate*) {
  using Request = ControlPlaneCreate;
  return object_type<Request>(
      "ControlPlaneCreate", "What is left out is kept as it is, or chosen for a new cluster.",
      {field<&Request::name>("name", "The EKS cluster's name."),
       field<&Request::region>("region", "The region; the configured one when left out."),
       field<&Request::profile>("profile", "The AWS profile; the environment's when left out."),
       field<&Request::tag>("tag", "A friendly unique name; the EKS name when left out."),
       field<&Request::kubernetes_version>("kubernetes_version", "EKS's default version when left out."),
       field<&Request::vpc_cidr>(
           "vpc_cidr",
           "The VPC's block, with room for a /20 in each zone; the first /16 of 10.64.0.0/10 "
           "that overlaps nothing of the region when left out."),
       field<&Request::avoid_cidrs>("avoid_cidrs", "Ranges elsewhere, as on premises, that must stay apart.",
                                    {.rule = {.max = k_most_access_cidrs}}),
       field<&Request::zones>("zones", "At least two; the first two that EKS takes when left out.",
                              {.rule = {.min = 2, .max = k_most_zones}}),
       field<&Request::nat>("nat", "single when left out."),
       field<&Request::vpc>("vpc", "Put the control plane into this VPC and make no network."),
       field<&Request::endpoint_access>("endpoint_access", "public_and_private when left out."),
       field<&Request::public_access_cidrs>("public_access_cidrs",
                                            "Who reaches the public endpoint; everybody when left out.",
                                            {.rule = {.min = 1, .max = k_most_access_cidrs}}),
       field<&Request::administrators>("administrators",
                                       "Roles and users that administer the cluster, beside who creates it.",
                                       {.rule = {.max = k_most_administrators}})},
      check_create);
}

Type describe(ControlPlaneDelete*) {
  return object_type<ControlPlaneDelete>(
      "ControlPlaneDelete", "Which control plane goes.",
      {field<&ControlPlaneDelete::cluster>("cluster", "Key, tag or ARN."),
       field<&ControlPlaneDelete::profile>("profile",
                                           "The AWS profile, for a cluster that is not managed here.")});
}

Type describe(KubernetesVersionList*) {
  return object_type<KubernetesVersionList>(
      "KubernetesVersionList", "Which versions.",
      {field<&KubernetesVersionList::region>("region", "The region; the configured one when left out."),
       field<&KubernetesVersionList::profile>("profile", "The AWS profile; the environment's when left out."),
       field<&KubernetesVersionList::extended>(
           "extended", "Also those in extended support, at a higher price.", {.defaulted = true})});
}

Type describe(KubernetesVersionView*) {
  using View = KubernetesVersionView;
  return object_type<View>(
      "KubernetesVersionView", "A Kubernetes version of EKS.",
      {field<&View::version>("version", "The minor version."),
       field<&View::support>("support", "standard or extended."),
       field<&View::is_default>("is_default", "Whether new clusters get it when none is asked for."),
       field<&View::released_at>("released_at", "When EKS released it."),
       field<&View::standard_support_ends_at>("standard_support_ends_at", "When it begins to cost more."),
       field<&View::extended_support_ends_at>("extended_support_ends_at", "When EKS updates it by itself.")});
}

Type describe(KubernetesVersionListAnswer*) {
  return object_type<KubernetesVersionListAnswer>(
      "KubernetesVersionListAnswer", "Kubernetes versions, newest first.",
      {field<&KubernetesVersionListAnswer::region>("region", "The region that was asked."),
       field<&KubernetesVersionListAnswer::versions>("versions", "Newest first.")});
}

}  // namespace instantstart::capabilities
