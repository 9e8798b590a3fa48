// Log groups and log streams.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/services/logs/state.h"

namespace instantstart::sandbox::logs {

namespace api = aws::logs;

/// The name of the group that a request means by name or by identifier, which is a name or an ARN. Refuses
/// both at once, neither, and a group that doesn't exist.
Reply<std::string> named_group(const State& state, const Call& call, const std::optional<std::string>& name,
                               const std::optional<std::string>& identifier);

/// No checks.
void make_group(State& state, std::string_view region, const std::string& name);
void make_stream(State& state, std::string_view region, const std::string& group, const std::string& name);

Reply<aws::Empty> create_log_group(State& state, const Call& call, const api::CreateLogGroupRequest& in);
Reply<aws::Empty> create_log_stream(State& state, const Call& call, const api::CreateLogStreamRequest& in);
Reply<api::DescribeLogGroupsResponse> describe_log_groups(State& state, const Call& call,
                                                          const api::DescribeLogGroupsRequest& in);
Reply<api::DescribeLogStreamsResponse> describe_log_streams(State& state, const Call& call,
                                                            const api::DescribeLogStreamsRequest& in);

}  // namespace instantstart::sandbox::logs
