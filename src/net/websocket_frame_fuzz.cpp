// Feeds bytes to the decoder the server uses: at once, and cut at places the input chooses. Both must say the
// same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "net/websocket_frame.h"

namespace {

using namespace instantstart::net;
using Kind = WebSocketEvent::Kind;

/// Small, so that the fuzzer reaches it.
constexpr std::size_t k_limit = 256;
/// RFC 6455 5.5, less the code of a close frame or not.
constexpr std::size_t k_control = 125;
/// The longest head of a frame that is not complete.
constexpr std::size_t k_left = 13;

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<WebSocketEvent> decode(std::string_view bytes, std::size_t step) {
  WebSocketDecoder decoder(k_limit);
  std::vector<WebSocketEvent> events;
  std::size_t taken = 0;
  for (std::size_t end = 0; end < bytes.size();) {
    end = std::min(bytes.size(), end + step);
    while (true) {
      auto fed = decoder.feed(bytes.substr(taken, end - taken));
      taken += fed.taken;
      require(taken <= end);
      if (!fed.event) break;
      events.push_back(std::move(*fed.event));
    }
    require(end - taken <= k_left);
  }
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto whole = decode(bytes, bytes.size());
  require(decode(bytes, 1 + data[0] % 16) == whole);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const WebSocketEvent& event = whole[i];
    if (event.kind == Kind::violation) require(i + 1 == whole.size());
    require(event.data.size() <= (event.kind == Kind::message ? k_limit : k_control));
  }
  return 0;
}
