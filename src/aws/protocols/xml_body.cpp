#include "aws/protocols/xml_body.h"

#include <algorithm>

#include <pugixml.hpp>

#include "aws/protocols/scalars.h"

namespace instantstart::aws {
namespace {

std::string_view name_or(std::string_view name, std::string_view otherwise) {
  return name.empty() ? otherwise : name;
}

/// The items of a flattened list are named by the list's element where the model names it (botocore's parser,
/// and the query serialiser, do the same).
std::string_view element_name(const MemberInfo& member) {
  if (member.shape->kind == ShapeKind::list && member.wire.flattened) {
    return name_or(member.shape->element.wire.name, member.wire.name);
  }
  return member.wire.name;
}

/// XML 1.0 has no place for most control characters, not even as references (section 2.2).
bool fits_in_xml(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r'; });
}

/// Adds elements; the first text that does not fit stops it, and is the fault.
class Writer {
 public:
  Walked members(pugi::xml_node element, const ShapeInfo& shape, const void* structure) {
    for (const auto& member : shape.members) {
      if (auto written = one_member(element, member, structure); !written) return written;
    }
    return {};
  }

  Walked one_member(pugi::xml_node element, const MemberInfo& member, const void* structure) {
    const void* found = member.location == Location::body ? member.peek(structure) : nullptr;
    if (!found) return {};
    auto written = present_member(element, member, found);
    return written ? written : in_member(member.name, std::move(written.error()));
  }

 private:
  Walked present_member(pugi::xml_node element, const MemberInfo& member, const void* found) {
    if (!member.wire.xml_attribute)
      return value(element, element_name(member), member.wire, *member.shape, found);
    const std::string text = scalar_to_text(*member.shape, member.wire, TimestampFormat::iso8601, found);
    if (!fits_in_xml(text)) return faulty("has a character that XML can't carry");
    element.append_attribute(std::string(member.wire.name).c_str()).set_value(text.c_str());
    return {};
  }

  Walked value(pugi::xml_node parent, std::string_view name, const WireInfo& wire, const ShapeInfo& shape,
               const void* found) {
    switch (shape.kind) {
      case ShapeKind::structure: return members(element(parent, name, wire), shape, found);
      case ShapeKind::list: return list(parent, name, wire, shape, found);
      case ShapeKind::map: return map(parent, name, wire, shape, found);
      default: break;
    }
    return text(element(parent, name, wire), scalar_to_text(shape, wire, TimestampFormat::iso8601, found));
  }

  Walked list(pugi::xml_node parent, std::string_view name, const WireInfo& wire, const ShapeInfo& shape,
              const void* list) {
    const ElementInfo& item = shape.element;
    const pugi::xml_node holder = wire.flattened ? parent : element(parent, name, wire);
    const std::string_view item_name = wire.flattened ? name : name_or(item.wire.name, "member");
    for (std::size_t i = 0; i < shape.list->size(list); ++i) {
      auto written = value(holder, item_name, item.wire, *item.shape, shape.list->at(list, i));
      if (!written) return in_item(i, std::move(written.error()));
    }
    return {};
  }

  Walked map(pugi::xml_node parent, std::string_view name, const WireInfo& wire, const ShapeInfo& shape,
             const void* map) {
    pugi::xml_node holder = wire.flattened ? parent : element(parent, name, wire);
    Walked all;
    shape.map->each(map, [&](const std::string& key, const void* item) {
      if (!all) return;
      all =
          entry(holder.append_child(wire.flattened ? std::string(name).c_str() : "entry"), shape, key, item);
      if (!all) all = in_member(key, std::move(all.error()));
    });
    return all;
  }

  Walked entry(pugi::xml_node entry, const ShapeInfo& shape, const std::string& key, const void* item) {
    auto written = text(element(entry, name_or(shape.key.wire.name, "key"), shape.key.wire), key);
    if (!written) return written;
    const WireInfo& wire = shape.element.wire;
    return value(entry, name_or(wire.name, "value"), wire, *shape.element.shape, item);
  }

  static pugi::xml_node element(pugi::xml_node parent, std::string_view name, const WireInfo& wire) {
    pugi::xml_node made = parent.append_child(std::string(name).c_str());
    if (wire.xml_namespace) declare_namespace(made, *wire.xml_namespace);
    return made;
  }

  static Walked text(pugi::xml_node element, const std::string& text) {
    if (!fits_in_xml(text)) return faulty("has a character that XML can't carry");
    if (!text.empty()) element.text().set(text.c_str());
    return {};
  }
};

/// White space around a value does not count, and none inside base64, which may be folded.
std::string without_white_space(const ShapeInfo& shape, std::string text) {
  constexpr std::string_view k_white_space = " \t\r\n";
  if (shape.kind == ShapeKind::blob) {
    std::erase_if(text, [&](char c) { return k_white_space.find(c) != std::string_view::npos; });
    return text;
  }
  const auto first = text.find_first_not_of(k_white_space);
  return first == std::string::npos ? std::string()
                                    : text.substr(first, text.find_last_not_of(k_white_space) - first + 1);
}

class Reader {
 public:
  /// One pass over the children, since a shape has many more members than an answer has elements.
  Walked members(const ShapeInfo& shape, pugi::xml_node element, void* target, int depth) {
    if (depth > k_max_value_depth) return faulty("is nested too deeply");
    if (auto read = attributes(shape, element, target); !read) return read;
    std::size_t expected = 0;  // elements mostly come in the order of the members
    for (auto child = element.first_child(); child; child = child.next_sibling()) {
      if (child.type() != pugi::node_element) continue;
      const MemberInfo* member = member_named(shape, local_name(child), expected);
      if (!member) continue;
      auto read = one_member(*member, child, target, depth + 1);
      if (!read) return in_member(member->name, std::move(read.error()));
    }
    return {};
  }

 private:
  static const MemberInfo* member_named(const ShapeInfo& shape, std::string_view name,
                                        std::size_t& expected) {
    const std::size_t count = shape.members.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t index = (expected + i) % count;
      const MemberInfo& member = shape.members[index];
      if (element_name(member) != name || member.location != Location::body || member.wire.xml_attribute)
        continue;
      expected = index + 1;
      return &member;
    }
    return nullptr;
  }

  static Walked attributes(const ShapeInfo& shape, pugi::xml_node element, void* target) {
    if (!element.first_attribute()) return {};
    for (const auto& member : shape.members) {
      if (!member.wire.xml_attribute) continue;
      const pugi::xml_attribute found = element.attribute(std::string(member.wire.name).c_str());
      if (!found) continue;
      auto read = scalar_from_text(*member.shape, found.value(), member.emplace(target));
      if (!read) return in_member(member.name, std::move(read.error()));
    }
    return {};
  }

  /// Of an element that comes again, only what is flattened takes more than the first.
  Walked one_member(const MemberInfo& member, pugi::xml_node element, void* target, int depth) {
    const ShapeInfo& shape = *member.shape;
    const void* present = member.peek(target);
    if (member.wire.flattened && (shape.kind == ShapeKind::list || shape.kind == ShapeKind::map)) {
      void* collection = present ? const_cast<void*>(present) : member.emplace(target);
      return shape.kind == ShapeKind::list
                 ? item(shape, element, collection, shape.list->size(collection), depth)
                 : entry(shape, element, collection, depth);
    }
    const bool may_be_empty = shape.kind == ShapeKind::structure || shape.kind == ShapeKind::list ||
                              shape.kind == ShapeKind::map || shape.kind == ShapeKind::string ||
                              shape.kind == ShapeKind::blob;
    if (present || (!may_be_empty && !element.first_child())) return {};
    return value(shape, element, member.emplace(target), depth);
  }

  Walked value(const ShapeInfo& shape, pugi::xml_node element, void* target, int depth) {
    switch (shape.kind) {
      case ShapeKind::structure: return members(shape, element, target, depth);
      case ShapeKind::list: return list(shape, element, target, depth);
      case ShapeKind::map: return map(shape, element, target, depth);
      case ShapeKind::boolean: *static_cast<bool*>(target) = text_of(element) == "true"; return {};
      case ShapeKind::string: return scalar_from_text(shape, text_of(element), target);
      default: return scalar_from_text(shape, without_white_space(shape, text_of(element)), target);
    }
  }

  Walked item(const ShapeInfo& shape, pugi::xml_node element, void* target, std::size_t index, int depth) {
    auto read = value(*shape.element.shape, element, shape.list->append(target), depth + 1);
    return read ? read : in_item(index, std::move(read.error()));
  }

  /// Every child is an item, whatever it is called.
  Walked list(const ShapeInfo& shape, pugi::xml_node element, void* target, int depth) {
    if (depth > k_max_value_depth) return faulty("is nested too deeply");
    std::size_t index = 0;
    for (auto child = element.first_child(); child; child = child.next_sibling()) {
      if (child.type() != pugi::node_element) continue;
      if (auto read = item(shape, child, target, index++, depth); !read) return read;
    }
    return {};
  }

  Walked map(const ShapeInfo& shape, pugi::xml_node element, void* target, int depth) {
    if (depth > k_max_value_depth) return faulty("is nested too deeply");
    for (auto child = element.first_child(); child; child = child.next_sibling()) {
      if (child.type() != pugi::node_element) continue;
      if (auto read = entry(shape, child, target, depth); !read) return read;
    }
    return {};
  }

  Walked entry(const ShapeInfo& shape, pugi::xml_node element, void* target, int depth) {
    const pugi::xml_node key = child_named(element, name_or(shape.key.wire.name, "key"));
    const pugi::xml_node item = child_named(element, name_or(shape.element.wire.name, "value"));
    if (!key || !item) return faulty("has an entry without a key or a value");
    std::string name = text_of(key);
    auto read = value(*shape.element.shape, item, shape.map->insert(target, name), depth + 1);
    return read ? read : in_member(name, std::move(read.error()));
  }
};

}  // namespace

Walked append_members(pugi::xml_node element, const ShapeInfo& shape, const void* structure) {
  return Writer().members(element, shape, structure);
}

Walked append_member(pugi::xml_node element, const MemberInfo& member, const void* structure) {
  return Writer().one_member(element, member, structure);
}

Walked members_from_xml(const ShapeInfo& shape, pugi::xml_node element, void* structure) {
  return Reader().members(shape, element, structure, 0);
}

}  // namespace instantstart::aws
