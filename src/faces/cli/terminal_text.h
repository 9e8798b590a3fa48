// Foreign text for a terminal: it may have colours and rewrite its line, and nothing else.
#pragma once

#include <string>
#include <string_view>

namespace instantstart::faces {

/// Keeps newlines, carriage returns, tabs and the sequences that set colours (ECMA-48 SGR); all other control
/// characters and sequences are left out. Sequences may be cut anywhere between pieces.
class TerminalText {
 public:
  std::string take(std::string_view piece);

 private:
  std::string held_;  ///< The beginning of a sequence.
};

}  // namespace instantstart::faces
