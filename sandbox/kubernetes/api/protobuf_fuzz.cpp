#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sandbox/kubernetes/api/protobuf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  static_cast<void>(instantstart::sandbox::kubernetes::decode_protobuf(body));
  return 0;
}
