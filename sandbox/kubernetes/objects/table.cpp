#include "sandbox/kubernetes/objects/table.h"

#include <charconv>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/table_cells.h"

namespace instantstart::sandbox::kubernetes {
namespace {

TableColumn column_of(std::string_view text) {
  TableColumn column;
  if (text.ends_with('*')) {
    column.priority = 1;
    text.remove_suffix(1);
  }
  const auto colon = text.find(':');
  column.name = text.substr(0, colon);
  column.type = colon == std::string_view::npos ? "string" : std::string(text.substr(colon + 1));
  if (column.name == "Name") column.format = "name";
  return column;
}

/// One step of a path: a key, an index, the last item, all items, or items where a field has a value.
struct Step {
  std::string key;
  std::optional<std::size_t> index;
  bool each = false;
  bool last = false;
  std::string filter_key, filter_value;
};

/// The text between brackets.
std::optional<Step> bracket_step(std::string_view text) {
  Step step;
  if (text == "*") {
    step.each = true;
    return step;
  }
  if (text == "-1" || text == "-1:") {
    step.last = true;
    return step;
  }
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front()) {
    step.key = text.substr(1, text.size() - 2);
    return step;
  }
  if (text.starts_with("?(@.") && text.ends_with(')')) {
    const auto inner = text.substr(4, text.size() - 5);
    const auto equals = inner.find("==");
    if (equals == std::string_view::npos) return std::nullopt;
    step.filter_key = trim(inner.substr(0, equals));
    auto value = trim(inner.substr(equals + 2));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\''))
      value = value.substr(1, value.size() - 2);
    step.filter_value = value;
    return step;
  }
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  step.index = index;
  return step;
}

std::optional<std::vector<Step>> parse_path(std::string_view path) {
  std::vector<Step> steps;
  if (path.starts_with('{') && path.ends_with('}')) path = path.substr(1, path.size() - 2);
  if (path.starts_with('$')) path.remove_prefix(1);
  while (!path.empty()) {
    if (path.front() == '.') {
      path.remove_prefix(1);
      Step step;
      while (!path.empty() && path.front() != '.' && path.front() != '[') {
        // A dot of the key itself is escaped: `.metadata.labels.example\.com/name`.
        if (path.front() == '\\' && path.size() > 1) path.remove_prefix(1);
        step.key.push_back(path.front());
        path.remove_prefix(1);
      }
      if (step.key == "*") step = Step{.key = "", .index = std::nullopt, .each = true};
      if (!step.key.empty() || step.each) steps.push_back(std::move(step));
    } else if (path.front() == '[') {
      const auto end = path.find(']');
      if (end == std::string_view::npos) return std::nullopt;
      auto step = bracket_step(path.substr(1, end - 1));
      if (!step) return std::nullopt;
      steps.push_back(std::move(*step));
      path.remove_prefix(end + 1);
    } else {
      return std::nullopt;
    }
  }
  return steps;
}

void follow(const json::value& value, std::span<const Step> steps, std::vector<const json::value*>& found) {
  if (steps.empty()) {
    found.push_back(&value);
    return;
  }
  const auto& step = steps.front();
  const auto rest = steps.subspan(1);
  if (const auto* object = value.if_object(); object && !step.key.empty()) {
    if (const auto* below = at(*object, step.key)) follow(*below, rest, found);
    return;
  }
  const auto* array = value.if_array();
  if (!array) return;
  if (step.last && !array->empty()) follow(array->back(), rest, found);
  if (step.index && *step.index < array->size()) follow((*array)[*step.index], rest, found);
  for (const auto& item : *array) {
    const auto* object = item.if_object();
    const bool chosen = step.each || (!step.filter_key.empty() && object &&
                                      text_at(*object, step.filter_key) == step.filter_value);
    if (chosen) follow(item, rest, found);
  }
}

std::vector<const json::value*> values_at(const json::value& value, std::string_view path) {
  std::vector<const json::value*> found;
  const auto steps = parse_path(path);
  if (steps) follow(value, *steps, found);
  return found;
}

/// A custom cell has its column's type; null where there is nothing.
json::value custom_cell(const TableColumn& column, const json::value& object, WallTime now) {
  const auto found = values_at(object, column.path);
  if (found.empty() || found.front()->is_null()) return nullptr;
  const auto& value = *found.front();
  if (column.type == "integer") return is_integer(value) ? value : json::value(nullptr);
  if (column.type == "number") return value.is_number() ? value : json::value(nullptr);
  if (column.type == "boolean") return value.is_bool() ? value : json::value(nullptr);
  if (column.type == "date") {
    return value.is_string() ? json::value(age_of(std::string_view(value.get_string()), now))
                             : json::value("<unknown>");
  }
  return json::value(json_path_text(object, column.path));
}

json::array cells_of(const TableRequest& request, const json::object& object) {
  const bool custom = !request.columns.empty() && !request.columns.back().path.empty();
  if (custom) {
    const json::value value(object);
    json::array cells;
    for (const auto& column : request.columns) cells.push_back(custom_cell(column, value, request.now));
    return cells;
  }
  if (const auto* table = kind_table(request.group, request.kind)) return table->cells({object, request.now});
  return {json::value(metadata_text(object, "name")),
          json::value(metadata_text(object, "creationTimestamp"))};
}

json::object partial(const json::object& object) {
  json::object out{{"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/v1"}};
  if (const auto* metadata = at(object, "metadata")) out["metadata"] = *metadata;
  return out;
}

}  // namespace

std::vector<TableColumn> table_columns(std::string_view group, std::string_view kind) {
  const auto* table = kind_table(group, kind);
  std::vector<TableColumn> columns;
  for (const auto text : split(table ? table->columns : "Name,Created At:date", ','))
    columns.push_back(column_of(text));
  return columns;
}

std::vector<TableColumn> custom_table_columns(const json::object& definition, std::string_view version) {
  TableColumn name = column_of("Name");
  name.path = ".metadata.name";
  std::vector<TableColumn> columns = {name};
  const auto* spec = object_at(definition, "spec");
  const auto* versions = spec ? array_at(*spec, "versions") : nullptr;
  for (std::size_t i = 0; versions && i < versions->size(); ++i) {
    const auto* item = (*versions)[i].if_object();
    const auto* printed =
        item && text_at(*item, "name") == version ? array_at(*item, "additionalPrinterColumns") : nullptr;
    if (!printed) continue;
    for (const auto& entry : *printed) {
      const auto* object = entry.if_object();
      if (!object) continue;
      TableColumn column;
      column.name = text_at(*object, "name");
      column.type = text_at(*object, "type");
      column.format = text_at(*object, "format");
      column.description = text_at(*object, "description");
      column.priority = static_cast<int>(integer_at(*object, "priority"));
      column.path = text_at(*object, "jsonPath");
      columns.push_back(std::move(column));
    }
  }
  if (columns.size() == 1) {
    TableColumn age = column_of("Age:date");
    age.path = ".metadata.creationTimestamp";
    columns.push_back(std::move(age));
  }
  return columns;
}

json::object make_table(const TableRequest& request, std::span<const json::object* const> objects) {
  json::array columns;
  for (const auto& column : request.columns) {
    columns.push_back(json::object{{"name", column.name},
                                   {"type", column.type},
                                   {"format", column.format},
                                   {"description", column.description},
                                   {"priority", column.priority}});
  }
  json::array rows;
  for (const auto* object : objects) {
    json::object row{{"cells", cells_of(request, *object)}};
    if (request.include == RowObject::metadata) row["object"] = partial(*object);
    if (request.include == RowObject::object) row["object"] = *object;
    rows.push_back(std::move(row));
  }
  return {{"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", json::object()},
          {"columnDefinitions", std::move(columns)},
          {"rows", std::move(rows)}};
}

std::string human_duration(milliseconds duration) {
  const auto total = std::chrono::duration_cast<seconds>(duration).count();
  if (total < -1) return "<invalid>";
  if (total < 0) return "0s";
  if (total < 120) return fmt::format("{}s", total);
  const auto minutes = total / 60;
  if (minutes < 10)
    return total % 60 == 0 ? fmt::format("{}m", minutes) : fmt::format("{}m{}s", minutes, total % 60);
  if (minutes < 180) return fmt::format("{}m", minutes);
  const auto hours = minutes / 60;
  if (hours < 8)
    return minutes % 60 == 0 ? fmt::format("{}h", hours) : fmt::format("{}h{}m", hours, minutes % 60);
  if (hours < 48) return fmt::format("{}h", hours);
  const auto days = hours / 24;
  if (hours < 24 * 8)
    return hours % 24 == 0 ? fmt::format("{}d", days) : fmt::format("{}d{}h", days, hours % 24);
  if (hours < 24 * 365 * 2) return fmt::format("{}d", days);
  const auto years = hours / 24 / 365;
  const auto rest = days % 365;
  if (hours < 24 * 365 * 8) return rest == 0 ? fmt::format("{}y", years) : fmt::format("{}y{}d", years, rest);
  return fmt::format("{}y", years);
}

std::string json_path_text(const json::value& value, std::string_view path) {
  std::vector<std::string> out;
  for (const auto* found : values_at(value, path)) {
    if (found->is_null()) continue;
    out.push_back(found->is_string() ? std::string(found->get_string()) : to_text(*found));
  }
  return join(out, " ");
}

}  // namespace instantstart::sandbox::kubernetes
