#include "base/capturing_pattern.h"

#include <cstdio>
#include <cstdlib>

#include <re2/re2.h>

namespace instantstart {

struct CapturingPattern::Compiled {
  explicit Compiled(std::string_view expression)
      : re(re2::StringPiece(expression.data(), expression.size()), RE2::Latin1) {}
  RE2 re;
};

CapturingPattern::CapturingPattern(std::string_view expression)
    : compiled_(std::make_shared<const Compiled>(expression)) {
  if (compiled_->re.ok()) return;
  std::fprintf(stderr, "Bad expression: %s\n", compiled_->re.error().c_str());
  std::abort();
}

std::optional<std::vector<std::string_view>> CapturingPattern::find(std::string_view text) const {
  const int groups = compiled_->re.NumberOfCapturingGroups() + 1;
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(groups));
  const re2::StringPiece whole(text.data(), text.size());
  if (!compiled_->re.Match(whole, 0, text.size(), RE2::UNANCHORED, found.data(), groups)) return std::nullopt;
  std::vector<std::string_view> parts;
  for (std::size_t i = 1; i < found.size(); ++i) {
    parts.push_back(found[i].data() ? std::string_view(found[i].data(), found[i].size())
                                    : std::string_view());
  }
  return parts;
}

}  // namespace instantstart
