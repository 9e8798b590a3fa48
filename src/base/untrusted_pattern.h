// A regular expression that somebody else wrote, compiled once and run often: it may be one that we can't
// run, which is an answer, not a bug.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace instantstart {

/// As base/pattern.h, for expressions from outside. Linear time, at most 1 MiB of compiled program.
class UntrustedPattern {
 public:
  /// Error `invalid_request` for what RE2 can't parse or that gets too large.
  static Result<UntrustedPattern> compile(std::string_view expression);

  /// True when the expression matches somewhere in `text`.
  bool matches(std::string_view text) const;
  /// True when it matches all of `text`.
  bool matches_wholly(std::string_view text) const;
  /// nullopt when it doesn't match at the beginning of `text`; else what its first group took, "" without
  /// one.
  std::optional<std::string> match_at_start(std::string_view text) const;
  /// Capturing groups, named ones too.
  int groups() const;
  const std::string& expression() const { return expression_; }

 private:
  struct Compiled;
  std::string expression_;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace instantstart
