// The name of an EKS cluster, and the names that we derive from it. Each derived name has the budget of the
// API that takes it; a cluster name that is too long for one of them is refused before anything is made, with
// the longest length that would fit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/describe.h"
#include "base/result.h"

namespace instantstart::domain {

/// As EKS takes it (API reference, CreateCluster): 1–100 letters, digits, "-" and "_", a letter or digit
/// first.
struct ClusterName : Text<ClusterName> {};

/// CloudFormation takes 128 characters, letters, digits and "-", a letter first (CreateStack):
/// "instantstart-a". EKS names may hold "_": those are written "-", with a piece of the name's digest behind,
/// so that "a_b" and "a-b" don't meet.
Result<std::string> stack_name(const ClusterName& cluster);

/// An IAM role, at most 64 characters (CreateRole), unique in the account though clusters are unique in a
/// region only: "a-us-west-2-control-plane".
Result<std::string> role_name(const ClusterName& cluster, std::string_view region, std::string_view purpose);

/// SageMaker HyperPod takes 63 characters, no "_", and no "-" at the end (CreateCluster).
Result<std::string> hyperpod_name(const ClusterName& cluster);

/// The longest purpose of a role that any stage makes: what a new name is checked against.
inline constexpr std::string_view k_longest_role_purpose = "control-plane";

/// Everything that is wrong with a new cluster's name for all that will be derived from it; pointers are
/// /name.
std::vector<FieldProblem> name_problems(const ClusterName& cluster, std::string_view region);

Type describe(ClusterName*);

}  // namespace instantstart::domain
