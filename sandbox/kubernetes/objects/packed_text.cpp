#include "sandbox/kubernetes/objects/packed_text.h"

#include <zlib.h>

#include "base/error_codes.h"

namespace instantstart::sandbox::kubernetes {

Result<std::string> unpack(const PackedText& packed) {
  std::string text(packed.size, '\0');
  uLongf size = text.size();
  const int result = uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                                reinterpret_cast<const Bytef*>(packed.bytes.data()), packed.bytes.size());
  if (result != Z_OK || size != packed.size) {
    return fail(codes::internal, "The types of Kubernetes' objects in this program are damaged.");
  }
  return text;
}

}  // namespace instantstart::sandbox::kubernetes
