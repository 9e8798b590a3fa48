#include "sandbox/services/cloudtrail/event.h"

#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "aws/shapes/services.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "base/time.h"

namespace instantstart::sandbox {
namespace {

namespace ct = aws::cloudtrail;

/// Members are written as in the service's JSON, beginning in lower case.
std::string lower_first(std::string_view name) {
  std::string text(name);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

json::value parameters(const json::object& members) {
  if (members.empty()) return nullptr;
  json::object lowered;
  for (const auto& [name, value] : members) lowered[lower_first(name)] = value;
  return lowered;
}

bool names_resource(std::string_view member) {
  return member.ends_with("Id") || member.ends_with("Name") || member.ends_with("Arn");
}

void collect_names(const json::value& value, std::set<std::string>& names) {
  if (value.is_array()) {
    for (const auto& item : value.get_array()) collect_names(item, names);
  }
  if (!value.is_object()) return;
  for (const auto& [member, inner] : value.get_object()) {
    if (inner.is_string() && names_resource(member)) names.emplace(inner.get_string());
    collect_names(inner, names);
  }
}

json::object user_identity(const AuditEntry& entry, std::string_view account) {
  if (entry.principal.empty()) return {{"type", "Unknown"}};
  const bool session = entry.principal.contains(":assumed-role/");
  json::object identity{{"type", session ? "AssumedRole" : "IAMUser"},
                        {"arn", entry.principal},
                        {"accountId", account},
                        {"accessKeyId", entry.access_key_id}};
  if (!session) identity["userName"] = username(entry);
  if (!entry.invoked_by.empty()) identity["invokedBy"] = entry.invoked_by;
  return identity;
}

/// CloudTrail User Guide, "CloudTrail record contents".
json::object record(const AuditEntry& entry, std::string_view account) {
  json::object fields{{"eventVersion", "1.11"},
                      {"userIdentity", user_identity(entry, account)},
                      {"eventTime", fmt::format("{}Z", std::string_view(entry.at).substr(0, 19))},
                      {"eventSource", event_source(entry)},
                      {"eventName", entry.operation},
                      {"awsRegion", entry.region},
                      {"sourceIPAddress", entry.invoked_by.empty() ? "127.0.0.1" : entry.invoked_by},
                      {"requestParameters", parameters(entry.request)},
                      {"responseElements", parameters(entry.response)},
                      {"requestID", entry.request_id},
                      {"eventID", event_id(entry)},
                      {"readOnly", !entry.mutating},
                      {"eventType", "AwsApiCall"},
                      {"managementEvent", true},
                      {"recipientAccountId", account},
                      {"eventCategory", "Management"}};
  if (!entry.error_code.empty()) fields["errorCode"] = entry.error_code;
  return fields;
}

}  // namespace

std::string event_source(const AuditEntry& entry) {
  const aws::ServiceInfo* service = aws::find_service(entry.service);
  return fmt::format("{}.amazonaws.com", service ? service->signing_name : std::string_view(entry.service));
}

std::string username(const AuditEntry& entry) {
  return entry.principal.substr(entry.principal.rfind('/') + 1);
}

std::string event_id(const AuditEntry& entry) {
  const Sha256 hash = sha256(fmt::format("event {} {}", entry.sequence, entry.request_id));
  const std::string hex = to_hex(hash);
  const std::string_view text = hex;
  return fmt::format("{}-{}-4{}-8{}-{}", text.substr(0, 8), text.substr(8, 4), text.substr(13, 3),
                     text.substr(17, 3), text.substr(20, 12));
}

std::vector<ct::Resource> resources_of(const AuditEntry& entry) {
  std::set<std::string> names;
  collect_names(entry.request, names);
  collect_names(entry.response, names);
  std::vector<ct::Resource> resources;
  for (const auto& name : names) resources.push_back({.resource_name = name});
  return resources;
}

ct::Event make_event(const AuditEntry& entry, std::string_view account) {
  ct::Event event{.event_id = event_id(entry),
                  .event_name = entry.operation,
                  .read_only = entry.mutating ? "false" : "true",
                  .event_source = event_source(entry),
                  .username = username(entry),
                  .resources = resources_of(entry),
                  .cloud_trail_event = to_text(record(entry, account))};
  if (!entry.access_key_id.empty()) event.access_key_id = entry.access_key_id;
  if (const auto at = parse_rfc3339(entry.at))
    event.event_time = aws::Timestamp{std::chrono::floor<seconds>(*at)};
  return event;
}

}  // namespace instantstart::sandbox
