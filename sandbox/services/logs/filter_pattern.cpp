#include "sandbox/services/logs/filter_pattern.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sandbox/services/logs/state.h"

namespace instantstart::sandbox::logs {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

/// What needs no quotes; bytes beyond ASCII are letters here.
bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// What a pattern begins with that is of another kind than terms.
std::string_view other_kind(char first) {
  switch (first) {
    case '{': return "JSON filter patterns";
    case '[': return "filter patterns for space-delimited events";
    case '%': return "regular expressions in filter patterns";
    default: return "";
  }
}

/// Takes a term or phrase off the beginning of `rest`.
std::optional<std::string> take_term(std::string_view& rest) {
  std::string term;
  if (!rest.empty() && rest.front() == '"') {
    std::size_t i = 1;
    for (; i < rest.size() && rest[i] != '"'; ++i) {
      if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
      term += rest[i];
    }
    if (i >= rest.size()) return std::nullopt;
    rest.remove_prefix(i + 1);
  } else {
    const auto end = std::ranges::find_if_not(rest, is_bare);
    term.assign(rest.begin(), end);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.begin()));
  }
  const bool ends = rest.empty() || is_space(rest.front());
  return term.empty() || !ends ? std::nullopt : std::optional(std::move(term));
}

}  // namespace

Reply<FilterPattern> FilterPattern::parse(std::string_view text) {
  FilterPattern pattern;
  std::string_view rest = text;
  const auto skip_space = [&rest] {
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  };
  for (skip_space(); !rest.empty(); skip_space()) {
    const char first = rest.front();
    if (const auto kind = other_kind(first); !kind.empty()) {
      return invalid_parameter(fmt::format("The sandbox does not simulate {}.", kind));
    }
    auto* terms = first == '?' ? &pattern.any_ : first == '-' ? &pattern.excluded_ : &pattern.required_;
    if (terms != &pattern.required_) rest.remove_prefix(1);
    if (!rest.empty() && rest.front() == '%') {
      return invalid_parameter("The sandbox does not simulate regular expressions in filter patterns.");
    }
    auto term = take_term(rest);
    if (!term) return invalid_parameter(fmt::format("Invalid filter pattern: {}", text));
    terms->push_back(std::move(*term));
  }
  return pattern;
}

bool FilterPattern::matches(std::string_view message) const {
  const auto is_in = [message](const std::string& term) { return message.contains(term); };
  if (std::ranges::any_of(excluded_, is_in)) return false;
  if (!required_.empty()) return std::ranges::all_of(required_, is_in);
  return any_.empty() || std::ranges::any_of(any_, is_in);
}

}  // namespace instantstart::sandbox::logs
