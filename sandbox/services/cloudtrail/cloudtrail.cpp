#include "sandbox/services/cloudtrail/cloudtrail.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "aws/protocols/api_json.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "sandbox/services/cloudtrail/event.h"

namespace instantstart::sandbox {
namespace {

namespace ct = aws::cloudtrail;

/// CloudTrail API reference, LookupEvents: MaxResults is 1 to 50 and 50 when absent.
constexpr std::int64_t k_largest_page = 50;
/// Rows read from the trail at a time.
constexpr std::int32_t k_chunk = 500;

bool matches(const ct::LookupAttribute& attribute, const AuditEntry& entry) {
  const std::string& value = *attribute.attribute_value;
  const std::string& key = *attribute.attribute_key;
  if (key == "EventName") return entry.operation == value;
  if (key == "EventSource") return event_source(entry) == value;
  if (key == "EventId") return event_id(entry) == value;
  if (key == "ReadOnly") return (entry.mutating ? "false" : "true") == to_lower(value);
  if (key == "Username") return username(entry) == value;
  if (key == "AccessKeyId") return entry.access_key_id == value;
  if (key == "ResourceName") {
    return std::ranges::any_of(resources_of(entry),
                               [&](const ct::Resource& r) { return r.resource_name == value; });
  }
  return false;  // ResourceType: the sandbox tells no types.
}

/// What a page is a page of: a token is good for the same question only.
std::string question_digest(const Call& call, ct::LookupEventsRequest in) {
  in.next_token.reset();
  in.max_results.reset();
  const Sha256 hash = sha256(fmt::format("{} {}", call.region, to_text(aws::to_api_json(in))));
  return to_hex(hash).substr(0, 16);
}

/// Everything before this sequence is still to be looked at.
Reply<std::int64_t> start_of_page(const ct::LookupEventsRequest& in, std::string_view digest) {
  if (!in.next_token) return std::numeric_limits<std::int64_t>::max();
  const std::string text = from_base64url(*in.next_token).value_or("");
  std::int64_t before = 0;
  if (text.size() > digest.size() && text.starts_with(digest)) {
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data() + digest.size(), end, before);
    if (failure == std::errc() && stop == end) return before;
  }
  return fault("InvalidNextTokenException",
               "A token that is not valid, or a token that was previously used in a request with different "
               "parameters.");
}

class Lookup {
 public:
  Lookup(const Call& call, const ct::LookupEventsRequest& in)
      : region_(call.region),
        attributes_(aws::items(in.lookup_attributes)),
        start_(in.start_time),
        end_(in.end_time) {}

  bool wants(const AuditEntry& entry, aws::Timestamp at) const {
    return entry.region == region_ && (!end_ || at <= *end_) && (!start_ || at >= *start_) &&
           std::ranges::all_of(attributes_, [&](const auto& attribute) { return matches(attribute, entry); });
  }
  /// Rows come newest first: from here on all are too old.
  bool past_the_start(aws::Timestamp at) const { return start_ && at < *start_; }

 private:
  const std::string& region_;
  const std::vector<ct::LookupAttribute>& attributes_;
  std::optional<aws::Timestamp> start_;
  std::optional<aws::Timestamp> end_;
};

/// CloudTrail's times are whole seconds.
aws::Timestamp time_of(const AuditEntry& entry) {
  const auto at = parse_rfc3339(entry.at);
  return {std::chrono::floor<seconds>(at.value_or(WallTime()))};
}

std::optional<AwsFault> refuse(const ct::LookupEventsRequest& in) {
  if (in.start_time && in.end_time && *in.end_time < *in.start_time) {
    return AwsFault{.code = "InvalidTimeRangeException",
                    .message = "The start time must be before the end time."};
  }
  if (aws::items(in.lookup_attributes).size() > 1) {
    return AwsFault{.code = "InvalidLookupAttributesException",
                    .message = "Only one lookup attribute can be given."};
  }
  if (in.event_category) {
    return AwsFault{.code = "InvalidEventCategoryException",
                    .message = "The sandbox has no Insights events."};
  }
  return std::nullopt;
}

}  // namespace

CloudTrailService::CloudTrailService(World& world) : Service(ct::service()), world_(world) {
  on_reading<ct::LookupEvents>(
      [this](Call call, const ct::LookupEventsRequest& in) { return lookup_events(std::move(call), in); });
}

asio::awaitable<Reply<ct::LookupEventsResponse>> CloudTrailService::lookup_events(
    Call call, ct::LookupEventsRequest in) const {
  if (auto refused = refuse(in)) co_return std::unexpected(std::move(*refused));
  const std::string digest = question_digest(call, in);
  const auto start = start_of_page(in, digest);
  if (!start) co_return std::unexpected(start.error());

  const Lookup lookup(call, in);
  const auto size = static_cast<std::size_t>(in.max_results.value_or(k_largest_page));
  ct::LookupEventsResponse page{.events = std::vector<ct::Event>(), .next_token = {}};
  std::int64_t before = *start;
  while (true) {
    const auto rows = co_await world_.audit_before(before, k_chunk);
    if (!rows) co_return fault("InternalFailure", rows.error().message, 500);
    if (rows->empty()) co_return page;
    for (const auto& entry : *rows) {
      const aws::Timestamp at = time_of(entry);
      if (lookup.past_the_start(at)) co_return page;
      if (lookup.wants(entry, at)) {
        if (page.events->size() == size) {
          page.next_token = to_base64url(fmt::format("{}{}", digest, before));
          co_return page;
        }
        page.events->push_back(make_event(entry, world_.account()));
      }
      before = entry.sequence;
    }
  }
}

}  // namespace instantstart::sandbox
