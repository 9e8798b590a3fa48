// A regular expression of ours that takes texts apart, in linear time (RE2 behind our own header).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace instantstart {

class CapturingPattern {
 public:
  /// A bad expression is a programming error and ends the process. `(?:…)` does not capture.
  explicit CapturingPattern(std::string_view expression);

  /// What the groups took where the expression matches first, "" for one that took no part; nullopt when it
  /// matches nowhere. The texts are parts of `text`.
  std::optional<std::vector<std::string_view>> find(std::string_view text) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace instantstart
