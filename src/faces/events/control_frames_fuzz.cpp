// Any bytes of a client: what is understood is in bounds, what is not has an answer that can be sent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"
#include "faces/events/control_frames.h"

namespace {

using namespace instantstart;
using namespace instantstart::faces;

void must(bool holds) {
  if (!holds) std::abort();
}

void check(const Subscribe& frame) {
  must(frame.channel >= 1 && frame.channel <= 65'535);
  must(!frame.topic.empty() && frame.credit >= 0 && frame.credit <= k_most_credit);
  must(!frame.cursor || *frame.cursor >= 0);
  const auto topic = operation_topic(frame.topic);
  if (topic && *topic && (*topic)->operation_id) must(frame.topic == "operation/" + *(*topic)->operation_id);
  must(parse_json(subscribed_frame(frame.channel, frame.topic, frame.cursor)).has_value());
}

void check(const Unsubscribe& frame) { must(frame.channel >= 1 && frame.channel <= 65'535); }

void check(const Credit& frame) { must(frame.credit >= 1 && frame.credit <= k_most_credit); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto frame = decode_client_frame(text);
  if (frame) {
    std::visit([](const auto& one) { check(one); }, *frame);
  } else {
    must(parse_json(error_frame(channel_of(text), frame.error(), "id")).has_value());
  }
  return 0;
}
