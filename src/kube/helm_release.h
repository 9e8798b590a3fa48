// What Helm keeps of a release, in a Secret: enough to know that a chart is installed and what of it is
// switched on. https://helm.sh/docs/topics/kubernetes_apis/ ; the Secret's data is base64 of base64 of gzip
// of JSON (helm.sh/helm/v3/pkg/storage/driver/util.go).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace instantstart::kube {

struct HelmRelease {
  std::string name;
  std::string space;  ///< The namespace that it was installed into.
  std::int64_t revision = 0;
  std::string status;  ///< "deployed", "failed", "pending-upgrade", …
  std::string chart;   ///< "hyperpod-helm-chart"
  std::string chart_version;
  json::object values;    ///< As the user set them.
  json::object defaults;  ///< The chart's own.

  /// A boolean of the values, else of the defaults: "nvidia-device-plugin.devicePlugin.enabled". True when
  /// neither says.
  bool switched_on(std::string_view path) const;
};

/// Selects the Secrets of releases that may be live; older revisions have the status "superseded".
inline constexpr std::string_view k_helm_secret_selector = "owner=helm,status notin (superseded,uninstalled)";

/// Of the Secret as the API gives it. Errors: `upstream_error` for what is not a release, or larger than a
/// release may be.
Result<HelmRelease> read_helm_release(const json::object& secret);

/// Of each namespace and name, the highest revision.
std::vector<HelmRelease> latest_revisions(std::vector<HelmRelease> releases);

}  // namespace instantstart::kube
