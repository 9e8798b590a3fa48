#include "domain/names.h"

#include <fmt/core.h>

namespace instantstart::domain {
namespace {

constexpr std::string_view k_ml = "ml.";

}  // namespace

std::string_view ec2_name(const InstanceType& type) {
  std::string_view name = type.value;
  if (name.starts_with(k_ml)) name.remove_prefix(k_ml.size());
  return name;
}

std::string sagemaker_name(std::string_view ec2_name) { return fmt::format("{}{}", k_ml, ec2_name); }

Type describe(Region*) {
  // partitions.json of AWS's SDKs: every partition's regionRegex fits this.
  return text_type<Region>("Region", "An AWS region; the configured one when left out.",
                           {.min = 1, .max = 32, .pattern = Pattern("^[a-z]{2,4}(-[a-z]+)+-[0-9]+$")},
                           {"us-west-2"});
}

Type describe(Profile*) {
  return text_type<Profile>(
      "Profile", "A profile of the AWS configuration files; the environment's when left out.",
      {.min = 1, .max = 128, .pattern = Pattern("^[^\\x00-\\x1f\\[\\]]+$")}, {"research"});
}

Type describe(ZoneName*) {
  return text_type<ZoneName>(
      "ZoneName", "An availability zone by name.",
      {.min = 1, .max = 40, .pattern = Pattern("^[a-z]{2,4}(-[a-z]+)+-[0-9]+(-[a-z]{3}-[0-9]+)?[a-z]$")},
      {"us-west-2a"});
}

Type describe(InstanceType*) {
  return text_type<InstanceType>(
      "InstanceType", "An instance type, with or without SageMaker's prefix ml.",
      {.min = 3, .max = 40, .pattern = Pattern("^(ml\\.)?[a-z][a-z0-9-]*\\.[a-z0-9-]+$")}, {"p5.48xlarge"});
}

}  // namespace instantstart::domain
