#include "sandbox/services/logs/groups.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/pattern.h"
#include "sandbox/core/arn.h"

namespace instantstart::sandbox::logs {
namespace {

/// What lists begin with when the request says nothing, and what they hold at most (API reference).
constexpr std::int64_t k_default_page = 50;

/// Marks what this code has made, so that any other text is refused.
constexpr std::string_view k_mark = "after:";

template <class T>
struct Page {
  std::vector<T> items;
  std::optional<std::string> next_token;
};

/// `sorted` are pairs of key and item; a token names the last key of the page before.
template <class T, class Request>
Reply<Page<T>> page_of(std::vector<std::pair<std::string, T>> sorted, const Request& request) {
  auto first = sorted.begin();
  if (request.next_token) {
    const auto text = from_base64url(*request.next_token);
    if (!text || !text->starts_with(k_mark)) return invalid_parameter("The specified nextToken is invalid.");
    first = std::ranges::find(sorted, text->substr(k_mark.size()), &std::pair<std::string, T>::first);
    if (first == sorted.end()) return invalid_parameter("The specified nextToken is invalid.");
    ++first;
  }
  const auto limit = std::min<std::int64_t>(request.limit.value_or(k_default_page), sorted.end() - first);
  Page<T> page;
  for (auto one = first; one != first + limit; ++one) page.items.push_back(one->second);
  if (first + limit != sorted.end()) {
    page.next_token = to_base64url(fmt::format("{}{}", k_mark, (first + limit - 1)->first));
  }
  return page;
}

/// API reference of CreateLogGroup and CreateLogStream.
std::optional<AwsFault> refuse_name(const Pattern& pattern, std::string_view member,
                                    const std::string& name) {
  if (pattern.matches(name)) return std::nullopt;
  return invalid_parameter(
             fmt::format(
                 "1 validation error detected: Value '{}' at '{}' failed to satisfy constraint: Member "
                 "must satisfy regular expression pattern: {}",
                 name, member, pattern.expression()))
      .error();
}

std::string group_arn(const State& state, std::string_view region, std::string_view name) {
  return make_arn("logs", region, state.world.account(), fmt::format("log-group:{}", name));
}

bool fits(const api::LogGroup& group, const api::DescribeLogGroupsRequest& in) {
  const std::string& name = *group.log_group_name;
  if (in.log_group_name_prefix && !name.starts_with(*in.log_group_name_prefix)) return false;
  if (in.log_group_name_pattern && !name.contains(*in.log_group_name_pattern)) return false;
  if (in.log_group_class && group.log_group_class != in.log_group_class) return false;
  const auto& wanted = aws::items(in.log_group_identifiers);
  return wanted.empty() || std::ranges::find(wanted, name) != wanted.end() ||
         std::ranges::find(wanted, *group.log_group_arn) != wanted.end();
}

/// By name, or by the last event's time and name.
std::string sort_key(const api::LogStream& stream, bool by_time) {
  if (!by_time) return *stream.log_stream_name;
  return fmt::format("{:017}{}", stream.last_event_timestamp.value_or(0), *stream.log_stream_name);
}

}  // namespace

Reply<std::string> named_group(const State& state, const Call& call, const std::optional<std::string>& name,
                               const std::optional<std::string>& identifier) {
  if (name.has_value() == identifier.has_value()) {
    return invalid_parameter("Either logGroupName or logGroupIdentifier must be specified, and not both.");
  }
  std::string found = name ? *name : *identifier;
  const std::string prefix = group_arn(state, call.region, "");
  if (identifier && found.starts_with(prefix)) found.erase(0, prefix.size());
  if (!state.groups.contains(regional_id(call.region, found))) return no_such_group();
  return found;
}

void make_group(State& state, std::string_view region, const std::string& name) {
  api::LogGroup group;
  group.log_group_name = name;
  group.creation_time = now_ms(state);
  group.metric_filter_count = 0;
  group.log_group_arn = group_arn(state, region, name);
  group.arn = *group.log_group_arn + ":*";
  group.stored_bytes = 0;
  group.log_group_class = "STANDARD";
  state.groups.put(regional_id(region, name), std::move(group));
}

void make_stream(State& state, std::string_view region, const std::string& group, const std::string& name) {
  api::LogStream stream;
  stream.log_stream_name = name;
  stream.creation_time = now_ms(state);
  stream.arn = fmt::format("{}:log-stream:{}", group_arn(state, region, group), name);
  stream.stored_bytes = 0;
  stream.upload_sequence_token = "0";
  state.streams.put(stream_key(region, group, name), std::move(stream));
}

Reply<aws::Empty> create_log_group(State& state, const Call& call, const api::CreateLogGroupRequest& in) {
  static const Pattern k_pattern(R"(^[.\-_/#A-Za-z0-9]+$)");
  const std::string& name = *in.log_group_name;
  if (auto refusal = refuse_name(k_pattern, "logGroupName", name))
    return std::unexpected(std::move(*refusal));
  if (name.starts_with("aws/")) {
    return invalid_parameter(
        fmt::format("Log groups starting with aws/ are reserved for AWS. Log group name: {}", name));
  }
  const std::string key = regional_id(call.region, name);
  if (state.groups.contains(key)) {
    return fault("ResourceAlreadyExistsException", "The specified log group already exists");
  }
  make_group(state, call.region, name);
  state.groups.edit(key, [&in](api::LogGroup& group) {
    group.kms_key_id = in.kms_key_id;
    group.log_group_class = in.log_group_class.value_or("STANDARD");
    group.deletion_protection_enabled = in.deletion_protection_enabled.value_or(false);
  });
  return aws::Empty{};
}

Reply<aws::Empty> create_log_stream(State& state, const Call& call, const api::CreateLogStreamRequest& in) {
  static const Pattern k_pattern("^[^:*]+$");
  if (auto refusal = refuse_name(k_pattern, "logStreamName", *in.log_stream_name)) {
    return std::unexpected(std::move(*refusal));
  }
  if (!state.groups.contains(regional_id(call.region, *in.log_group_name))) return no_such_group();
  if (state.streams.contains(stream_key(call.region, *in.log_group_name, *in.log_stream_name))) {
    return fault("ResourceAlreadyExistsException", "The specified log stream already exists");
  }
  make_stream(state, call.region, *in.log_group_name, *in.log_stream_name);
  return aws::Empty{};
}

Reply<api::DescribeLogGroupsResponse> describe_log_groups(State& state, const Call& call,
                                                          const api::DescribeLogGroupsRequest& in) {
  if (in.log_group_name_prefix && in.log_group_name_pattern) {
    return invalid_parameter("logGroupNamePrefix and logGroupNamePattern are mutually exclusive parameters.");
  }
  std::vector<std::pair<std::string, api::LogGroup>> sorted;
  for (const auto& [key, group] : state.groups.starting_with(regional_id(call.region, ""))) {
    if (fits(group, in)) sorted.emplace_back(key, group);
  }
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return api::DescribeLogGroupsResponse{.log_groups = std::move(page->items),
                                        .next_token = std::move(page->next_token)};
}

Reply<api::DescribeLogStreamsResponse> describe_log_streams(State& state, const Call& call,
                                                            const api::DescribeLogStreamsRequest& in) {
  const auto group = named_group(state, call, in.log_group_name, in.log_group_identifier);
  if (!group) return std::unexpected(group.error());
  const bool by_time = in.order_by == "LastEventTime";
  if (by_time && in.log_stream_name_prefix) {
    return invalid_parameter("Cannot order by LastEventTime with a logStreamNamePrefix.");
  }
  std::vector<std::pair<std::string, api::LogStream>> sorted;
  const std::string prefix = stream_key(call.region, *group, in.log_stream_name_prefix.value_or(""));
  for (const auto& [key, stream] : state.streams.starting_with(prefix)) {
    sorted.emplace_back(sort_key(stream, by_time), stream);
    sorted.back().second.upload_sequence_token.reset();  // AWS shows it no longer.
  }
  std::ranges::sort(sorted, {}, &std::pair<std::string, api::LogStream>::first);
  if (in.descending.value_or(false)) std::ranges::reverse(sorted);
  auto page = page_of(std::move(sorted), in);
  if (!page) return std::unexpected(std::move(page.error()));
  return api::DescribeLogStreamsResponse{.log_streams = std::move(page->items),
                                         .next_token = std::move(page->next_token)};
}

}  // namespace instantstart::sandbox::logs
