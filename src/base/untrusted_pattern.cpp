#include "base/untrusted_pattern.h"

#include <re2/re2.h>

#include "base/error_codes.h"

namespace instantstart {
namespace {

RE2::Options bounded_options() {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(1 << 20);
  return options;
}

}  // namespace

struct UntrustedPattern::Compiled {
  explicit Compiled(const std::string& expression) : re(expression, bounded_options()) {}
  RE2 re;
};

Result<UntrustedPattern> UntrustedPattern::compile(std::string_view expression) {
  UntrustedPattern pattern;
  pattern.expression_ = expression;
  auto compiled = std::make_shared<Compiled>(pattern.expression_);
  if (!compiled->re.ok()) return fail(codes::invalid_request, compiled->re.error());
  pattern.compiled_ = std::move(compiled);
  return pattern;
}

bool UntrustedPattern::matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->re);
}

bool UntrustedPattern::matches_wholly(std::string_view text) const {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), compiled_->re);
}

std::optional<std::string> UntrustedPattern::match_at_start(std::string_view text) const {
  re2::StringPiece groups[2];
  const int wanted = compiled_->re.NumberOfCapturingGroups() > 0 ? 2 : 1;
  const re2::StringPiece whole(text.data(), text.size());
  if (!compiled_->re.Match(whole, 0, text.size(), RE2::ANCHOR_START, groups, wanted)) return std::nullopt;
  return std::string(groups[1].data() ? groups[1].data() : "", groups[1].size());
}

int UntrustedPattern::groups() const { return compiled_->re.NumberOfCapturingGroups(); }

}  // namespace instantstart
