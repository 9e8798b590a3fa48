#include "aws/protocols/form_body.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "aws/protocols/scalars.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

std::string_view name_or(std::string_view name, std::string_view otherwise) {
  return name.empty() ? otherwise : name;
}

class Writer {
 public:
  Writer(FormStyle style, std::vector<NamedText>& pairs) : style_(style), pairs_(pairs) {}

  void structure(const std::string& prefix, const ShapeInfo& shape, const void* object) {
    for (const auto& member : shape.members) {
      if (const void* found = member.peek(object)) {
        value(joined(prefix, member.wire.form_name), member.wire, *member.shape, found);
      }
    }
  }

 private:
  static std::string joined(const std::string& prefix, std::string_view name) {
    return prefix.empty() ? std::string(name) : fmt::format("{}.{}", prefix, name);
  }

  void value(const std::string& name, const WireInfo& wire, const ShapeInfo& shape, const void* found) {
    switch (shape.kind) {
      case ShapeKind::structure: return structure(name, shape, found);
      case ShapeKind::list: return list(name, wire, shape, found);
      case ShapeKind::map: return map(name, wire, shape, found);
      default: pairs_.emplace_back(name, scalar_to_text(shape, wire, TimestampFormat::iso8601, found));
    }
  }

  std::string list_prefix(const std::string& name, const WireInfo& wire, const ShapeInfo& shape) const {
    if (style_ == FormStyle::ec2) return name;
    const std::string_view item = shape.element.wire.form_name;
    if (!wire.flattened) return fmt::format("{}.{}", name, name_or(item, "member"));
    if (item.empty()) return name;
    const auto dot = name.rfind('.');  // the item's name stands in place of the list's
    return dot == std::string::npos ? std::string(item) : fmt::format("{}.{}", name.substr(0, dot), item);
  }

  void list(const std::string& name, const WireInfo& wire, const ShapeInfo& shape, const void* list) {
    const std::size_t size = shape.list->size(list);
    if (size == 0 && style_ == FormStyle::query) pairs_.emplace_back(name, "");
    const std::string prefix = list_prefix(name, wire, shape);
    for (std::size_t i = 0; i < size; ++i) {
      value(fmt::format("{}.{}", prefix, i + 1), shape.element.wire, *shape.element.shape,
            shape.list->at(list, i));
    }
  }

  void map(const std::string& name, const WireInfo& wire, const ShapeInfo& shape, const void* map) {
    const std::string prefix = wire.flattened ? name : name + ".entry";
    std::size_t index = 0;
    shape.map->each(map, [&](const std::string& key, const void* item) {
      const std::string entry = fmt::format("{}.{}", prefix, ++index);
      pairs_.emplace_back(joined(entry, name_or(shape.key.wire.form_name, "key")), key);
      value(joined(entry, name_or(shape.element.wire.form_name, "value")), shape.element.wire,
            *shape.element.shape, item);
    });
  }

  FormStyle style_;
  std::vector<NamedText>& pairs_;
};

/// The children whose names are numbers, in their order.
std::vector<const FormNode*> numbered(const FormNode& form) {
  std::vector<std::pair<unsigned, const FormNode*>> found;
  for (const auto& [name, node] : form.children) {
    unsigned number = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (failure == std::errc() && end == name.data() + name.size()) found.emplace_back(number, &node);
  }
  std::ranges::sort(found, {}, &std::pair<unsigned, const FormNode*>::first);
  std::vector<const FormNode*> nodes;
  for (const auto& [number, node] : found) nodes.push_back(node);
  return nodes;
}

class Reader {
 public:
  explicit Reader(FormStyle style) : style_(style) {}

  Walked structure(const ShapeInfo& shape, const FormNode& form, void* target) {
    for (const auto& member : shape.members) {
      const FormNode* node = form.child(member_name(member));
      if (!node) continue;
      auto read = value(member.wire, *member.shape, *node, member.emplace(target));
      if (!read) return in_member(member.name, std::move(read.error()));
    }
    return {};
  }

 private:
  std::string_view member_name(const MemberInfo& member) const {
    const bool replaced =
        style_ == FormStyle::query && member.wire.flattened && member.shape->kind == ShapeKind::list;
    return replaced ? name_or(member.shape->element.wire.form_name, member.wire.form_name)
                    : member.wire.form_name;
  }

  Walked value(const WireInfo& wire, const ShapeInfo& shape, const FormNode& form, void* target) {
    switch (shape.kind) {
      case ShapeKind::structure: return structure(shape, form, target);
      case ShapeKind::list: return list(wire, shape, form, target);
      case ShapeKind::map: return map(wire, shape, form, target);
      default: return scalar_from_text(shape, form.value, target);
    }
  }

  Walked list(const WireInfo& wire, const ShapeInfo& shape, const FormNode& form, void* target) {
    const FormNode* holder = &form;
    if (style_ == FormStyle::query && !wire.flattened) {
      holder = form.child(name_or(shape.element.wire.form_name, "member"));
      if (!holder) return {};  // "P=": an empty list
    }
    std::size_t index = 0;
    for (const FormNode* node : numbered(*holder)) {
      auto read = value(shape.element.wire, *shape.element.shape, *node, shape.list->append(target));
      if (!read) return in_item(index, std::move(read.error()));
      ++index;
    }
    return {};
  }

  Walked map(const WireInfo& wire, const ShapeInfo& shape, const FormNode& form, void* target) {
    const FormNode* holder = wire.flattened ? &form : form.child("entry");
    if (!holder) return {};
    for (const FormNode* entry : numbered(*holder)) {
      const FormNode* key = entry->child(name_or(shape.key.wire.form_name, "key"));
      const FormNode* item = entry->child(name_or(shape.element.wire.form_name, "value"));
      if (!key || !item) return faulty("has an entry without a key or a value");
      auto read =
          value(shape.element.wire, *shape.element.shape, *item, shape.map->insert(target, key->value));
      if (!read) return in_member(key->value, std::move(read.error()));
    }
    return {};
  }

  FormStyle style_;
};

}  // namespace

void append_form(FormStyle style, const ShapeInfo& shape, const void* structure,
                 std::vector<NamedText>& pairs) {
  Writer(style, pairs).structure("", shape, structure);
}

const FormNode* FormNode::child(std::string_view name) const {
  const auto found = children.find(name);
  return found == children.end() ? nullptr : &found->second;
}

std::expected<FormNode, Fault> form_tree(const std::vector<NamedText>& pairs) {
  FormNode root;
  for (const auto& [name, value] : pairs) {
    const auto parts = split(name, '.');
    if (parts.size() > k_max_value_depth) return faulty("has a name with too many parts");
    FormNode* node = &root;
    for (const std::string_view part : parts) node = &node->children[std::string(part)];
    node->value = value;
  }
  return root;
}

Walked structure_from_form(FormStyle style, const ShapeInfo& shape, const FormNode& form, void* structure) {
  return Reader(style).structure(shape, form, structure);
}

}  // namespace instantstart::aws
