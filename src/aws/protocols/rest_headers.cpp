#include "aws/protocols/rest_headers.h"

#include <algorithm>

#include "aws/protocols/scalars.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

std::string header_scalar(const ShapeInfo& shape, const WireInfo& wire, const void* value) {
  if (shape.kind != ShapeKind::timestamp) return scalar_to_text(shape, wire, TimestampFormat::rfc822, value);
  const Timestamp whole{std::chrono::floor<std::chrono::seconds>(static_cast<const Timestamp*>(value)->time)};
  return scalar_to_text(shape, wire, TimestampFormat::rfc822, &whole);
}

std::string list_item(std::string text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string header_list(const ShapeInfo& shape, const void* list) {
  std::string text;
  for (std::size_t i = 0; i < shape.list->size(list); ++i) {
    if (i > 0) text += ',';
    text += list_item(header_scalar(*shape.element.shape, shape.element.wire, shape.list->at(list, i)));
  }
  return text;
}

/// The items of a list, unquoted.
std::vector<std::string> header_items(std::string_view text) {
  std::vector<std::string> items(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\' && i + 1 < text.size() && text[i + 1] == '"') {
      items.back() += text[++i];
    } else if (c == '"' && (quoted || trim(items.back()).empty())) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  for (auto& item : items) item = std::string(trim(item));
  return items;
}

Walked append_header(std::vector<NamedText>& headers, std::string name, std::string value) {
  if ((name + value).find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
    return faulty("has a line break, which a header can't carry");
  }
  headers.emplace_back(std::move(name), std::move(value));
  return {};
}

Walked append_map(const MemberInfo& member, const void* map, std::vector<NamedText>& headers) {
  Walked all;
  member.shape->map->each(map, [&](const std::string& key, const void* value) {
    if (!all) return;
    const ElementInfo& element = member.shape->element;
    all = append_header(headers, std::string(member.wire.name) + key,
                        header_scalar(*element.shape, element.wire, value));
    if (!all) all = in_member(key, std::move(all.error()));
  });
  return all;
}

Walked read_map(const MemberInfo& member, const std::vector<NamedText>& headers, void* structure) {
  const std::string prefix = to_lower(member.wire.name);
  void* map = nullptr;
  for (const auto& [name, value] : headers) {
    if (!to_lower(name).starts_with(prefix)) continue;
    if (!map) map = member.emplace(structure);
    const std::string key = name.substr(prefix.size());
    auto read = scalar_from_text(*member.shape->element.shape, value, member.shape->map->insert(map, key));
    if (!read) return in_member(key, std::move(read.error()));
  }
  return {};
}

Walked read_list(const ShapeInfo& shape, std::string_view text, void* list) {
  std::size_t index = 0;
  for (const std::string& item : header_items(text)) {
    auto read = scalar_from_text(*shape.element.shape, item, shape.list->append(list));
    if (!read) return in_item(index, std::move(read.error()));
    ++index;
  }
  return {};
}

Walked read_header(const MemberInfo& member, const std::string& text, void* structure) {
  if (member.shape->kind == ShapeKind::list) return read_list(*member.shape, text, member.emplace(structure));
  if (member.shape->kind == ShapeKind::timestamp) {
    Timestamp time;
    if (scalar_from_text(*member.shape, text, &time))
      *static_cast<Timestamp*>(member.emplace(structure)) = time;
    return {};
  }
  return scalar_from_text(*member.shape, text, member.emplace(structure));
}

}  // namespace

Walked append_headers(const ShapeInfo& shape, const void* structure, std::vector<NamedText>& headers) {
  for (const auto& member : shape.members) {
    const void* value = member.peek(structure);
    if (!value) continue;
    Walked appended;
    if (member.location == Location::header_map) {
      appended = append_map(member, value, headers);
    } else if (member.location == Location::header) {
      const bool is_list = member.shape->kind == ShapeKind::list;
      if (is_list && member.shape->list->size(value) == 0) continue;
      appended = append_header(
          headers, std::string(member.wire.name),
          is_list ? header_list(*member.shape, value) : header_scalar(*member.shape, member.wire, value));
    }
    if (!appended) return in_member(member.name, std::move(appended.error()));
  }
  return {};
}

Walked read_headers(const ShapeInfo& shape, const std::vector<NamedText>& headers, void* structure) {
  for (const auto& member : shape.members) {
    Walked read;
    if (member.location == Location::header_map) {
      read = read_map(member, headers, structure);
    } else if (member.location == Location::header) {
      const std::string* text = find_header(headers, member.wire.name);
      if (text) read = read_header(member, *text, structure);
    }
    if (!read) return in_member(member.name, std::move(read.error()));
  }
  return {};
}

}  // namespace instantstart::aws
