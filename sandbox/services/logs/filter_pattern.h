// Filter patterns for unstructured log events ("Filter pattern syntax" in the user guide). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/service.h"

namespace instantstart::sandbox::logs {

/// Terms and quoted phrases that all have to be in a message, `?term` of which one has to be (they count only
/// when there are no others), `-term` that must not be. Upper and lower case differ.
class FilterPattern {
 public:
  /// An empty pattern matches everything. Refuses what is no pattern; and JSON, space-delimited and regular
  /// expression patterns, which are not simulated, by name.
  static Reply<FilterPattern> parse(std::string_view text);

  bool matches(std::string_view message) const;

 private:
  std::vector<std::string> required_;
  std::vector<std::string> any_;
  std::vector<std::string> excluded_;
};

}  // namespace instantstart::sandbox::logs
