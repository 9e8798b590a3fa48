#include "sandbox/services/service_quotas/service_quotas.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "sandbox/core/arn.h"

namespace instantstart::sandbox {
namespace {

namespace quota_api = aws::service_quotas;

/// Service Quotas API reference: MaxResults is 1 to 100.
constexpr std::size_t k_largest_page = 100;

std::vector<const Quota*> quotas_of(std::string_view service_code) {
  std::vector<const Quota*> found;
  for (const Quota& quota : all_quotas()) {
    if (quota.service_code == service_code) found.push_back(&quota);
  }
  return found;
}

/// Tokens are the position of the next row, for this service only.
std::string make_token(std::string_view service_code, std::size_t position) {
  return to_base64url(fmt::format("{}\n{}", service_code, position));
}

Reply<std::size_t> read_token(const std::optional<std::string>& token, std::string_view service_code,
                              std::size_t size) {
  if (!token) return 0;
  const std::string text = from_base64url(*token).value_or("");
  const std::string prefix = fmt::format("{}\n", service_code);
  std::size_t position = 0;
  if (text.starts_with(prefix)) {
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data() + prefix.size(), end, position);
    if (failure == std::errc() && stop == end && position < size) return position;
  }
  return fault("InvalidPaginationTokenException", "The pagination token is not valid.");
}

std::unexpected<AwsFault> no_such_resource() {
  return fault("NoSuchResourceException", "The request failed because the specified service does not exist.");
}

}  // namespace

ServiceQuotasService::ServiceQuotasService(World& world, const Quotas& quotas)
    : Service(quota_api::service()), world_(world), quotas_(quotas) {
  on<quota_api::ListServiceQuotas>([this](const Call& call, const quota_api::ListServiceQuotasRequest& in) {
    return list(call, in, Which::applied);
  });
  on<quota_api::ListAWSDefaultServiceQuotas>([this](const Call& call,
                                                    const quota_api::ListAWSDefaultServiceQuotasRequest& in)
                                                 -> Reply<quota_api::ListAWSDefaultServiceQuotasResponse> {
    auto page = list(
        call, {.service_code = in.service_code, .next_token = in.next_token, .max_results = in.max_results},
        Which::default_value);
    if (!page) return std::unexpected(std::move(page.error()));
    return quota_api::ListAWSDefaultServiceQuotasResponse{.next_token = std::move(page->next_token),
                                                          .quotas = std::move(page->quotas)};
  });
  on<quota_api::GetServiceQuota>(
      [this](const Call& call, const quota_api::GetServiceQuotaRequest& in) { return get(call, in); });
}

quota_api::ServiceQuota ServiceQuotasService::describe(const Call& call, const Quota& quota,
                                                       Which which) const {
  const bool applied = which == Which::applied;
  return {.service_code = std::string(quota.service_code),
          .service_name = std::string(quota.service_name),
          .quota_arn = make_arn("servicequotas", call.region, applied ? world_.account() : "",
                                fmt::format("{}/{}", quota.service_code, quota.code)),
          .quota_code = quota.code,
          .quota_name = quota.name,
          .value = applied ? quotas_.applied(call.region, quota) : quota.default_value,
          .unit = "None",
          .adjustable = quota.adjustable,
          .global_quota = false,
          .quota_applied_at_level = "ACCOUNT"};
}

Reply<quota_api::ListServiceQuotasResponse> ServiceQuotasService::list(
    const Call& call, const quota_api::ListServiceQuotasRequest& in, Which which) const {
  auto all = quotas_of(*in.service_code);
  if (all.empty()) return no_such_resource();
  if (in.quota_code) {
    std::erase_if(all, [&](const Quota* quota) { return quota->code != *in.quota_code; });
  }
  // All quotas here apply to the account; none to a single resource.
  if (in.quota_applied_at_level == "RESOURCE") all.clear();
  const auto start = read_token(in.next_token, *in.service_code, all.size());
  if (!start) return std::unexpected(start.error());
  const auto size = static_cast<std::size_t>(in.max_results.value_or(k_largest_page));
  const std::size_t end = std::min(all.size(), *start + size);
  quota_api::ListServiceQuotasResponse page{.next_token = {},
                                            .quotas = std::vector<quota_api::ServiceQuota>()};
  for (std::size_t i = *start; i < end; ++i) page.quotas->push_back(describe(call, *all[i], which));
  if (end < all.size()) page.next_token = make_token(*in.service_code, end);
  return page;
}

Reply<quota_api::GetServiceQuotaResponse> ServiceQuotasService::get(
    const Call& call, const quota_api::GetServiceQuotaRequest& in) const {
  if (quotas_of(*in.service_code).empty()) return no_such_resource();
  const Quota* quota = find_quota(*in.service_code, *in.quota_code);
  if (!quota) return no_such_resource();
  return quota_api::GetServiceQuotaResponse{.quota = describe(call, *quota, Which::applied)};
}

}  // namespace instantstart::sandbox
