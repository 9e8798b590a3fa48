// The names that requests carry, each with the rule of the API that it goes to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/describe.h"

namespace instantstart::domain {

/// "us-west-2". The shape only: which regions exist is for AWS to say.
struct Region : Text<Region> {};

/// A profile of the shared AWS configuration files.
struct Profile : Text<Profile> {};

/// "us-west-2a", or of a local zone "us-west-2-lax-1a".
struct ZoneName : Text<ZoneName> {};

/// An EC2 instance type, "p5.48xlarge". HyperPod writes "ml.p5.48xlarge"; both spellings are taken.
struct InstanceType : Text<InstanceType> {};

/// Without "ml.".
std::string_view ec2_name(const InstanceType& type);
/// With "ml.", as SageMaker spells it.
std::string sagemaker_name(std::string_view ec2_name);

Type describe(Region*);
Type describe(Profile*);
Type describe(ZoneName*);
Type describe(InstanceType*);

}  // namespace instantstart::domain
