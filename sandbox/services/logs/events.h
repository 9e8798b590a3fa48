// Log events: put, read in both directions, searched.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/logs/groups.h"
#include "sandbox/services/logs/state.h"

namespace instantstart::sandbox::logs {

/// No checks; the stream must exist.
void add_event(State& state, const std::string& stream_key, std::int64_t timestamp, std::string message);

Reply<api::PutLogEventsResponse> put_log_events(State& state, const Call& call,
                                                const api::PutLogEventsRequest& in);
/// The newest page first unless start_from_head says otherwise. At an end of the stream the answer has the
/// token that was given.
Reply<api::GetLogEventsResponse> get_log_events(State& state, const Call& call,
                                                const api::GetLogEventsRequest& in);
Reply<api::FilterLogEventsResponse> filter_log_events(State& state, const Call& call,
                                                      const api::FilterLogEventsRequest& in);

}  // namespace instantstart::sandbox::logs
