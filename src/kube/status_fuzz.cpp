// Whatever a server says in place of an object is an error with a registered code, bounded, in any form.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error_codes.h"
#include "kube/discovery.h"
#include "kube/json_access.h"
#include "kube/status.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace instantstart;
  using namespace instantstart::kube;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Error error = to_error(read_status(300 + data[0], text, text.substr(0, text.size() % 8)));
  if (error.message.empty() || error.message.size() > 8192 || error.problems.size() > 200) std::abort();
  if (error_code_info(error.code).code != error.code) std::abort();

  const auto value = parse_json(text);
  if (!value) return 0;
  ResourceCatalog catalog;
  for (auto& type : parse_aggregated_discovery(as_object(*value))) catalog.add(std::move(type));
  for (auto& type : parse_resource_list(as_object(*value))) catalog.add(std::move(type));
  for (const auto& type : catalog.types()) {
    if (!catalog.find(type.gvk) || !catalog.spelled(type.plural)) {
      // A dot in a name reads as a group; nothing else may hide a type.
      if (type.plural.find('.') == std::string::npos) std::abort();
    }
  }
  (void)parse_group_versions(as_object(*value));
  return 0;
}
