#include "domain/cluster_key.h"

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::domain {
namespace {

constexpr std::string_view k_cluster_resource = "cluster/";

bool is_account(std::string_view text) {
  static const Pattern k_account("^[0-9]{12}$");
  return k_account.matches(text);
}

std::optional<ClusterKey> checked(std::string_view name, std::string_view region, std::string_view account) {
  if (!parse_text<ClusterName>(name) || !parse_text<Region>(region) || !is_account(account))
    return std::nullopt;
  return ClusterKey{std::string(name), std::string(region), std::string(account)};
}

}  // namespace

std::string to_text(const ClusterKey& key) {
  return fmt::format("{}.{}.{}", key.name, key.region, key.account);
}

Result<ClusterKey> parse_cluster_key(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() == 3) {
    if (auto key = checked(parts[0], parts[1], parts[2])) return std::move(*key);
  }
  return fail(codes::invalid_request,
              fmt::format("'{}' is no cluster key: name.region.account, as demo.us-west-2.123456789012.",
                          shortened(without_controls(text), 160)));
}

std::string cluster_arn(const ClusterKey& key, std::string_view partition) {
  return regional_arn({std::string(partition), key.region, key.account}, "eks",
                      fmt::format("{}{}", k_cluster_resource, key.name));
}

std::optional<ClusterKey> key_of_arn(std::string_view arn) {
  const auto parts = split(arn, ':');
  if (parts.size() != 6 || parts[0] != "arn" || parts[2] != "eks" || !parts[1].starts_with("aws"))
    return std::nullopt;
  if (!parts[5].starts_with(k_cluster_resource)) return std::nullopt;
  return checked(parts[5].substr(k_cluster_resource.size()), parts[3], parts[4]);
}

std::string subject_of(const ClusterKey& key) { return fmt::format("cluster/{}", to_text(key)); }

Type describe(ClusterReference*) {
  return text_type<ClusterReference>(
      "ClusterReference",
      "A managed cluster: its key, its tag, or the ARN of its EKS cluster. Left out (in a path: \"-\"), it "
      "is the "
      "one that the caller has selected with cluster_select.",
      {.min = 1, .max = 256, .pattern = Pattern("^[0-9A-Za-z][A-Za-z0-9_.:/-]*$")},
      {"demo", "demo.us-west-2.123456789012"});
}

Type describe(ClusterTag*) {
  return text_type<ClusterTag>("ClusterTag", "A friendly name, unique among the managed clusters.",
                               {.min = 1, .max = 100, .pattern = Pattern("^[0-9A-Za-z][A-Za-z0-9_-]*$")},
                               {"demo"});
}

}  // namespace instantstart::domain
