#include "net/http.h"

#include <algorithm>

#include "base/text.h"
#include "net/http_characters.h"

namespace instantstart::net {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

/// RFC 3986 2.1; nullopt on a "%" without two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_value(text[i + 1]);
      const int low = hex_value(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

bool is_hiding(char c) { return is_control(c) || c == '\t' || c == '\\'; }

/// True when the piece climbs or stays, also after a later reader decoded it again ("%252e%252e").
bool is_evasive(std::string piece) {
  while (true) {
    if (std::ranges::any_of(piece, is_hiding)) return true;
    for (const auto part : split(piece, '/')) {
      if (part == "." || part == "..") return true;
    }
    auto again = percent_decoded(piece, false);
    if (!again || *again == piece) return false;
    piece = std::move(*again);
  }
}

}  // namespace

void Headers::set(std::string_view name, std::string value) {
  remove(name);
  fields_.emplace_back(std::string(name), std::move(value));
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [&](const auto& field) { return same_name(field.first, name); });
}

std::string_view Headers::get(std::string_view name) const {
  const auto found = std::ranges::find_if(fields_, [&](const auto& f) { return same_name(f.first, name); });
  return found == fields_.end() ? std::string_view() : std::string_view(found->second);
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(fields_, [&](const auto& field) { return same_name(field.first, name); }));
}

std::string_view Request::path() const {
  const std::string_view all = target;
  return all.substr(0, all.find('?'));
}

std::string_view Request::query() const {
  const std::string_view all = target;
  const std::size_t mark = all.find('?');
  return mark == std::string_view::npos ? std::string_view() : all.substr(mark + 1);
}

std::optional<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto piece : split(query, '&')) {
    if (piece.empty()) continue;
    const std::size_t mark = piece.find('=');
    auto name = percent_decoded(piece.substr(0, mark), true);
    auto value =
        mark == std::string_view::npos ? std::string() : percent_decoded(piece.substr(mark + 1), true);
    if (!name || !value) return std::nullopt;
    pairs.emplace_back(std::move(*name), std::move(*value));
  }
  return pairs;
}

std::optional<std::vector<std::string>> parse_path(std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  std::vector<std::string> pieces;
  if (path == "/") return pieces;
  for (const auto piece : split(path.substr(1), '/')) {
    auto decoded = percent_decoded(piece, false);
    if (!decoded || is_evasive(*decoded)) return std::nullopt;
    pieces.push_back(std::move(*decoded));
  }
  return pieces;
}

}  // namespace instantstart::net
