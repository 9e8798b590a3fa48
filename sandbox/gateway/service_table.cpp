#include "sandbox/gateway/service_table.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace instantstart::sandbox {
namespace {

/// What precedes the operation in X-Amz-Target; empty when there is none.
std::string_view target_prefix(const aws::HttpRequestParts& request) {
  const std::string* target = aws::find_header(request.headers, "X-Amz-Target");
  return target ? std::string_view(*target).substr(0, target->rfind('.')) : std::string_view();
}

bool is_form(const aws::HttpRequestParts& request) {
  const std::string* type = aws::find_header(request.headers, "Content-Type");
  return type && type->starts_with("application/x-www-form-urlencoded");
}

/// The value of a parameter of the query string or the form; empty when there is none.
std::string parameter(const aws::HttpRequestParts& request, std::string_view name) {
  std::vector<aws::NamedText> pairs = request.query;
  if (is_form(request)) std::ranges::move(aws::from_form(request.body), std::back_inserter(pairs));
  const auto found = std::ranges::find(pairs, name, &aws::NamedText::first);
  return found == pairs.end() ? std::string() : found->second;
}

bool speaks_forms(const aws::ServiceInfo& service) {
  return service.protocol == aws::Protocol::query || service.protocol == aws::Protocol::ec2;
}

aws::ServiceInfo stand_in(aws::Protocol protocol) {
  aws::ServiceInfo service{};
  service.name = "unknown";
  service.id = "unknown";
  service.protocol = protocol;
  service.json_version = "1.1";
  return service;
}

}  // namespace

Service* ServiceTable::find(const std::optional<SignatureClaim>& claim,
                            const aws::HttpRequestParts& request) const {
  return claim ? signed_for(claim->service, request) : asked_for(request);
}

/// Services may share a signing name; X-Amz-Target tells those that speak json apart.
Service* ServiceTable::signed_for(std::string_view signing_name, const aws::HttpRequestParts& request) const {
  Service* first = nullptr;
  for (Service* service : services_) {
    if (service->info().signing_name != signing_name) continue;
    if (!first) first = service;
    const auto prefix = target_prefix(request);
    if (!prefix.empty() && service->info().target_prefix == prefix) return service;
  }
  return first;
}

Service* ServiceTable::asked_for(const aws::HttpRequestParts& request) const {
  const auto prefix = target_prefix(request);
  const auto action = parameter(request, "Action");
  const auto version = parameter(request, "Version");
  for (Service* service : services_) {
    const aws::ServiceInfo& info = service->info();
    if (!prefix.empty() && info.target_prefix == prefix) return service;
    if (!action.empty() && speaks_forms(info) && info.operation(action) &&
        (version.empty() || version == info.api_version)) {
      return service;
    }
  }
  return nullptr;
}

const aws::ServiceInfo& stand_in_service(const aws::HttpRequestParts& request) {
  static const aws::ServiceInfo json = stand_in(aws::Protocol::json);
  static const aws::ServiceInfo query = stand_in(aws::Protocol::query);
  static const aws::ServiceInfo rest = stand_in(aws::Protocol::rest_json);
  if (!target_prefix(request).empty()) return json;
  return parameter(request, "Action").empty() ? rest : query;
}

}  // namespace instantstart::sandbox
