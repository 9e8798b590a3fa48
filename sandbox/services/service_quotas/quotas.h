// The quotas of the simulated account: the table, and what was changed in it.
#pragma once

#include <string>
#include <string_view>

#include "base/describe.h"
#include "base/result.h"
#include "sandbox/core/world.h"
#include "sandbox/services/service_quotas/quota_table.h"

namespace instantstart::sandbox {

struct QuotaChange {
  std::string region;
  std::string service_code;
  std::string quota_code;
  double value = 0;
};
Type describe(QuotaChange*);

class Quotas {
 public:
  explicit Quotas(World& world);

  /// What applies to the account in that region.
  double applied(std::string_view region, const Quota& quota) const;
  /// The value of HyperPod's quota of that name ("ml.p5.48xlarge for cluster usage"); 0 when there is none.
  double applied_by_name(std::string_view region, std::string_view service_code, std::string_view name) const;

  /// Error `not_found` when there is no such quota.
  Result<> change(QuotaChange change);

 private:
  Collection<QuotaChange> changes_;  ///< By region, service and code.
};

}  // namespace instantstart::sandbox
