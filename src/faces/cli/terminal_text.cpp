#include "faces/cli/terminal_text.h"

namespace instantstart::faces {
namespace {

constexpr char k_escape = '\x1b';
constexpr std::size_t k_longest_sequence = 64;

bool is_text(char c) {
  const auto code = static_cast<unsigned char>(c);
  return c == '\n' || c == '\r' || c == '\t' || (code >= 0x20 && code != 0x7F);
}

/// The length of the sequence that `text` begins with; npos while its end is not there.
std::size_t sequence_length(std::string_view text) {
  if (text.size() < 2) return std::string_view::npos;
  if (text[1] != '[') return 1;
  for (std::size_t i = 2; i < text.size(); ++i) {
    if (text[i] >= '@' && text[i] <= '~') return i + 1;
    if (text[i] < ' ' || text[i] > '?' || i >= k_longest_sequence) return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::string TerminalText::take(std::string_view piece) {
  const std::string all = held_ + std::string(piece);
  held_.clear();
  std::string shown;
  for (std::size_t i = 0; i < all.size();) {
    const std::string_view rest = std::string_view(all).substr(i);
    if (rest.front() == k_escape) {
      const auto length = sequence_length(rest);
      if (length == std::string_view::npos) {
        held_ = rest;
        break;
      }
      if (length > 2 && rest[length - 1] == 'm') shown += rest.substr(0, length);
      i += length;
    } else if (rest.front() == '\xC2' && rest.size() == 1) {
      held_ = rest;
      break;
    } else if (rest.front() == '\xC2' && static_cast<unsigned char>(rest[1]) < 0xA0) {
      i += 2;  // U+0080 to U+009F, which some terminals take for sequences.
    } else {
      if (is_text(rest.front())) shown += rest.front();
      ++i;
    }
  }
  return shown;
}

}  // namespace instantstart::faces
