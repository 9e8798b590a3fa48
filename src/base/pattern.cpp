#include "base/pattern.h"

#include <cstdio>
#include <cstdlib>

#include <re2/re2.h>

namespace instantstart {

struct Pattern::Compiled {
  explicit Compiled(const std::string& expression) : re(expression, RE2::Quiet) {}
  RE2 re;
};

Pattern::Pattern(std::string_view expression)
    : expression_(expression), compiled_(std::make_shared<Compiled>(expression_)) {
  if (!compiled_->re.ok()) {
    std::fprintf(stderr, "bad pattern %s: %s\n", expression_.c_str(), compiled_->re.error().c_str());
    std::abort();
  }
}

bool Pattern::matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->re);
}

}  // namespace instantstart
