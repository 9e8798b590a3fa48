#include "aws/protocols/http_parts.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::ranges::equal(a, b, [](char x, char y) {
           const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
           return lower(x) == lower(y);
         });
}

std::string decoded(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return percent_decode(spaced).value_or(spaced);
}

/// Pairs with everything escaped but unreserved characters and those in `keep`.
std::string joined(const std::vector<NamedText>& pairs, std::string_view keep = "") {
  std::string text;
  for (const auto& [name, value] : pairs) {
    if (!text.empty()) text += '&';
    text += percent_encode(name, keep);
    text += '=';
    text += percent_encode(value, keep);
  }
  return text;
}

}  // namespace

const std::string* find_header(const std::vector<NamedText>& headers, std::string_view name) {
  const auto found =
      std::ranges::find_if(headers, [&](const auto& header) { return same_name(header.first, name); });
  return found == headers.end() ? nullptr : &found->second;
}

std::string request_target(const HttpRequestParts& request) {
  return request.query.empty() ? request.path : request.path + "?" + joined(request.query);
}

std::string to_form(const std::vector<NamedText>& pairs) {
  std::string text = joined(pairs, " ");
  std::ranges::replace(text, ' ', '+');
  return text;
}

std::vector<NamedText> from_form(std::string_view text) {
  std::vector<NamedText> pairs;
  for (const std::string_view pair : split(text, '&')) {
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    pairs.emplace_back(decoded(pair.substr(0, equals)),
                       equals == std::string_view::npos ? std::string() : decoded(pair.substr(equals + 1)));
  }
  return pairs;
}

}  // namespace instantstart::aws
