// A URL that is accepted says the same when it is put together from its parts and read again.
#include <cstdint>
#include <cstdlib>

#include "aws/url.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace instantstart::aws;
  const auto url = parse_url({reinterpret_cast<const char*>(data), size});
  if (!url) return 0;
  std::string text = url->scheme + "://" + url->authority + url->path;
  if (!url->query.empty()) text += "?" + url->query;
  const auto again = parse_url(text);
  if (!again || again->scheme != url->scheme || again->host != url->host ||
      again->authority != url->authority || again->path != url->path || again->query != url->query ||
      again->loopback != url->loopback) {
    std::abort();
  }
  return 0;
}
