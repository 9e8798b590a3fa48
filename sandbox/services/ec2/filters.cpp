#include "sandbox/services/ec2/filters.h"

#include <algorithm>

#include <fmt/format.h>

#include "sandbox/services/ec2/errors.h"

namespace instantstart::sandbox::ec2 {
namespace {

const FilterName* find_name(std::span<const FilterName> names, std::string_view name) {
  const auto found = std::ranges::find_if(names, [name](const FilterName& known) {
    return known.name.ends_with(':') ? name.starts_with(known.name) && name.size() > known.name.size()
                                     : name == known.name;
  });
  return found == names.end() ? nullptr : &*found;
}

std::string scalar_text(const json::value& value) {
  switch (value.kind()) {
    case json::kind::string: return std::string(value.get_string());
    case json::kind::bool_: return value.get_bool() ? "true" : "false";
    case json::kind::int64: return fmt::format("{}", value.get_int64());
    case json::kind::uint64: return fmt::format("{}", value.get_uint64());
    case json::kind::double_: return fmt::format("{}", value.get_double());
    default: return "";
  }
}

/// Calls `visit` for every value that the path leads to, until it returns true.
template <class Visit>
bool any_at(const json::value& value, std::string_view path, const Visit& visit) {
  if (const auto* list = value.if_array()) {
    return std::ranges::any_of(*list, [&](const json::value& item) { return any_at(item, path, visit); });
  }
  if (path.empty()) return visit(value);
  const auto* object = value.if_object();
  if (!object) return false;
  const auto dot = std::min(path.find('.'), path.size());
  const json::value* member = object->if_contains(path.substr(0, dot));
  return member && any_at(*member, path.substr(std::min(dot + 1, path.size())), visit);
}

}  // namespace

Reply<FilterSet> FilterSet::make(const std::optional<std::vector<aws::ec2::Filter>>& filters,
                                 std::span<const FilterName> names) {
  FilterSet set;
  std::size_t values = 0;
  for (const auto& filter : aws::items(filters)) {
    const std::string name = filter.name.value_or("");
    const FilterName* known = find_name(names, name);
    if (!known) return invalid_parameter(fmt::format("The filter '{}' is invalid", name));
    if (aws::items(filter.values).empty()) {
      return invalid_parameter(fmt::format("The filter '{}' must have a value", name));
    }
    values += filter.values->size();
    const bool is_tag = known->name.ends_with(':');
    set.filters_.push_back({.path = known->path,
                            .tag_key = is_tag ? name.substr(known->name.size()) : "",
                            .is_tag = is_tag,
                            .patterns = *filter.values});
  }
  if (values > k_max_filter_values) {
    return fault("FilterLimitExceeded",
                 fmt::format("The maximum number of filter values specified on a single call is {}",
                             k_max_filter_values));
  }
  return set;
}

bool FilterSet::match(const json::value& record) const {
  return std::ranges::all_of(filters_, [&record](const One& filter) { return filter.match(record); });
}

bool FilterSet::One::match(const json::value& record) const {
  const auto matches_one = [this](const json::value& value) {
    const std::string text = scalar_text(value);
    return std::ranges::any_of(
        patterns, [&text](const std::string& pattern) { return matches_pattern(pattern, text); });
  };
  return any_at(record, path, [&](const json::value& found) {
    if (!is_tag) return matches_one(found);
    const auto* tag = found.if_object();
    if (!tag) return false;
    const json::value* key = tag->if_contains("Key");
    const json::value* value = tag->if_contains("Value");
    return key && value && scalar_text(*key) == tag_key && matches_one(*value);
  });
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  // Walks over the text with the set of all places in the pattern where it may be: no backtracking, so
  // foreign patterns can't make it slow.
  std::vector<char> at(pattern.size() + 1, 0);
  const auto enter = [&](std::vector<char>& places, std::size_t p) {
    places[p] = 1;
    while (p < pattern.size() && (pattern[p] == '*' || pattern[p] == '?')) places[++p] = 1;
  };
  enter(at, 0);
  for (const char c : text) {
    std::vector<char> next(at.size(), 0);
    for (std::size_t p = 0; p < pattern.size(); ++p) {
      if (!at[p]) continue;
      const bool escape = pattern[p] == '\\' && p + 1 < pattern.size();
      if (pattern[p] == '*') {
        enter(next, p);
      } else if (pattern[p] == '?' || pattern[escape ? p + 1 : p] == c) {
        enter(next, p + (escape ? 2 : 1));
      }
    }
    at = std::move(next);
  }
  return at.back() != 0;
}

}  // namespace instantstart::sandbox::ec2
