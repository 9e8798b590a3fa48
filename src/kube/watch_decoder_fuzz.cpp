// However a watch is split, its events are the same, and whatever comes is events or an error with a reason.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kube/watch_decoder.h"

namespace {

using namespace instantstart::kube;

/// The events as one text, up to the first error.
std::string decoded(std::string_view first, std::string_view second) {
  WatchDecoder decoder({"/spec"}, {.max_kept_bytes = 4096, .max_raw_bytes = std::size_t{1} << 20});
  std::string text;
  for (const auto bytes : {first, second}) {
    const auto events = decoder.feed(bytes);
    if (!events) {
      if (events.error().message.empty()) std::abort();
      return "refused";
    }
    for (const WatchEvent& event : *events) {
      if (event.kind != WatchEvent::Kind::error && event.resource_version().empty()) std::abort();
      if ((event.kind == WatchEvent::Kind::error) != event.status.has_value()) std::abort();
      text += instantstart::to_text(event.object) + "\n";
    }
  }
  return text + (decoder.between_events() ? "." : "…");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t at = text.empty() ? 0 : data[0] % (text.size() + 1);
  if (decoded(text, "") != decoded(text.substr(0, at), text.substr(at))) std::abort();
  return 0;
}
