// The lifecycle script of HyperPod's nodes, as a value, and where it is kept. Its key holds its digest, so a
// script never changes under a group that names it.
#pragma once

#include <string>
#include <string_view>

#include "capabilities/dependencies/cluster_target.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_on_create = "on_create.sh";

/// Runs as root on every new node, before it takes work. It moves images and ephemeral storage to the second
/// volume where there is one, makes no network calls, and may run twice.
std::string_view lifecycle_script();

/// "sagemaker-instantstart-" and a digest of the cluster's key: the managed policy of the execution role
/// reads buckets of that beginning only, and names of buckets are unique in the world.
std::string lifecycle_bucket(const ClusterTarget& cluster);
/// "lifecycle/<SHA-256 of the script>/"
std::string lifecycle_prefix();
std::string lifecycle_key();
/// What a group names: "s3://bucket/lifecycle/<digest>/".
std::string lifecycle_uri(const ClusterTarget& cluster);

}  // namespace instantstart::capabilities
