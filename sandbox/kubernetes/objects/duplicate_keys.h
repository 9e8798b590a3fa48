// Which keys stand twice in one object of a JSON text: parsers keep the last one and say nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace instantstart::sandbox::kubernetes {

/// Paths of repeated keys, "spec.containers[0].name", each once, in the order they come. `text` must be valid
/// JSON.
std::vector<std::string> duplicate_keys(std::string_view text);

}  // namespace instantstart::sandbox::kubernetes
