#include "sandbox/gateway/canonical_text.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"

namespace instantstart::sandbox {
namespace {

std::string decoded(std::string_view text) { return percent_decode(text).value_or(std::string(text)); }

}  // namespace

std::string collapsed_spaces(std::string_view value) {
  std::string text;
  for (const char c : trim(value)) {
    const bool blank = c == ' ' || c == '\t';
    if (blank && text.ends_with(' ')) continue;
    text += blank ? ' ' : c;
  }
  return text;
}

std::string canonical_path(std::string_view path) {
  std::vector<std::string_view> segments;
  for (const auto segment : split(path, '/')) {
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
  }
  std::string text;
  for (const auto segment : segments) text += "/" + percent_encode(segment);
  if (text.empty() || path.ends_with('/')) text += '/';
  return text;
}

std::string canonical_s3_path(std::string_view path) {
  return path.empty() ? "/" : percent_encode(decoded(path), "/");
}

std::string canonical_query(std::string_view query, std::string_view left_out) {
  std::vector<std::pair<std::string, std::string>> encoded;
  for (const auto& [name, value] : query_parameters(query)) {
    if (!left_out.empty() && name == left_out) continue;
    encoded.emplace_back(percent_encode(name), percent_encode(value));
  }
  std::ranges::sort(encoded);
  std::string text;
  for (const auto& [name, value] : encoded) {
    if (!text.empty()) text += '&';
    text += name + "=" + value;
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> query_parameters(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (query.empty()) return pairs;
  for (const auto pair : split(query, '&')) {
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    const auto value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    pairs.emplace_back(decoded(pair.substr(0, equals)), decoded(value));
  }
  return pairs;
}

}  // namespace instantstart::sandbox
