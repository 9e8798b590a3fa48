// The walks of structured-merge-diff over typed values: toFieldSet, Compare, Merge, RemoveItems.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/kubernetes/objects/field_set.h"
#include "sandbox/kubernetes/objects/json_access.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// What a place is for merging. Values of an unknown type are told by their value: maps merge, lists are
/// atomic.
enum class Shape { leaf, map, list };

const Schema& untyped() {
  static const Schema schema;
  return schema;
}

Shape shape_of(const Schema& schema, const json::value& value) {
  if (value.is_object()) {
    const bool merges =
        schema.kind == FieldKind::object || schema.kind == FieldKind::map || schema.kind == FieldKind::any;
    return merges && !schema.atomic_map ? Shape::map : Shape::leaf;
  }
  if (value.is_array()) {
    return schema.kind == FieldKind::list && schema.list_type != ListType::atomic ? Shape::list : Shape::leaf;
  }
  return Shape::leaf;
}

const Schema& field_schema(const Schema& schema, std::string_view name) {
  const auto* found = schema.property(name);
  return found ? *found : untyped();
}

bool is_named(const Schema& schema, std::string_view name) {
  const auto found = std::ranges::lower_bound(schema.properties, name, {}, &Property::name);
  return found != schema.properties.end() && found->name == name;
}

const Schema& item_schema(const Schema& list) { return list.element ? *list.element : untyped(); }

/// The items of a set or map list by their element, in order. An item without keys gets its index.
struct Items {
  std::vector<std::string> order;
  std::map<std::string, const json::value*> values;

  Items(const Schema& list, const json::value* value) {
    const auto* array = value ? value->if_array() : nullptr;
    if (!array) return;
    for (std::size_t i = 0; i < array->size(); ++i) {
      auto element = list_element(list, (*array)[i]);
      if (element.empty()) element = "i:" + std::to_string(i);
      if (values.emplace(element, &(*array)[i]).second) order.push_back(std::move(element));
    }
  }

  const json::value* find(const std::string& element) const {
    const auto found = values.find(element);
    return found == values.end() ? nullptr : found->second;
  }
};

void walk_fields(const Schema& schema, const json::value& value, FieldPath& path, FieldSet& set) {
  switch (shape_of(schema, value)) {
    case Shape::leaf: set.insert(path); return;
    case Shape::map:
      for (const auto& [key, item] : value.get_object()) {
        path.push_back("f:" + std::string(key));
        walk_fields(field_schema(schema, key), item, path, set);
        const bool no_content = item.is_null() || (item.is_object() && item.get_object().empty());
        if (no_content || !is_named(schema, key)) set.insert(path);
        path.pop_back();
      }
      return;
    case Shape::list:
      const Items items(schema, &value);
      for (const auto& element : items.order) {
        path.push_back(element);
        walk_fields(item_schema(schema), *items.find(element), path, set);
        set.insert(path);
        path.pop_back();
      }
      return;
  }
}

class Comparison {
 public:
  FieldChanges changes;

  void compare(const Schema& schema, const json::value* left, const json::value* right) {
    bool leaf = false;
    if (left && right) {
      const auto left_shape = shape_of_present(schema, *left, right);
      const auto right_shape = shape_of_present(schema, *right, left);
      if (left_shape == right_shape || left->is_null() || right->is_null()) {
        leaf = walk(schema, left->is_null() ? right_shape : left_shape, left, right);
      } else {
        walk(schema, left_shape, left, nullptr);
        leaf = walk(schema, right_shape, nullptr, right);
      }
    } else {
      leaf = walk(schema, shape_of(schema, left ? *left : *right), left, right);
    }
    if (leaf || path_.empty()) return;
    if (!left) changes.added.insert(path_);
    if (!right) changes.removed.insert(path_);
  }

 private:
  static Shape shape_of_present(const Schema& schema, const json::value& value, const json::value* other) {
    return value.is_null() && other ? shape_of(schema, *other) : shape_of(schema, value);
  }

  static bool no_items(const json::value* value) { return !value || is_zero(*value); }

  /// True when the place was compared as a whole.
  bool walk(const Schema& schema, Shape shape, const json::value* left, const json::value* right) {
    if (shape == Shape::leaf || (no_items(left) && no_items(right))) {
      if (!left) {
        changes.added.insert(path_);
      } else if (!right) {
        changes.removed.insert(path_);
      } else if (*left != *right) {
        changes.modified.insert(path_);
      }
      return true;
    }
    if (shape == Shape::map) {
      walk_map(schema, left ? left->if_object() : nullptr, right ? right->if_object() : nullptr);
    } else {
      walk_list(schema, left, right);
    }
    return false;
  }

  void walk_map(const Schema& schema, const json::object* left, const json::object* right) {
    const auto visit = [&](std::string_view key, const json::value* one, const json::value* other) {
      path_.push_back("f:" + std::string(key));
      compare(field_schema(schema, key), one, other);
      path_.pop_back();
    };
    if (left) {
      for (const auto& [key, value] : *left) visit(key, &value, right ? right->if_contains(key) : nullptr);
    }
    if (right) {
      for (const auto& [key, value] : *right) {
        if (!left || !left->contains(key)) visit(key, nullptr, &value);
      }
    }
  }

  void walk_list(const Schema& schema, const json::value* left, const json::value* right) {
    const Items one(schema, left);
    const Items other(schema, right);
    const auto visit = [&](const std::string& element) {
      path_.push_back(element);
      compare(item_schema(schema), one.find(element), other.find(element));
      path_.pop_back();
    };
    for (const auto& element : one.order) visit(element);
    for (const auto& element : other.order) {
      if (!one.find(element)) visit(element);
    }
  }

  FieldPath path_;
};

/// The result keeps the order of what is applied; items that only live has stay where they stood.
json::value merge_items(const Schema& schema, const json::value& live, const json::value& applied) {
  const Items left(schema, &live);
  const Items right(schema, &applied);
  std::vector<std::string> shared;  // Items of both, in the order of what is applied.
  for (const auto& element : right.order) {
    if (left.find(element)) shared.push_back(element);
  }
  json::array out;
  std::set<std::string> merged;
  std::size_t l = 0;
  std::size_t r = 0;
  std::size_t next = 0;
  const auto take_right = [&] {
    const auto& element = right.order[r++];
    const auto* mine = left.find(element);
    out.push_back(mine ? merge_fields(item_schema(schema), *mine, *right.find(element))
                       : *right.find(element));
    merged.insert(element);
    if (next < shared.size() && shared[next] == element) ++next;
  };
  while (l < left.order.size() || r < right.order.size()) {
    if (l < left.order.size()) {
      const auto& element = left.order[l];
      const bool in_both = right.find(element) != nullptr;
      if (!in_both) {
        out.push_back(*left.find(element));
        ++l;
        continue;
      }
      const bool same_place = r < right.order.size() && right.order[r] == element;
      const bool other_is_due = next < shared.size() && shared[next] != element;
      if (merged.contains(element) || (!same_place && other_is_due)) {
        ++l;
        continue;
      }
      if (same_place) ++l;
    }
    if (r < right.order.size()) take_right();
  }
  return out;
}

}  // namespace

FieldSet field_set_of(const Schema& schema, const json::value& value) {
  FieldSet set;
  FieldPath path;
  walk_fields(schema, value, path, set);
  return set;
}

FieldChanges compare_fields(const Schema& schema, const json::value& before, const json::value& after) {
  Comparison comparison;
  comparison.compare(schema, &before, &after);
  return std::move(comparison.changes);
}

json::value merge_fields(const Schema& schema, const json::value& live, const json::value& applied) {
  const auto shape = shape_of(schema, applied);
  if (applied.is_null() || live.kind() != applied.kind() || shape == Shape::leaf) return applied;
  if (shape == Shape::list) return merge_items(schema, live, applied);
  json::object out = live.get_object();
  for (const auto& [key, value] : applied.get_object()) {
    if (auto* mine = out.if_contains(key)) {
      *mine = merge_fields(field_schema(schema, key), *mine, value);
    } else {
      out[key] = value;
    }
  }
  return out;
}

json::value remove_fields(const Schema& schema, const json::value& value, const FieldSet& fields) {
  const auto shape = shape_of(schema, value);
  if (shape == Shape::leaf) return value;
  const auto child_of = [&](const std::string& element) {
    const auto found = fields.children.find(element);
    return found == fields.children.end() ? nullptr : &found->second;
  };
  if (shape == Shape::map) {
    json::object out;
    for (const auto& [key, item] : value.get_object()) {
      const auto element = "f:" + std::string(key);
      if (fields.members.contains(element)) continue;
      const auto* below = child_of(element);
      auto kept = below ? remove_fields(field_schema(schema, key), item, *below) : item;
      if (kept.is_null() && !item.is_null()) continue;
      out[key] = std::move(kept);
    }
    return out.empty() && !value.get_object().empty() ? json::value() : json::value(std::move(out));
  }
  json::array out;
  const auto& array = value.get_array();
  for (std::size_t i = 0; i < array.size(); ++i) {
    auto element = list_element(schema, array[i]);
    if (element.empty()) element = "i:" + std::to_string(i);
    if (fields.members.contains(element)) continue;
    const auto* below = child_of(element);
    auto kept = below ? remove_fields(item_schema(schema), array[i], *below) : array[i];
    if (!kept.is_null()) out.push_back(std::move(kept));
  }
  return out.empty() && !array.empty() ? json::value() : json::value(std::move(out));
}

}  // namespace instantstart::sandbox::kubernetes
