// One step through UTF-8 text that may be anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace instantstart {

struct CodePoint {
  char32_t value;  ///< U+FFFD when the bytes are not UTF-8.
  std::size_t
      bytes;  ///< How many bytes it takes, at least 1. Of a broken sequence: the part that was fine so far.
  bool valid;
};

/// The first code point of `text`, which must not be empty. Overlong forms, surrogates and values past
/// U+10FFFF are broken sequences (The Unicode Standard, table 3-7), split as its section 3.9 recommends.
CodePoint first_code_point(std::string_view text);

void append_utf8(std::string& text, char32_t code_point);

}  // namespace instantstart
