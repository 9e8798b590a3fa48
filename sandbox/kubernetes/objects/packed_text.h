// Text that the build compressed into the program (zlib, RFC 1950).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace instantstart::sandbox::kubernetes {

struct PackedText {
  std::string_view bytes;
  std::size_t size;  ///< Unpacked.
};

/// Kubernetes' definitions by name, in OpenAPI v3 form: the bare types, and the types with descriptions.
const PackedText& packed_types();
const PackedText& packed_documents();

/// Error `internal` when the bytes are not what the build wrote.
Result<std::string> unpack(const PackedText& packed);

}  // namespace instantstart::sandbox::kubernetes
