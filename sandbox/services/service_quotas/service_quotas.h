// AWS Service Quotas.
#pragma once

#include <vector>

#include "aws/shapes/service_quotas.h"
#include "sandbox/core/service.h"
#include "sandbox/services/service_quotas/quotas.h"

namespace instantstart::sandbox {

class ServiceQuotasService final : public Service {
 public:
  ServiceQuotasService(World& world, const Quotas& quotas);

 private:
  /// What the account has, or what AWS gives everybody.
  enum class Which { applied, default_value };

  aws::service_quotas::ServiceQuota describe(const Call& call, const Quota& quota, Which which) const;
  Reply<aws::service_quotas::ListServiceQuotasResponse> list(
      const Call& call, const aws::service_quotas::ListServiceQuotasRequest& in, Which which) const;
  Reply<aws::service_quotas::GetServiceQuotaResponse> get(
      const Call& call, const aws::service_quotas::GetServiceQuotaRequest& in) const;

  World& world_;
  const Quotas& quotas_;
};

}  // namespace instantstart::sandbox
