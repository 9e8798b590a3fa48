#include "sandbox/services/logs/state.h"

#include <utility>

#include <fmt/format.h>

namespace instantstart::sandbox::logs {

Type describe(StoredEvent*) {
  using E = StoredEvent;
  return object_type<E>("StoredEvent", "A log event.",
                        {field<&E::timestamp>("timestamp", "When it happened, in milliseconds since 1970."),
                         field<&E::ingestion_time>("ingestion_time", "When it arrived."),
                         field<&E::message>("message", "Its text.")});
}

State::State(World& the_world, Limits the_limits)
    : world(the_world),
      limits(the_limits),
      groups(world, "logs.group"),
      streams(world, "logs.stream"),
      events(world, "logs.event") {}

std::string stream_key(std::string_view region, std::string_view group, std::string_view stream) {
  return fmt::format("{}/{}:{}", region, group, stream);
}

std::string event_key(std::int64_t timestamp, std::int64_t arrival) {
  return fmt::format("{:017}-{:016}", timestamp, arrival);
}

std::int64_t now_ms(const State& state) { return state.world.now().time_since_epoch().count(); }

std::unexpected<AwsFault> invalid_parameter(std::string message) {
  return fault("InvalidParameterException", std::move(message));
}

std::unexpected<AwsFault> no_such_group() {
  return fault("ResourceNotFoundException", "The specified log group does not exist.");
}

std::unexpected<AwsFault> no_such_stream() {
  return fault("ResourceNotFoundException", "The specified log stream does not exist.");
}

}  // namespace instantstart::sandbox::logs
