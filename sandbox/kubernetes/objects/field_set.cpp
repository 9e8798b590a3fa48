#include "sandbox/kubernetes/objects/field_set.h"

#include <algorithm>

#include "sandbox/kubernetes/objects/json_access.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr int k_max_depth = 64;

Outcome<> read_into(FieldSet& set, const json::object& fields, int depth) {
  if (depth > k_max_depth) return refuse(bad_request("fieldsV1 is nested too deeply"));
  for (const auto& [key, value] : fields) {
    const std::string_view element = key;
    const bool known = element == "." || element.starts_with("f:") || element.starts_with("k:") ||
                       element.starts_with("v:") || element.starts_with("i:");
    if (!known || !value.is_object())
      return refuse(bad_request("fieldsV1 has an unknown path element: " + to_text(json::value(element))));
    if (element == ".") continue;
    const auto& below = value.get_object();
    if (below.empty() || below.contains(".")) set.members.emplace(element);
    const bool has_children = !below.empty() && !(below.size() == 1 && below.contains("."));
    if (!has_children) continue;
    auto done = read_into(set.children[std::string(element)], below, depth + 1);
    if (!done) return done;
  }
  return {};
}

const Schema* below(const Schema* schema, std::string_view element) {
  if (!schema) return nullptr;
  if (element.starts_with("f:")) return schema->property(element.substr(2));
  return schema->kind == FieldKind::list ? schema->element : nullptr;
}

void drop_empty(FieldSet& set) {
  std::erase_if(set.children, [](const auto& child) { return child.second.empty(); });
}

void collect(const FieldSet& set, FieldPath& path, std::vector<FieldPath>& out) {
  std::set<std::string_view> elements(set.members.begin(), set.members.end());
  for (const auto& [element, child] : set.children) elements.insert(element);
  for (const auto element : elements) {
    path.emplace_back(element);
    if (set.members.contains(element)) out.push_back(path);
    if (const auto child = set.children.find(element); child != set.children.end())
      collect(child->second, path, out);
    path.pop_back();
  }
}

}  // namespace

Outcome<FieldSet> FieldSet::from_json(const json::value& fields) {
  FieldSet set;
  if (!fields.is_object()) return refuse(bad_request("fieldsV1 must be an object"));
  auto done = read_into(set, fields.get_object(), 0);
  if (!done) return refuse(std::move(done.error()));
  return set;
}

json::object FieldSet::to_json() const {
  json::object out;
  std::set<std::string_view> elements(members.begin(), members.end());
  for (const auto& [element, child] : children) elements.insert(element);
  for (const auto element : elements) {
    json::object value;
    if (const auto child = children.find(element); child != children.end()) {
      if (members.contains(element)) value["."] = json::object();
      for (auto& [key, item] : child->second.to_json()) value[key] = std::move(item);
    }
    out[element] = std::move(value);
  }
  return out;
}

bool FieldSet::empty() const {
  return members.empty() &&
         std::ranges::all_of(children, [](const auto& child) { return child.second.empty(); });
}

void FieldSet::insert(std::span<const std::string> path) {
  if (path.empty()) return;
  if (path.size() == 1) {
    members.insert(path.front());
  } else {
    children[path.front()].insert(path.subspan(1));
  }
}

bool FieldSet::has(std::span<const std::string> path) const {
  if (path.empty()) return false;
  if (path.size() == 1) return members.contains(path.front());
  const auto child = children.find(path.front());
  return child != children.end() && child->second.has(path.subspan(1));
}

FieldSet FieldSet::united(const FieldSet& other) const {
  FieldSet out = *this;
  out.members.insert(other.members.begin(), other.members.end());
  for (const auto& [element, child] : other.children) {
    auto& mine = out.children[element];
    mine = mine.united(child);
  }
  return out;
}

FieldSet FieldSet::without(const FieldSet& other) const {
  FieldSet out = *this;
  std::erase_if(out.members, [&](const std::string& member) { return other.members.contains(member); });
  for (auto& [element, child] : out.children) {
    const auto theirs = other.children.find(element);
    if (theirs != other.children.end()) child = child.without(theirs->second);
  }
  drop_empty(out);
  return out;
}

FieldSet FieldSet::common(const FieldSet& other) const {
  FieldSet out;
  for (const auto& member : members) {
    if (other.members.contains(member)) out.members.insert(member);
  }
  for (const auto& [element, child] : children) {
    const auto theirs = other.children.find(element);
    if (theirs != other.children.end()) out.children[element] = child.common(theirs->second);
  }
  drop_empty(out);
  return out;
}

FieldSet FieldSet::without_below(const FieldSet& other) const {
  FieldSet out = *this;
  std::erase_if(out.members, [&](const std::string& member) { return other.members.contains(member); });
  std::erase_if(out.children, [&](const auto& child) { return other.members.contains(child.first); });
  for (auto& [element, child] : out.children) {
    const auto theirs = other.children.find(element);
    if (theirs != other.children.end()) child = child.without_below(theirs->second);
  }
  drop_empty(out);
  return out;
}

FieldSet FieldSet::with_named_fields(const Schema* schema) const {
  FieldSet out;
  out.members = members;
  for (const auto& [element, child] : children) {
    if (schema && element.starts_with("f:")) {
      const std::string_view name = std::string_view(element).substr(2);
      const bool named = std::ranges::binary_search(
          schema->properties, name, {},
          [](const Property& property) { return std::string_view(property.name); });
      if (named) out.members.insert(element);
    }
    out.children[element] = child.with_named_fields(below(schema, element));
  }
  return out;
}

std::vector<FieldPath> FieldSet::paths() const {
  std::vector<FieldPath> out;
  FieldPath path;
  collect(*this, path, out);
  return out;
}

std::string path_text(const FieldPath& path) {
  std::string out;
  for (const auto& element : path) {
    const auto rest = element.substr(2);
    if (element.starts_with("f:")) {
      out += "." + rest;
    } else if (element.starts_with("v:")) {
      out += "[=" + rest + "]";
    } else if (element.starts_with("i:")) {
      out += "[" + rest + "]";
    } else {
      std::string keys;
      const auto parsed = parse_json(rest);
      if (parsed && parsed->is_object()) {
        for (const auto& [key, value] : parsed->get_object()) {
          keys += (keys.empty() ? "" : ",") + std::string(key) + "=" + to_text(value);
        }
      }
      out += "[" + keys + "]";
    }
  }
  return out;
}

std::string list_element(const Schema& list, const json::value& item) {
  if (list.list_type == ListType::set) return "v:" + to_canonical_text(item);
  const auto* object = item.if_object();
  if (!object || !list.element) return {};
  json::object keys;
  for (const auto& key : list.list_map_keys) {
    const auto* value = at(*object, key);
    if (value && !value->is_null()) {
      keys[key] = *value;
    } else if (const auto* schema = list.element->property(key); schema && schema->default_value) {
      keys[key] = *schema->default_value;
    }
  }
  return keys.empty() ? std::string() : "k:" + to_canonical_text(json::value(keys));
}

}  // namespace instantstart::sandbox::kubernetes
