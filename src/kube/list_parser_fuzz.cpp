// However a list is split, its items are the same, and what it keeps is what a parse of the whole would keep.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kube/list_parser.h"

namespace {

using namespace instantstart::kube;

std::string parsed(std::string_view first, std::string_view second) {
  std::string text;
  ListParser parser({"/spec/a", "/status"},
                    [&](instantstart::json::object item) { text += instantstart::to_text(item) + "\n"; });
  for (const auto bytes : {first, second}) {
    if (const auto fed = parser.feed(bytes); !fed) {
      if (fed.error().message.empty()) std::abort();
      return "refused";
    }
  }
  const auto meta = parser.finish();
  return text + (meta ? meta->resource_version + meta->continue_token : meta.error().message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t at = text.empty() ? 0 : data[0] % (text.size() + 1);
  if (parsed(text, "") != parsed(text.substr(0, at), text.substr(at))) std::abort();
  return 0;
}
