// Any bytes are a file or an error that says why.
#include <cstdint>
#include <cstdlib>

#include "aws/ini_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace instantstart;
  const auto file = aws::parse_ini({reinterpret_cast<const char*>(data), size});
  if (!file) {
    if (file.error().code != "credentials_invalid" || file.error().message.empty()) std::abort();
    return 0;
  }
  for (const auto& [name, section] : *file) {
    if (name.empty()) std::abort();
    for (const auto& [key, value] : section.values) {
      if (key.empty() || section.nested.contains(key)) std::abort();
    }
  }
  return 0;
}
