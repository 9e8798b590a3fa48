// Feeds bytes to the parser the server uses: at once, and cut at places the input chooses. Both must say the
// same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "net/http_request_parser.h"

namespace {

using namespace instantstart::net;

/// Small, so that the fuzzer reaches them.
constexpr RequestLimits k_limits{.target_bytes = 64, .header_bytes = 512, .body_bytes = 256};

void require(bool holds) {
  if (!holds) std::abort();
}

bool same(const Request& a, const Request& b) {
  return a.method == b.method && a.target == b.target && a.body == b.body &&
         std::ranges::equal(a.headers, b.headers);
}

/// What parse_request says, from pieces of `step` bytes.
std::expected<std::optional<ParsedRequest>, RequestRefusal> parse_in_pieces(std::string_view bytes,
                                                                            std::size_t step) {
  RequestParser parser(k_limits);
  std::size_t taken = 0;
  for (std::size_t end = 0; end < bytes.size() && !parser.done();) {
    end = std::min(bytes.size(), end + step);
    const auto fed = parser.feed(bytes.substr(taken, end - taken));
    if (!fed) return std::unexpected(fed.error());
    taken += *fed;
    require(taken <= end);
  }
  if (!parser.done()) return std::nullopt;
  return ParsedRequest{.request = parser.take(),
                       .size = taken,
                       .http_1_0 = parser.http_1_0(),
                       .keep_alive = parser.keep_alive()};
}

void check(const ParsedRequest& parsed) {
  require(parsed.request.target.starts_with('/'));
  require(parsed.request.target.size() <= k_limits.target_bytes);
  require(parsed.request.body.size() <= k_limits.body_bytes);
  require(parsed.request.headers.count("Host") == 1);
  require(!(parsed.request.headers.contains("Content-Length") &&
            parsed.request.headers.contains("Transfer-Encoding")));
  for (const auto& [name, value] : parsed.request.headers) {
    require(!name.empty() && name.find_first_of(" \t\r\n:") == std::string::npos);
    require(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
  }
  (void)parse_path(parsed.request.path());
  (void)parse_query(parsed.request.query());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = 1 + data[0] % 16;
  std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  while (!bytes.empty()) {
    const auto whole = parse_request(bytes, k_limits);
    const auto pieces = parse_in_pieces(bytes, step);
    require(whole.has_value() == pieces.has_value());
    if (!whole) {
      require(whole.error() == pieces.error());
      break;
    }
    require(whole->has_value() == pieces->has_value());
    if (!*whole) break;
    require((*whole)->size == (*pieces)->size && same((*whole)->request, (*pieces)->request));
    check(**whole);
    require((*whole)->size > 0);
    bytes.remove_prefix((*whole)->size);
  }
  return 0;
}
