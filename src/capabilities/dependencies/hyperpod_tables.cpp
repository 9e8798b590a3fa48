#include "capabilities/dependencies/hyperpod_tables.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include <fmt/core.h>

namespace instantstart::capabilities {
namespace {

using Sizes = std::initializer_list<std::string_view>;

constexpr std::string_view k_fallback_region = "us-east-1";

// region, account: sub-chart health-monitoring-agent, templates/_helpers.tpl
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> k_health_agent_accounts{{
    {"us-east-1", "767398015722"},
    {"us-east-2", "851725546812"},
    {"us-west-1", "011528288828"},
    {"us-west-2", "905418368575"},
    {"eu-central-1", "211125453373"},
    {"eu-north-1", "654654141839"},
    {"eu-west-1", "533267293120"},
    {"eu-west-2", "011528288831"},
    {"eu-south-2", "626887787726"},
    {"ap-northeast-1", "533267052152"},
    {"ap-south-1", "011528288864"},
    {"ap-southeast-1", "905418428165"},
    {"ap-southeast-2", "851725636348"},
    {"ap-southeast-3", "971422672635"},
    {"ap-southeast-4", "084375568333"},
    {"ca-central-1", "843976229209"},
    {"sa-east-1", "025066253954"},
}};

const auto* health_agent_row(std::string_view region) {
  return std::ranges::find(k_health_agent_accounts, region,
                           &std::pair<std::string_view, std::string_view>::first);
}

/// "ml.g5" with each of the sizes.
void add(std::vector<std::string>& types, std::string_view family, Sizes sizes) {
  for (const auto size : sizes) types.push_back(fmt::format("{}.{}", family, size));
}

}  // namespace

bool has_health_agent_image(std::string_view region) {
  return health_agent_row(region) != k_health_agent_accounts.end();
}

std::string health_agent_image(std::string_view region) {
  const auto* row = health_agent_row(region);
  if (row == k_health_agent_accounts.end()) row = health_agent_row(k_fallback_region);
  return fmt::format("{}.dkr.ecr.{}.amazonaws.com/hyperpod-health-monitoring-agent:{}", row->second,
                     row->first, k_health_agent_version);
}

std::string efa_plugin_image() {
  return fmt::format("602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:{}",
                     k_efa_plugin_version);
}

std::string nvidia_plugin_image() {
  return fmt::format("nvcr.io/nvidia/k8s-device-plugin:v{}", k_nvidia_plugin_version);
}

std::string neuron_plugin_image() {
  return fmt::format("public.ecr.aws/neuron/neuron-device-plugin:{}", k_neuron_plugin_version);
}

std::vector<std::string> health_agent_nvidia_types() {
  std::vector<std::string> types;
  for (const auto family : {"ml.g5", "ml.g6", "ml.g6e"}) {
    add(types, family,
        {"xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge", "48xlarge"});
  }
  add(types, "ml.g7e", {"2xlarge", "4xlarge", "8xlarge", "12xlarge", "24xlarge", "48xlarge"});
  add(types, "ml.gr6", {"4xlarge", "8xlarge"});
  add(types, "ml.p4d", {"24xlarge"});
  add(types, "ml.p4de", {"24xlarge"});
  add(types, "ml.p5", {"4xlarge", "48xlarge"});
  add(types, "ml.p5e", {"48xlarge"});
  add(types, "ml.p5en", {"48xlarge"});
  add(types, "ml.p6-b200", {"48xlarge"});
  add(types, "ml.p6-b300", {"48xlarge"});
  add(types, "ml.p6e-gb200", {"36xlarge"});
  return types;
}

std::vector<std::string> health_agent_neuron_types() {
  std::vector<std::string> types;
  add(types, "ml.inf2", {"xlarge", "8xlarge", "24xlarge", "48xlarge"});
  add(types, "ml.trn1", {"32xlarge"});
  add(types, "ml.trn1n", {"32xlarge"});
  add(types, "ml.trn2", {"3xlarge", "48xlarge"});
  return types;
}

std::vector<std::string> nvidia_plugin_types() {
  auto types = health_agent_nvidia_types();
  add(types, "ml.g4dn", {"xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge"});
  add(types, "ml.g7", {"2xlarge", "4xlarge", "8xlarge", "12xlarge", "24xlarge", "48xlarge"});
  return types;
}

std::vector<std::string> efa_plugin_types() {
  std::vector<std::string> types;
  add(types, "ml.c5n", {"9xlarge", "18xlarge"});
  for (const auto family : {"ml.g5", "ml.g6", "ml.g6e"}) {
    add(types, family, {"8xlarge", "12xlarge", "16xlarge", "24xlarge", "48xlarge"});
  }
  add(types, "ml.g7e", {"8xlarge", "12xlarge", "24xlarge", "48xlarge"});
  add(types, "ml.gr6", {"8xlarge"});
  add(types, "ml.i3en", {"12xlarge", "24xlarge"});
  add(types, "ml.m7i", {"48xlarge"});
  add(types, "ml.r7i", {"48xlarge"});
  add(types, "ml.p4d", {"24xlarge"});
  add(types, "ml.p4de", {"24xlarge"});
  add(types, "ml.p5", {"4xlarge", "48xlarge"});
  add(types, "ml.p5e", {"48xlarge"});
  add(types, "ml.p5en", {"48xlarge"});
  add(types, "ml.p6-b200", {"48xlarge"});
  add(types, "ml.p6-b300", {"48xlarge"});
  add(types, "ml.p6e-gb200", {"36xlarge"});
  add(types, "ml.trn1", {"32xlarge"});
  add(types, "ml.trn1n", {"32xlarge"});
  add(types, "ml.trn2", {"3xlarge", "48xlarge"});
  add(types, "ml.g4dn", {"8xlarge", "12xlarge", "16xlarge"});
  add(types, "ml.g7", {"8xlarge", "12xlarge", "24xlarge", "48xlarge"});
  return types;
}

std::vector<std::string> neuron_plugin_types() {
  std::vector<std::string> types;
  add(types, "inf1", {"xlarge", "2xlarge", "6xlarge", "24xlarge"});
  add(types, "inf2", {"xlarge", "8xlarge", "24xlarge", "48xlarge"});
  add(types, "trn1", {"2xlarge", "32xlarge"});
  add(types, "trn1n", {"32xlarge"});
  add(types, "ml.inf2", {"xlarge", "8xlarge", "24xlarge", "48xlarge"});
  add(types, "ml.trn1", {"2xlarge", "32xlarge"});
  add(types, "ml.trn1n", {"32xlarge"});
  add(types, "ml.trn2", {"48xlarge", "3xlarge"});
  return types;
}

}  // namespace instantstart::capabilities
