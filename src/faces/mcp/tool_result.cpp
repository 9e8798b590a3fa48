#include "faces/mcp/tool_result.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/text.h"

namespace instantstart::faces {
namespace {

constexpr std::size_t k_shortest_text = 200;
/// Each cut reads the whole body, so they are few; after them, members go.
constexpr int k_max_cuts = 32;
constexpr std::size_t k_told_cuts = 3;

std::size_t size_of(const json::value& value) { return to_text(value).size(); }

/// The largest value somewhere inside that `counts` accepts.
struct Largest {
  json::value* value = nullptr;
  std::string pointer;
  std::size_t bytes = 0;
};

template <class Counts>
void find_largest(json::value& value, const std::string& pointer, const Counts& counts, Largest& found) {
  if (counts(value)) {
    if (const std::size_t bytes = size_of(value); bytes > found.bytes) found = {&value, pointer, bytes};
    // What lies inside a list is smaller than the list.
    if (value.is_array()) return;
  }
  if (auto* array = value.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      find_largest((*array)[i], join_pointer(pointer, i), counts, found);
    }
  } else if (auto* object = value.if_object()) {
    for (auto& member : *object) {
      find_largest(member.value(), join_pointer(pointer, member.key()), counts, found);
    }
  }
}

/// Items from the front whose text takes at most `bytes`; at least one.
std::size_t prefix_that_fits(const json::array& items, std::size_t bytes) {
  std::size_t used = 0;
  std::size_t count = 0;
  for (const auto& item : items) {
    used += size_of(item) + 1;
    if (used > bytes) break;
    ++count;
  }
  return std::max<std::size_t>(count, 1);
}

std::size_t room_for(std::size_t part, std::size_t whole, std::size_t max_bytes) {
  const std::size_t excess = whole - max_bytes;
  return part > excess ? part - excess : 0;
}

/// Shortens the longest list or text; nullopt when there is none left that is worth it.
std::optional<json::object> cut_once(json::object& body, std::size_t max_bytes) {
  json::value whole(std::move(body));
  const std::size_t bytes = size_of(whole);
  std::optional<json::object> note;
  Largest list;
  find_largest(
      whole, "", [](const json::value& v) { return v.is_array() && v.get_array().size() > 1; }, list);
  Largest text;
  find_largest(
      whole, "",
      [](const json::value& v) { return v.is_string() && v.get_string().size() > k_shortest_text; }, text);
  if (list.value && list.bytes >= text.bytes) {
    auto& items = list.value->get_array();
    const std::size_t of = items.size();
    items.resize(std::min(prefix_that_fits(items, room_for(list.bytes, bytes, max_bytes)), of - 1));
    note = json::object{{"list", list.pointer}, {"shown", items.size()}, {"of", of}};
  } else if (text.value) {
    const std::string_view content(text.value->get_string());
    const std::size_t of = content.size();
    const std::size_t keep = std::clamp(room_for(of, bytes, max_bytes), k_shortest_text, of - 1);
    *text.value = shortened(content, keep);
    note = json::object{{"text", text.pointer}, {"of_bytes", of}};
  }
  body = std::move(whole.get_object());
  return note;
}

/// Takes members from the end until the rest fits.
std::optional<json::object> drop_members(json::object& body, std::size_t max_bytes) {
  std::size_t bytes = size_of(body);
  std::size_t dropped = 0;
  while (bytes > max_bytes && !body.empty()) {
    const auto last = body.end() - 1;
    // Of `"name":value,` only the value's length is exact; escapes in the name make it longer.
    bytes -= std::min(bytes, size_of(last->value()) + last->key().size() + 4);
    body.erase(last);
    ++dropped;
  }
  if (dropped == 0) return std::nullopt;
  return json::object{{"members_left_out", dropped}};
}

}  // namespace

json::value cleaned(const json::value& value) {
  if (const auto* text = value.if_string()) return json::value(json::string(without_controls(*text)));
  if (const auto* array = value.if_array()) {
    json::array items;
    items.reserve(array->size());
    for (const auto& item : *array) items.push_back(cleaned(item));
    return items;
  }
  if (const auto* object = value.if_object()) {
    json::object members;
    for (const auto& member : *object) members[without_controls(member.key())] = cleaned(member.value());
    return members;
  }
  return value;
}

json::object fitted(json::object body, std::size_t max_bytes, const std::string& hint) {
  if (size_of(body) <= max_bytes) return body;
  // What says that something was cut needs room too.
  const std::size_t notes_bytes = hint.size() + 256;
  const std::size_t aim = max_bytes > notes_bytes ? max_bytes - notes_bytes : 0;
  json::array cuts;
  for (int i = 0; i < k_max_cuts && size_of(body) > aim; ++i) {
    auto note = cut_once(body, aim);
    if (!note) break;
    if (cuts.size() < k_told_cuts) cuts.push_back(std::move(*note));
  }
  if (auto note = drop_members(body, aim)) cuts.push_back(std::move(*note));
  body["truncated"] = std::move(cuts);
  body["hint"] = hint;
  return body;
}

std::optional<std::size_t> items_that_fit(const json::object& body, std::size_t max_bytes) {
  const std::size_t bytes = size_of(body);
  if (bytes <= max_bytes) return std::nullopt;
  const json::array* longest = nullptr;
  std::size_t longest_bytes = 0;
  for (const auto& member : body) {
    if (!member.value().is_array()) continue;
    if (const std::size_t size = size_of(member.value()); size > longest_bytes) {
      longest = &member.value().get_array();
      longest_bytes = size;
    }
  }
  if (!longest || longest->size() < 2) return std::nullopt;
  const std::size_t count = prefix_that_fits(*longest, room_for(longest_bytes, bytes, max_bytes));
  return count < longest->size() ? std::optional(count) : std::nullopt;
}

std::string narrowing_hint(const contract::Action& action) {
  if (action.is_change()) {
    return "The plan is longer than fits here. Look at all of it by the REST API or the CLI before "
           "confirming.";
  }
  std::vector<std::string> members;
  for (const auto& field : action.request->fields) {
    if (!field.required() && members.size() < 6) members.emplace_back(field.name);
  }
  if (action.spec.paged) members.insert(members.begin(), {"limit", "cursor"});
  if (members.empty())
    return "The answer was longer than fits here; the REST API and the CLI give all of it.";
  return fmt::format("The answer was longer than fits here. Narrow it with {}.", join(members, ", "));
}

json::object tool_result(const json::object& body, bool is_error, Revision revision) {
  json::object result{{"content", json::array{json::object{{"type", "text"}, {"text", to_text(body)}}}}};
  if (has_structured_content(revision)) result["structuredContent"] = body;
  if (is_error) result["isError"] = true;
  result["_meta"] = json::object{{k_untrusted_key, true}};
  return result;
}

json::object problem_result(const contract::Problem& problem, Revision revision) {
  json::value body = cleaned(encode(problem));
  return tool_result(
      fitted(std::move(body.as_object()), k_result_bytes, "There are more problems of this kind."), true,
      revision);
}

}  // namespace instantstart::faces
