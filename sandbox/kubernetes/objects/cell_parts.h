// What the cells of several kinds are made of. Internal to this room: use table.h.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/table_cells.h"

namespace instantstart::sandbox::kubernetes {

inline const json::object& child(const json::object& object, std::string_view key) {
  static const json::object none;
  const auto* found = object_at(object, key);
  return found ? *found : none;
}

inline const json::object& spec_of(const json::object& object) { return child(object, "spec"); }
inline const json::object& status_of(const json::object& object) { return child(object, "status"); }

inline const json::array& items(const json::object& object, std::string_view key) {
  static const json::array none;
  const auto* found = array_at(object, key);
  return found ? *found : none;
}

inline std::string or_none(std::string text) { return text.empty() ? "<none>" : text; }

inline json::value name_cell(const CellSource& source) {
  return json::value(metadata_text(source.object, "name"));
}
inline json::value age_cell(const CellSource& source) {
  return json::value(age_text(source.object, source.now));
}

inline std::string condition(const json::object& object, std::string_view type) {
  for (const auto& item : items(status_of(object), "conditions")) {
    if (item.is_object() && text_at(item.get_object(), "type") == type)
      return text_at(item.get_object(), "status");
  }
  return {};
}

/// Pods have the longest rules.
json::array pod_cells(const CellSource& source);

}  // namespace instantstart::sandbox::kubernetes
