#include "sandbox/services/logs/events.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "sandbox/services/logs/filter_pattern.h"

namespace instantstart::sandbox::logs {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// API reference of PutLogEvents.
constexpr std::int64_t k_event_overhead_bytes = 26;
constexpr std::int64_t k_longest_batch_ms = milliseconds(hours(24)).count();
constexpr std::int64_t k_oldest_ms = milliseconds(hours(14 * 24)).count();
constexpr std::int64_t k_newest_ms = milliseconds(hours(2)).count();

std::optional<AwsFault> refuse_batch(const State& state, const std::vector<api::InputLogEvent>& batch) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    bytes += std::ssize(*batch[i].message) + k_event_overhead_bytes;
    if (i > 0 && *batch[i].timestamp < *batch[i - 1].timestamp) {
      return invalid_parameter("Log events in a single PutLogEvents request must be in chronological order.")
          .error();
    }
  }
  if (bytes > state.limits.batch_bytes) {
    return invalid_parameter(
               fmt::format("Upload too large: {} bytes exceeds limit of {}", bytes, state.limits.batch_bytes))
        .error();
  }
  if (*batch.back().timestamp - *batch.front().timestamp > k_longest_batch_ms) {
    return invalid_parameter(
               "The batch of log events in a single PutLogEvents request cannot span more than 24 hours.")
        .error();
  }
  return std::nullopt;
}

/// "f/…" goes on at a boundary towards newer events, "b/…" towards older ones. A boundary lies before the
/// events whose keys are not less than its text.
struct Position {
  bool forward = false;
  std::string boundary;
};

std::string token_of(bool forward, std::string_view boundary) {
  return fmt::format("{}/{}/s", forward ? 'f' : 'b', to_base64url(boundary));
}

std::string after(std::string_view key) { return fmt::format("{}~", key); }

Reply<Position> read_position(const std::string& token) {
  const bool is_token = (token.starts_with("f/") || token.starts_with("b/")) && token.ends_with("/s");
  auto boundary = is_token && token.size() >= 4 ? from_base64url(token.substr(2, token.size() - 4))
                                                : std::optional<std::string>();
  if (!boundary) return invalid_parameter("The specified nextToken is invalid.");
  return Position{.forward = token.front() == 'f', .boundary = std::move(*boundary)};
}

using KeyedEvent = std::pair<std::string, const StoredEvent*>;

/// From `start` on and before `end`, in milliseconds, by event_key.
std::vector<KeyedEvent> events_between(const State& state, const std::string& stream,
                                       std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
  const std::string prefix = stream + ":";
  std::vector<KeyedEvent> found;
  for (const auto& [key, event] : state.events.starting_with(prefix)) {
    if (start && event.timestamp < *start) continue;
    if (end && event.timestamp >= *end) break;
    found.emplace_back(key.substr(prefix.size()), &event);
  }
  return found;
}

std::int64_t size_of(const StoredEvent& event) { return std::ssize(event.message) + k_event_overhead_bytes; }

/// As many of the first as fit into an answer; at least one.
template <class Events>
void cut_to_answer(const State& state, Events& events, std::int64_t limit) {
  std::int64_t bytes = 0;
  auto end = events.begin();
  while (end != events.end() && end - events.begin() < limit) {
    bytes += size_of(*end->second);
    if (bytes > state.limits.answer_bytes && end != events.begin()) break;
    ++end;
  }
  events.erase(end, events.end());
}

std::int64_t page_size(const State& state, const std::optional<std::int64_t>& limit) {
  return std::min(limit.value_or(state.limits.answer_events), state.limits.answer_events);
}

/// The stream's name, which may hold slashes and dashes, comes last.
std::string filtered_key(std::string_view event_key, std::string_view stream) {
  return fmt::format("{}/{}", event_key, stream);
}

Reply<std::vector<std::string>> searched_streams(const State& state, const Call& call,
                                                 const std::string& group,
                                                 const api::FilterLogEventsRequest& in) {
  const auto& named = aws::items(in.log_stream_names);
  if (!named.empty() && in.log_stream_name_prefix) {
    return invalid_parameter("logStreamNames and logStreamNamePrefix are mutually exclusive parameters.");
  }
  std::vector<std::string> streams;
  for (const auto& name : named) {
    if (!state.streams.contains(stream_key(call.region, group, name))) return no_such_stream();
    streams.push_back(name);
  }
  if (!named.empty()) return streams;
  const std::string prefix = stream_key(call.region, group, in.log_stream_name_prefix.value_or(""));
  for (const auto& [key, stream] : state.streams.starting_with(prefix)) {
    streams.push_back(*stream.log_stream_name);
  }
  return streams;
}

}  // namespace

void add_event(State& state, const std::string& stream_key, std::int64_t timestamp, std::string message) {
  std::int64_t arrival = 0;
  state.streams.edit(stream_key, [&](api::LogStream& stream) {
    const std::string count = stream.upload_sequence_token.value_or("0");
    std::from_chars(count.data(), count.data() + count.size(), arrival);
    stream.upload_sequence_token = std::to_string(++arrival);
    stream.first_event_timestamp = std::min(stream.first_event_timestamp.value_or(timestamp), timestamp);
    stream.last_event_timestamp = std::max(stream.last_event_timestamp.value_or(timestamp), timestamp);
    stream.last_ingestion_time = now_ms(state);
  });
  state.events.put(fmt::format("{}:{}", stream_key, event_key(timestamp, arrival)),
                   {.timestamp = timestamp, .ingestion_time = now_ms(state), .message = std::move(message)});
}

Reply<api::PutLogEventsResponse> put_log_events(State& state, const Call& call,
                                                const api::PutLogEventsRequest& in) {
  if (!state.groups.contains(regional_id(call.region, *in.log_group_name))) return no_such_group();
  const std::string key = stream_key(call.region, *in.log_group_name, *in.log_stream_name);
  if (!state.streams.contains(key)) return no_such_stream();
  const auto& batch = aws::items(in.log_events);
  if (auto refusal = refuse_batch(state, batch)) return std::unexpected(std::move(*refusal));
  const std::int64_t now = now_ms(state);
  api::RejectedLogEventsInfo rejected;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (*batch[i].timestamp < now - k_oldest_ms) {
      rejected.too_old_log_event_end_index = index + 1;  // Exclusive, as the API reference says.
    } else if (*batch[i].timestamp > now + k_newest_ms) {
      if (!rejected.too_new_log_event_start_index) rejected.too_new_log_event_start_index = index;
    } else {
      add_event(state, key, *batch[i].timestamp, *batch[i].message);
    }
  }
  api::PutLogEventsResponse answer;
  answer.next_sequence_token = fmt::format("{:0>56}", *state.streams.find(key)->upload_sequence_token);
  if (rejected.too_old_log_event_end_index || rejected.too_new_log_event_start_index) {
    answer.rejected_log_events_info = rejected;
  }
  return answer;
}

Reply<api::GetLogEventsResponse> get_log_events(State& state, const Call& call,
                                                const api::GetLogEventsRequest& in) {
  const auto group = named_group(state, call, in.log_group_name, in.log_group_identifier);
  if (!group) return std::unexpected(group.error());
  const std::string stream = stream_key(call.region, *group, *in.log_stream_name);
  if (!state.streams.contains(stream)) return no_such_stream();
  Position from{.forward = in.start_from_head.value_or(false), .boundary = {}};
  if (in.next_token) {
    auto read = read_position(*in.next_token);
    if (!read) return std::unexpected(std::move(read.error()));
    from = std::move(*read);
  }
  auto events = events_between(state, stream, in.start_time, in.end_time);
  if (in.next_token) {
    std::erase_if(events, [&](const KeyedEvent& one) { return (one.first < from.boundary) == from.forward; });
  }
  if (!from.forward) std::ranges::reverse(events);
  cut_to_answer(state, events, page_size(state, in.limit));
  if (!from.forward) std::ranges::reverse(events);
  api::GetLogEventsResponse answer{.events = std::vector<api::OutputLogEvent>{}};
  for (const auto& [key, event] : events) {
    answer.events->push_back(
        {.timestamp = event->timestamp, .message = event->message, .ingestion_time = event->ingestion_time});
  }
  const bool none = events.empty();
  answer.next_forward_token = token_of(true, none ? from.boundary : after(events.back().first));
  answer.next_backward_token = token_of(false, none ? from.boundary : events.front().first);
  return answer;
}

Reply<api::FilterLogEventsResponse> filter_log_events(State& state, const Call& call,
                                                      const api::FilterLogEventsRequest& in) {
  const auto group = named_group(state, call, in.log_group_name, in.log_group_identifier);
  if (!group) return std::unexpected(group.error());
  const auto streams = searched_streams(state, call, *group, in);
  if (!streams) return std::unexpected(streams.error());
  const auto pattern = FilterPattern::parse(in.filter_pattern.value_or(""));
  if (!pattern) return std::unexpected(pattern.error());
  const auto end = in.end_time ? std::optional(*in.end_time + 1) : std::nullopt;  // It is included here.
  std::vector<KeyedEvent> matching;
  for (const auto& name : *streams) {
    for (auto& [key, event] :
         events_between(state, stream_key(call.region, *group, name), in.start_time, end)) {
      if (pattern->matches(event->message)) matching.emplace_back(filtered_key(key, name), event);
    }
  }
  std::ranges::sort(matching, {}, &KeyedEvent::first);
  const bool newest_first = !in.start_from_head.value_or(true);
  if (newest_first) std::ranges::reverse(matching);
  if (in.next_token) {
    const auto last = from_base64url(*in.next_token);
    if (!last || !last->contains('/')) return invalid_parameter("The specified nextToken is invalid.");
    std::erase_if(matching, [&](const KeyedEvent& one) {
      return newest_first ? one.first >= *last : one.first <= *last;
    });
  }
  const std::size_t all = matching.size();
  cut_to_answer(state, matching, page_size(state, in.limit));
  api::FilterLogEventsResponse answer{.events = std::vector<api::FilteredLogEvent>{},
                                      .searched_log_streams = std::vector<api::SearchedLogStream>{}};
  for (const auto& [key, event] : matching) {
    const Sha256 hash = sha256(key);
    answer.events->push_back({.log_stream_name = key.substr(key.find('/') + 1),
                              .timestamp = event->timestamp,
                              .message = event->message,
                              .ingestion_time = event->ingestion_time,
                              .event_id = to_hex(hash)});
  }
  if (matching.size() < all) answer.next_token = to_base64url(matching.back().first);
  return answer;
}

}  // namespace instantstart::sandbox::logs
