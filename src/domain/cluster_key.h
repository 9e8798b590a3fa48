// What a cluster is called for certain: account, region and EKS name. Written "name.region.account"; none of
// the three can hold a dot. It is also in the tags of all that we make for the cluster.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "base/describe.h"
#include "base/result.h"
#include "domain/arn_text.h"
#include "domain/cluster_name.h"
#include "domain/names.h"

namespace instantstart::domain {

struct ClusterKey {
  std::string name;
  std::string region;
  std::string account;  ///< Twelve digits.

  auto operator<=>(const ClusterKey&) const = default;
};

/// "demo.us-west-2.123456789012"
std::string to_text(const ClusterKey& key);
/// Error `invalid_request` for anything else than three parts that fit their rules.
Result<ClusterKey> parse_cluster_key(std::string_view text);

/// The ARN of the EKS cluster.
std::string cluster_arn(const ClusterKey& key, std::string_view partition);
/// Of an EKS cluster's ARN, in any partition; nullopt when it is another ARN or none.
std::optional<ClusterKey> key_of_arn(std::string_view arn);

/// "cluster/demo.us-west-2.123456789012": what operations on the cluster conflict by.
std::string subject_of(const ClusterKey& key);

/// How a caller names a managed cluster: its key, its tag, or its ARN.
struct ClusterReference : Text<ClusterReference> {};

/// A friendly name of a managed cluster, unique among them. No dots and colons: those are in keys and ARNs.
struct ClusterTag : Text<ClusterTag> {};

Type describe(ClusterReference*);
Type describe(ClusterTag*);

}  // namespace instantstart::domain
