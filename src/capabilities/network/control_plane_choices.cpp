#include "capabilities/network/control_plane_choices.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::capabilities {
namespace {

using domain::Cidr;

constexpr std::size_t k_default_zones = 2;
constexpr int k_vpc_prefix = 16;

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> all;
  if (text.empty()) return all;
  for (const auto part : split(text, ',')) all.emplace_back(part);
  return all;
}

template <class T>
std::vector<std::string> texts(const std::vector<T>& values) {
  std::vector<std::string> all;
  for (const auto& value : values) all.push_back(value.value);
  return all;
}

std::vector<std::string> sorted_once(std::vector<std::string> values) {
  std::ranges::sort(values);
  const auto rest = std::ranges::unique(values);
  values.erase(rest.begin(), rest.end());
  return values;
}

template <class E>
std::string word(E value) {
  return std::string(encode(value).as_string());
}

FieldProblem problem(std::string pointer, std::string rule, std::string message, std::string value,
                     std::optional<std::string> near = std::nullopt) {
  return {std::move(pointer), std::move(rule), std::move(message), std::move(value), std::move(near)};
}

/// EKS may want private nodes' service addresses in 10.100.0.0/16: the pool leaves it out.
std::optional<Cidr> free_vpc_block(std::vector<Cidr> avoid) {
  static const std::array k_pool{*Cidr::parse("10.64.0.0/10")};
  avoid.push_back(*Cidr::parse("10.100.0.0/16"));
  return domain::first_free(k_pool, k_vpc_prefix, avoid);
}

std::vector<Cidr> avoided(const ControlPlaneCreate& request, const PlaceFacts& facts) {
  std::vector<Cidr> all = facts.taken;
  if (!request.avoid_cidrs) return all;
  for (const auto& text : *request.avoid_cidrs) {
    if (const auto block = Cidr::parse(text.value)) all.push_back(*block);
  }
  return all;
}

void choose_zones(const ControlPlaneCreate& request, const PlaceFacts& facts, ControlPlaneChoices& choices,
                  std::vector<FieldProblem>& problems) {
  if (!request.zones) {
    if (facts.zones.size() < k_default_zones) {
      problems.push_back(
          problem("/zones", "zones",
                  fmt::format("needs {} zones that EKS takes, and the region has {} for this account",
                              k_default_zones, facts.zones.size()),
                  ""));
      return;
    }
    choices.zones.assign(facts.zones.begin(), facts.zones.begin() + k_default_zones);
    return;
  }
  choices.zones = texts(*request.zones);
  const std::vector<std::string_view> known(facts.zones.begin(), facts.zones.end());
  for (std::size_t i = 0; i < choices.zones.size(); ++i) {
    if (std::ranges::find(known, choices.zones[i]) != known.end()) continue;
    problems.push_back(problem(fmt::format("/zones/{}", i), "zones",
                               "is no zone of the region that EKS takes for a control plane",
                               choices.zones[i], nearest(choices.zones[i], known)));
  }
}

void choose_block(const ControlPlaneCreate& request, const PlaceFacts& facts, ControlPlaneChoices& choices,
                  std::vector<FieldProblem>& problems) {
  const auto avoid = avoided(request, facts);
  if (!request.vpc_cidr) {
    const auto block = free_vpc_block(avoid);
    if (block) {
      choices.vpc_cidr = to_text(*block);
    } else {
      problems.push_back(
          problem("/vpc_cidr", "required",
                  "must be given: every /16 of 10.64.0.0/10 overlaps a VPC, a peer or a range to avoid", ""));
    }
    return;
  }
  choices.vpc_cidr = request.vpc_cidr->value;
  const auto block = Cidr::parse(choices.vpc_cidr);
  if (!block) return;  // The type has said so.
  if (!address_plan(*block, choices.zones.size())) {
    problems.push_back(problem("/vpc_cidr", "too_small",
                               fmt::format("must have room for a /{} in each of {} zones, and one more",
                                           k_node_block_prefix, choices.zones.size()),
                               choices.vpc_cidr));
  }
  for (const auto& other : avoid) {
    if (!other.overlaps(*block)) continue;
    const auto free = free_vpc_block(avoid);
    problems.push_back(problem("/vpc_cidr", "overlap", "overlaps " + to_text(other), choices.vpc_cidr,
                               free ? std::optional(to_text(*free)) : std::nullopt));
    return;
  }
}

void choose_version(const ControlPlaneCreate& request, const PlaceFacts& facts, ControlPlaneChoices& choices,
                    std::vector<FieldProblem>& problems) {
  choices.kubernetes_version =
      request.kubernetes_version ? request.kubernetes_version->value : facts.default_version;
  if (choices.kubernetes_version.empty()) {
    problems.push_back(
        problem("/kubernetes_version", "required", "must be given: EKS's versions could not be read", ""));
    return;
  }
  if (facts.versions.empty() || std::ranges::count(facts.versions, choices.kubernetes_version) > 0) return;
  const std::vector<std::string_view> known(facts.versions.begin(), facts.versions.end());
  problems.push_back(problem("/kubernetes_version", "unknown_version",
                             "is none of EKS's versions in support: " + join(facts.versions, ", "),
                             choices.kubernetes_version, nearest(choices.kubernetes_version, known)));
}

/// What may be named again and changed.
void apply_changeable(const ControlPlaneCreate& request, ControlPlaneChoices& choices) {
  if (request.nat) choices.nat = *request.nat;
  if (request.endpoint_access) choices.endpoint_access = *request.endpoint_access;
  if (request.public_access_cidrs)
    choices.public_access_cidrs = sorted_once(texts(*request.public_access_cidrs));
  if (request.administrators) choices.administrators = sorted_once(texts(*request.administrators));
  if (choices.endpoint_access == EndpointAccess::private_only)
    choices.public_access_cidrs.clear();
  else if (choices.public_access_cidrs.empty())
    choices.public_access_cidrs = {"0.0.0.0/0"};
}

}  // namespace

Type describe(ControlPlaneChoices*) {
  using Choices = ControlPlaneChoices;
  return object_type<Choices>(
      "ControlPlaneChoices", "What a control plane is made of.",
      {field<&Choices::cluster_name>("cluster_name", "The EKS cluster's name."),
       field<&Choices::role_name>("role_name", "The name of its IAM role."),
       field<&Choices::kubernetes_version>("kubernetes_version", "The minor version."),
       field<&Choices::vpc_cidr>("vpc_cidr", "The VPC's block.", {.defaulted = true}),
       field<&Choices::zones>("zones", "The zones' names.", {.defaulted = true}),
       field<&Choices::nat>("nat", "NAT gateways.", {.defaulted = true}),
       field<&Choices::vpc_id>("vpc_id", "An existing VPC.", {.defaulted = true}),
       field<&Choices::subnet_ids>("subnet_ids", "Its subnets.", {.defaulted = true}),
       field<&Choices::endpoint_access>("endpoint_access", "From where it is reached.", {.defaulted = true}),
       field<&Choices::public_access_cidrs>("public_access_cidrs", "Who reaches it.", {.defaulted = true}),
       field<&Choices::administrators>("administrators", "Who administers it.", {.defaulted = true})});
}

Parameters to_parameters(const ControlPlaneChoices& choices) {
  Parameters parameters{{"ClusterName", choices.cluster_name},
                        {"RoleName", choices.role_name},
                        {"KubernetesVersion", choices.kubernetes_version},
                        {"EndpointAccess", word(choices.endpoint_access)},
                        {"PublicAccessCidrs", join(choices.public_access_cidrs, ",")},
                        {"Administrators", join(choices.administrators, ",")}};
  if (choices.existing_vpc()) {
    parameters["VpcId"] = choices.vpc_id;
    parameters["SubnetIds"] = join(choices.subnet_ids, ",");
  } else {
    parameters["VpcCidr"] = choices.vpc_cidr;
    parameters["Zones"] = join(choices.zones, ",");
    parameters["Nat"] = word(choices.nat);
  }
  return parameters;
}

Result<ControlPlaneChoices> from_parameters(const Parameters& parameters) {
  const auto text = [&](const char* key) {
    const auto found = parameters.find(key);
    return found == parameters.end() ? std::string() : found->second;
  };
  ControlPlaneChoices choices{.cluster_name = text("ClusterName"),
                              .role_name = text("RoleName"),
                              .kubernetes_version = text("KubernetesVersion"),
                              .vpc_cidr = text("VpcCidr"),
                              .zones = parts(text("Zones")),
                              .vpc_id = text("VpcId"),
                              .subnet_ids = parts(text("SubnetIds")),
                              .public_access_cidrs = parts(text("PublicAccessCidrs")),
                              .administrators = parts(text("Administrators"))};
  const auto access = parse_text<EndpointAccess>(text("EndpointAccess"));
  const auto nat = parse_text<NatMode>(choices.existing_vpc() ? "single" : text("Nat"));
  const bool network = choices.existing_vpc() ? !choices.subnet_ids.empty()
                                              : Cidr::parse(choices.vpc_cidr) && !choices.zones.empty();
  if (!access || !nat || !network || choices.cluster_name.empty() || choices.kubernetes_version.empty()) {
    return fail(codes::upstream_error, "The stack's parameters are not those of a control plane of ours.");
  }
  choices.endpoint_access = *access;
  choices.nat = *nat;
  return choices;
}

Result<ControlPlaneChoices> choose_new(const ControlPlaneCreate& request, const PlaceFacts& facts) {
  std::vector<FieldProblem> problems;
  ControlPlaneChoices choices{.cluster_name = request.name.value};
  choose_version(request, facts, choices, problems);
  if (request.vpc) {
    choices.vpc_id = request.vpc->vpc_id.value;
    choices.subnet_ids = sorted_once(texts(request.vpc->subnet_ids));
  } else {
    choose_zones(request, facts, choices, problems);
    choose_block(request, facts, choices, problems);
  }
  apply_changeable(request, choices);
  if (!problems.empty()) return fail(invalid_request(std::move(problems)));
  return choices;
}

Result<ControlPlaneChoices> choose_changed(const ControlPlaneCreate& request,
                                           const ControlPlaneChoices& existing) {
  std::vector<FieldProblem> problems;
  const auto fixed = [&](bool differs, std::string_view pointer, std::string current) {
    if (differs) {
      problems.push_back(problem(std::string(pointer), "immutable",
                                 "can't be changed once the control plane exists", "", std::move(current)));
    }
  };
  fixed(request.vpc_cidr && request.vpc_cidr->value != existing.vpc_cidr, "/vpc_cidr", existing.vpc_cidr);
  fixed(request.zones && sorted_once(texts(*request.zones)) != sorted_once(existing.zones), "/zones",
        join(existing.zones, ","));
  fixed(request.vpc && (request.vpc->vpc_id.value != existing.vpc_id ||
                        sorted_once(texts(request.vpc->subnet_ids)) != sorted_once(existing.subnet_ids)),
        "/vpc", existing.vpc_id);
  fixed(request.nat && existing.existing_vpc(), "/nat", "");
  ControlPlaneChoices choices = existing;
  apply_changeable(request, choices);
  if (request.kubernetes_version && request.kubernetes_version->value != existing.kubernetes_version) {
    const domain::KubernetesVersion from{{existing.kubernetes_version}};
    if (domain::may_update(from, *request.kubernetes_version)) {
      choices.kubernetes_version = request.kubernetes_version->value;
    } else {
      problems.push_back(problem("/kubernetes_version", "next_version",
                                 "can only be the next minor version after " + existing.kubernetes_version,
                                 request.kubernetes_version->value,
                                 fmt::format("1.{}", domain::minor_of(from) + 1)));
    }
  }
  if (!problems.empty()) return fail(invalid_request(std::move(problems)));
  return choices;
}

std::vector<std::string> differences(const ControlPlaneChoices& from, const ControlPlaneChoices& to) {
  std::vector<std::string> names;
  const auto before = encode(from).as_object();
  for (const auto& [name, value] : encode(to).as_object()) {
    const auto* old = before.if_contains(name);
    if (!old || *old != value) names.emplace_back(name);
  }
  return names;
}

std::optional<AddressPlan> address_plan(const Cidr& vpc, std::size_t zones) {
  if (vpc.count(k_node_block_prefix) < zones + 1) return std::nullopt;
  const auto ours = vpc.block(k_node_block_prefix, 0);
  AddressPlan plan;
  for (std::size_t i = 0; i < zones; ++i) {
    const auto outside = ours->block(k_subnet_prefix, i);
    const auto inside = ours->block(k_subnet_prefix, zones + i);
    if (!outside || !inside) return std::nullopt;
    plan.public_subnets.push_back(*outside);
    plan.private_subnets.push_back(*inside);
  }
  return plan;
}

}  // namespace instantstart::capabilities
