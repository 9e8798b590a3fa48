// Strategic merge patch, as apimachinery's strategicpatch merges a patch into an object.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/patch.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_patch = "$patch";
constexpr std::string_view k_retain_keys = "$retainKeys";
constexpr std::string_view k_delete_from = "$deleteFromPrimitiveList/";
constexpr std::string_view k_set_order = "$setElementOrder/";

Outcome<json::object> merge_object(json::object original, const json::object& patch, const Schema* schema);

std::optional<std::string> directive(const json::object& patch) {
  const auto* value = at(patch, k_patch);
  if (!value) return std::nullopt;
  const auto* text = value->if_string();
  return text ? std::string(*text) : std::string();
}

Status unknown_directive(std::string_view name) {
  return bad_request(fmt::format("unknown patch type found: {}", name));
}

/// A patch for something that is not there: itself, without directives.
json::value without_directives(const json::value& patch) {
  if (const auto* object = patch.if_object()) {
    json::object out;
    for (const auto& [key, value] : *object) {
      if (key.starts_with('$') || value.is_null()) continue;
      out[key] = without_directives(value);
    }
    return out;
  }
  if (const auto* array = patch.if_array()) {
    json::array out;
    for (const auto& item : *array) {
      const auto* object = item.if_object();
      if (object && directive(*object).value_or("") == "delete") continue;
      // An item that is only a directive says nothing to keep.
      if (object && object->contains(k_patch) && object->size() == 1) continue;
      out.push_back(without_directives(item));
    }
    return out;
  }
  return patch;
}

bool contains(const json::array& list, const json::value& value) {
  return std::ranges::find(list, value) != list.end();
}

Outcome<> retain_keys(json::object& original, const json::object& patch) {
  const auto* value = at(patch, k_retain_keys);
  if (!value) return {};
  const auto* keys = value->if_array();
  if (!keys) return refuse(bad_request("invalid patch format of retainKeys"));
  for (const auto& [key, item] : patch) {
    if (key.starts_with('$') || item.is_null()) continue;
    if (!contains(*keys, json::value(key)))
      return refuse(bad_request("invalid retainKeys list: a key of the patch is not in it"));
  }
  json::object kept;
  for (auto& [key, item] : original) {
    if (contains(*keys, json::value(key))) kept[key] = std::move(item);
  }
  original = std::move(kept);
  return {};
}

Outcome<json::value> merge_key_of(const json::value& item, const std::string& key) {
  const auto* object = item.if_object();
  const auto* value = object ? at(*object, key) : nullptr;
  if (!value)
    return refuse(
        bad_request(fmt::format("map: {} does not contain declared merge key: {}", to_text(item), key)));
  return *value;
}

json::array::iterator find_item(json::array& list, const std::string& key, const json::value& value) {
  return std::ranges::find_if(list, [&](const json::value& item) {
    const auto* object = item.if_object();
    const auto* mine = object ? at(*object, key) : nullptr;
    return mine && *mine == value;
  });
}

Outcome<json::array> merge_objects(json::array original, const json::array& patch, const Schema& list) {
  const auto& key = list.patch_merge_key;
  // A lone {"$patch":"replace"} makes the rest of the patch the whole list.
  const bool replaces = std::ranges::any_of(patch, [](const json::value& item) {
    return item.is_object() && directive(item.get_object()).value_or("") == "replace";
  });
  if (replaces) return without_directives(patch).get_array();
  for (const auto& item : patch) {
    const auto wanted = merge_key_of(item, key);
    if (!wanted) return refuse(wanted.error());
    const auto& object = item.get_object();
    const auto what = directive(object);
    if (what && *what != "delete" && *what != "merge") return refuse(unknown_directive(*what));
    auto place = find_item(original, key, *wanted);
    if (what == "delete") {
      for (; place != original.end(); place = find_item(original, key, *wanted)) original.erase(place);
    } else if (place == original.end()) {
      original.push_back(without_directives(item));
    } else {
      auto merged = merge_object(std::move(place->as_object()), object, list.element);
      if (!merged) return refuse(std::move(merged.error()));
      *place = std::move(*merged);
    }
  }
  return original;
}

json::array merge_primitives(json::array original, const json::array& patch) {
  for (const auto& item : patch) {
    if (!contains(original, item)) original.push_back(item);
  }
  return original;
}

/// The identity of an item in an order list: the item, or its merge key.
json::value identity(const json::value& item, const std::string& key) {
  const auto* object = item.if_object();
  if (!object || key.empty()) return item;
  const auto* value = at(*object, key);
  return value ? *value : json::value();
}

/// Items named by `order` in that order; the others stay where they stood among them.
json::array ordered(json::array merged, const json::array& before, const json::array& order,
                    const std::string& key) {
  const auto position = [&](const json::array& list, const json::value& item) {
    const auto wanted = identity(item, key);
    return std::ranges::find_if(list,
                                [&](const json::value& other) { return identity(other, key) == wanted; }) -
           list.begin();
  };
  const auto named = [&](const json::value& item) {
    return position(order, item) < static_cast<std::ptrdiff_t>(order.size());
  };
  std::vector<json::value> in_patch;
  std::vector<json::value> server_only;
  for (auto& item : merged) (named(item) ? in_patch : server_only).push_back(std::move(item));
  const auto sort_by = [&](std::vector<json::value>& items, const json::array& list) {
    std::vector<std::pair<std::ptrdiff_t, std::size_t>> places;
    for (std::size_t i = 0; i < items.size(); ++i) places.emplace_back(position(list, items[i]), i);
    std::ranges::sort(places);
    std::vector<json::value> sorted;
    for (const auto& [place, i] : places) sorted.push_back(std::move(items[i]));
    items = std::move(sorted);
  };
  sort_by(in_patch, order);
  sort_by(server_only, before);
  json::array out;
  std::size_t p = 0;
  std::size_t s = 0;
  while (p < in_patch.size() || s < server_only.size()) {
    // Kubernetes' mergeSortedList: the server's item goes first when it stood before the other one.
    const bool take_server =
        p == in_patch.size() ||
        (s < server_only.size() && position(before, server_only[s]) < position(before, in_patch[p]));
    out.push_back(std::move(take_server ? server_only[s++] : in_patch[p++]));
  }
  return out;
}

Outcome<json::value> merge_list(const json::value* original, const json::object& patch,
                                const std::string& name, const Schema* schema) {
  const auto* change = array_at(patch, name);
  const auto* removed = array_at(patch, std::string(k_delete_from) + name);
  const auto* order = array_at(patch, std::string(k_set_order) + name);
  const auto* mine = original ? original->if_array() : nullptr;
  const json::array before = mine ? *mine : json::array();
  json::array merged = before;
  const bool merges = schema && schema->kind == FieldKind::list && schema->patch_merge;
  const std::string key = merges ? schema->patch_merge_key : std::string();
  if (removed) {
    const auto gone =
        std::ranges::remove_if(merged, [&](const json::value& item) { return contains(*removed, item); });
    merged.erase(gone.begin(), gone.end());
  }
  if (change && !merges) {
    merged = without_directives(*change).get_array();
  } else if (change && !key.empty()) {
    auto done = merge_objects(std::move(merged), *change, *schema);
    if (!done) return refuse(std::move(done.error()));
    merged = std::move(*done);
  } else if (change) {
    merged = merge_primitives(std::move(merged), *change);
  }
  if (order && merges) merged = ordered(std::move(merged), before, *order, key);
  return merged;
}

/// "ports" of "$setElementOrder/ports".
std::string list_name(std::string_view key) {
  for (const auto prefix : {k_delete_from, k_set_order}) {
    if (key.starts_with(prefix)) return std::string(key.substr(prefix.size()));
  }
  return std::string(key);
}

Outcome<> merge_field(json::object& original, const json::object& patch, const std::string& key,
                      const json::value& value, const Schema* schema) {
  const auto* field = schema ? schema->property(key) : nullptr;
  auto* mine = original.if_contains(key);
  if (const auto* change = value.if_object()) {
    if (!mine || !mine->is_object()) {
      const bool deletes = directive(*change).value_or("") == "delete";
      if (!deletes) original[key] = without_directives(value);
      return {};
    }
    auto merged = merge_object(std::move(mine->get_object()), *change, field);
    if (!merged) return refuse(std::move(merged.error()));
    *mine = std::move(*merged);
    return {};
  }
  if (value.is_array()) {
    auto merged = merge_list(mine, patch, key, field);
    if (!merged) return refuse(std::move(merged.error()));
    original[key] = std::move(*merged);
    return {};
  }
  original[key] = value;
  return {};
}

Outcome<json::object> merge_object(json::object original, const json::object& patch, const Schema* schema) {
  if (const auto what = directive(patch)) {
    if (*what == "replace") return without_directives(patch).get_object();
    if (*what == "delete") return json::object();
    if (*what != "merge") return refuse(unknown_directive(*what));
  }
  if (auto kept = retain_keys(original, patch); !kept) return refuse(std::move(kept.error()));
  std::set<std::string> done;
  for (const auto& [raw_key, value] : patch) {
    const auto key = list_name(raw_key);
    if (raw_key == k_patch || raw_key == k_retain_keys) continue;
    if (raw_key.starts_with('$') && key == raw_key) return refuse(unknown_directive(key));
    if (!done.insert(key).second) continue;
    const auto* change = at(patch, key);
    Outcome<> merged;
    if (change && change->is_null()) {
      original.erase(key);
    } else if (change) {
      merged = merge_field(original, patch, key, *change, schema);
    } else if (value.is_array()) {
      auto list = merge_list(original.if_contains(key), patch, key, schema ? schema->property(key) : nullptr);
      if (!list) return refuse(std::move(list.error()));
      if (original.contains(key)) original[key] = std::move(*list);
    } else {
      return refuse(bad_request(fmt::format("{} must be a list", std::string(raw_key))));
    }
    if (!merged) return refuse(std::move(merged.error()));
  }
  return original;
}

}  // namespace

Outcome<json::object> strategic_merge_patch(json::object document, const json::object& patch,
                                            const ObjectSchema& schema) {
  return merge_object(std::move(document), patch, schema.root);
}

}  // namespace instantstart::sandbox::kubernetes
