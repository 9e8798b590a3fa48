#include "aws/protocols/uri_template.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

bool is_label(std::string_view segment) { return segment.starts_with('{') && segment.ends_with('}'); }

std::string_view label_name(std::string_view segment) {
  segment = segment.substr(1, segment.size() - 2);
  return segment.ends_with('+') ? segment.substr(0, segment.size() - 1) : segment;
}

bool is_greedy(std::string_view segment) { return segment.ends_with("+}"); }

}  // namespace

UriTemplate split_uri(std::string_view uri) {
  const auto question = uri.find('?');
  if (question == std::string_view::npos) return {.path = uri, .query = {}};
  return {.path = uri.substr(0, question), .query = from_form(uri.substr(question + 1))};
}

std::expected<std::string, Fault> expand_path(
    std::string_view path, const std::function<std::optional<std::string>(std::string_view label)>& value) {
  std::string expanded;
  bool first = true;
  for (const std::string_view segment : split(path, '/')) {
    if (!first) expanded += '/';
    first = false;
    if (!is_label(segment)) {
      expanded += segment;
      continue;
    }
    const auto text = value(label_name(segment));
    if (!text || text->empty()) {
      return in_member(label_name(segment),
                       Fault{.at = {}, .reason = "is a part of the path and must not be empty"});
    }
    expanded += percent_encode(*text, is_greedy(segment) ? "/" : "");
  }
  return expanded;
}

std::optional<Labels> match_path(std::string_view path_template, std::string_view path) {
  Labels labels;
  const auto wanted = split(path_template, '/');
  const bool greedy = is_greedy(wanted.back());
  if (!greedy && path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const auto given = split(path, '/');
  if (greedy ? given.size() < wanted.size() : given.size() != wanted.size()) return std::nullopt;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::string_view segment = given[i];
    if (is_greedy(wanted[i])) {  // it is always the last one
      segment = path.substr(static_cast<std::size_t>(given[i].data() - path.data()));
    }
    const auto decoded = percent_decode(segment);
    if (!decoded) return std::nullopt;
    if (!is_label(wanted[i])) {
      if (*decoded != wanted[i]) return std::nullopt;
    } else if (decoded->empty()) {
      return std::nullopt;
    } else {
      labels[std::string(label_name(wanted[i]))] = *decoded;
    }
  }
  return labels;
}

std::size_t constant_segments(std::string_view path_template) {
  const auto segments = split(path_template, '/');
  return static_cast<std::size_t>(
      std::ranges::count_if(segments, [](auto segment) { return !is_label(segment); }));
}

}  // namespace instantstart::aws
