// What foreign text loses before a person, a terminal or a model reads it.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"

namespace instantstart {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

/// Code points that show nothing: Default_Ignorable_Code_Point of the Unicode Character Database
/// (DerivedCoreProperties.txt; it holds the bidirectional controls, zero-width, variation selectors and
/// tags), and the interlinear annotation controls.
constexpr auto k_invisible = std::to_array<Range>({
    {0x00AD, 0x00AD},
    {0x034F, 0x034F},
    {0x061C, 0x061C},
    {0x115F, 0x1160},
    {0x17B4, 0x17B5},
    {0x180B, 0x180F},
    {0x200B, 0x200F},
    {0x202A, 0x202E},
    {0x2060, 0x206F},
    {0x3164, 0x3164},
    {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB},
    {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A},
    {0xE0000, 0xE0FFF},
});

bool is_control(char32_t c) { return (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0); }

bool is_invisible(char32_t c) {
  const auto range = std::ranges::lower_bound(k_invisible, c, {}, &Range::last);
  return range != k_invisible.end() && range->first <= c;
}

bool in(std::string_view text, std::size_t at, char first, char last) {
  return at < text.size() && text[at] >= first && text[at] <= last;
}

/// After the introducer: parameters, intermediates, a final byte (ECMA-48 5.4). 0 when it is not complete.
std::size_t control_sequence(std::string_view text) {
  std::size_t at = 0;
  while (in(text, at, '0', '?')) ++at;
  while (in(text, at, ' ', '/')) ++at;
  return in(text, at, '@', '~') ? at + 1 : 0;
}

/// After the introducer of a title, a link or a device string: all up to BEL or ST. 0 when the line ends
/// before that, so that a forged beginning hides nothing.
std::size_t control_string(std::string_view text) {
  for (std::size_t at = 0; at < text.size() && text[at] != '\n'; ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with('\a')) return at + 1;
    if (rest.starts_with("\x1B\\") || rest.starts_with("\xC2\x9C")) return at + 2;
    if (rest.starts_with('\x1B')) return 0;  // starts another sequence, which cuts this one off
  }
  return 0;
}

/// How many bytes belong to the control that `introducer` (its seven-bit letter: '[' for CSI) begins.
std::size_t control_body(char introducer, std::string_view text) {
  switch (introducer) {
    case '[': return control_sequence(text);  // CSI
    case ']':
    case 'P':
    case 'X':
    case '^':
    case '_': return control_string(text);  // OSC, DCS, SOS, PM, APC
    default: return 0;
  }
}

/// The bytes of the control that `text` begins with, or 0.
std::size_t escape_bytes(std::string_view text) {
  if (text.starts_with('\x1B')) {
    if (in(text, 1, '@', '_')) return 2 + control_body(text[1], text.substr(2));
    std::size_t at = 1;  // other escapes: intermediates and a final byte
    while (in(text, at, ' ', '/')) ++at;
    return in(text, at, '0', '~') ? at + 1 : 1;
  }
  // The eight-bit forms, U+0080 to U+009F, which are the letters '@' to '_' without ESC.
  if (text.size() >= 2 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0) {
    const char introducer = static_cast<char>(static_cast<unsigned char>(text[1]) - 0x40);
    return 2 + control_body(introducer, text.substr(2));
  }
  return 0;
}

}  // namespace

std::string without_controls(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    std::size_t used = escape_bytes(text);
    if (used == 0) {
      used = point.bytes;
      if (!is_control(point.value) && !is_invisible(point.value)) append_utf8(clean, point.value);
    }
    text.remove_prefix(used);
  }
  return clean;
}

}  // namespace instantstart
