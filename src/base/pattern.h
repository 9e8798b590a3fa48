// A compiled regular expression that runs in linear time on foreign input (RE2 behind our own header).
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace instantstart {

class Pattern {
 public:
  /// `expression` is the common subset of ECMA 262 and RE2 (no look-around, no back-references), since it is
  /// shown to callers in JSON Schema too. A bad expression is a programming error and ends the process.
  explicit Pattern(std::string_view expression);
  Pattern(const char* expression) : Pattern(std::string_view(expression)) {}  // NOLINT: reads well in tables

  /// As JSON Schema's `pattern`: true when the expression matches somewhere in `text`; anchor it to match all
  /// of it.
  bool matches(std::string_view text) const;

  std::string_view expression() const { return expression_; }

 private:
  struct Compiled;
  std::string expression_;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace instantstart
