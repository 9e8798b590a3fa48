// A kubeconfig for kubectl, helm and friends, as a value. JSON is YAML, so `to_text` makes the file.
// https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
#pragma once

#include <optional>
#include <string>

#include "base/json.h"

namespace instantstart::kube {

/// An EKS cluster and how to log in there.
struct KubeconfigTarget {
  std::string context;  ///< Name of context, cluster and user: the cluster's ARN, as `aws eks
                        ///< update-kubeconfig` names them.
  std::string server;   ///< "https://…"
  std::string ca_pem;
  std::string cluster_name;
  std::string region;
  std::optional<std::string> profile = {};
  /// Where STS answers, when that is configured: the token is a request to it, signed in advance.
  std::optional<std::string> sts_endpoint = {};
  std::optional<std::string> space = {};  ///< The context's namespace.
};

/// Never holds a token: kubectl asks `aws eks get-token` for one, so it grants nothing by itself.
json::value make_kubeconfig(const KubeconfigTarget& target);

}  // namespace instantstart::kube
