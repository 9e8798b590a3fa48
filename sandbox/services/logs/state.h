// What CloudWatch Logs remembers: groups, their streams, the events in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aws/shapes/logs.h"
#include "base/describe.h"
#include "sandbox/core/service.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox::logs {

/// "CloudWatch Logs quotas" in its user guide, and what the API reference says of PutLogEvents.
struct Limits {
  std::int64_t batch_bytes = 1'048'576;  ///< Messages in UTF-8, and 26 bytes for each event.
  std::int64_t answer_bytes = 1'048'576;
  std::int64_t answer_events = 10'000;
};

struct StoredEvent {
  std::int64_t timestamp = 0;  ///< Milliseconds since 1970, as the times below.
  std::int64_t ingestion_time = 0;
  std::string message;
};
Type describe(StoredEvent*);

struct State {
  explicit State(World& the_world, Limits the_limits = {});
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  World& world;
  Limits limits;
  Collection<aws::logs::LogGroup> groups;    ///< By regional_id.
  Collection<aws::logs::LogStream> streams;  ///< By stream_key.
  Collection<StoredEvent> events;            ///< By stream_key, ":" and event_key.
};

/// "us-west-2/group:stream": neither name may hold a colon.
std::string stream_key(std::string_view region, std::string_view group, std::string_view stream);
/// Sorts by time, then by arrival: "00001764547200000-0000000000000001".
std::string event_key(std::int64_t timestamp, std::int64_t arrival);

std::int64_t now_ms(const State& state);

std::unexpected<AwsFault> invalid_parameter(std::string message);
std::unexpected<AwsFault> no_such_group();
std::unexpected<AwsFault> no_such_stream();

}  // namespace instantstart::sandbox::logs
