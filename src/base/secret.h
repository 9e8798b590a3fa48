// Text that must not be shown: it has no conversion, no operator<< and no formatter, so it reaches a log, an
// error or a journal only where somebody wrote `reveal`.
#pragma once

#include <string>
#include <utility>

namespace instantstart {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  const std::string& reveal() const { return text_; }
  bool empty() const { return text_.empty(); }

  bool operator==(const Secret&) const = default;

 private:
  std::string text_;
};

}  // namespace instantstart
