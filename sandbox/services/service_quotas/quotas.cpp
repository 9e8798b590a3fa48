#include "sandbox/services/service_quotas/quotas.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace instantstart::sandbox {
namespace {

std::string change_id(std::string_view region, std::string_view service_code, std::string_view quota_code) {
  return fmt::format("{}/{}/{}", region, service_code, quota_code);
}

}  // namespace

Type describe(QuotaChange*) {
  using C = QuotaChange;
  return object_type<C>("QuotaChange", "Another value of a quota.",
                        {field<&C::region>("region", "Where it applies."),
                         field<&C::service_code>("service_code", "Service Quotas' name of the service."),
                         field<&C::quota_code>("quota_code", "L- and eight hex digits."),
                         field<&C::value>("value", "The new value.", {.rule = {.min = 0}})});
}

Quotas::Quotas(World& world) : changes_(world, "servicequotas.change") {}

double Quotas::applied(std::string_view region, const Quota& quota) const {
  const QuotaChange* change = changes_.find(change_id(region, quota.service_code, quota.code));
  return change ? change->value : quota.granted_value;
}

double Quotas::applied_by_name(std::string_view region, std::string_view service_code,
                               std::string_view name) const {
  for (const Quota& quota : all_quotas()) {
    if (quota.service_code == service_code && quota.name == name) return applied(region, quota);
  }
  return 0;
}

Result<> Quotas::change(QuotaChange change) {
  if (!find_quota(change.service_code, change.quota_code)) {
    return fail(codes::not_found,
                fmt::format("There is no quota {} of {}.", change.quota_code, change.service_code));
  }
  std::string id = change_id(change.region, change.service_code, change.quota_code);
  changes_.put(std::move(id), std::move(change));
  return {};
}

}  // namespace instantstart::sandbox
