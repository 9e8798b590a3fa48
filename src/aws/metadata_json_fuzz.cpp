// Whatever a metadata service answers is credentials with an expiry, or an error with a reason.
#include <cstdint>
#include <cstdlib>

#include "aws/metadata_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace instantstart::aws;
  const auto credentials = parse_metadata_credentials({reinterpret_cast<const char*>(data), size});
  if (!credentials && credentials.error().message.empty()) std::abort();
  if (credentials && !credentials->expiry) std::abort();
  return 0;
}
