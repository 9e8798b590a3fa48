// What `kubectl get` shows: meta.k8s.io/v1 Table, with the columns of the built-in kinds and the
// additionalPrinterColumns of custom ones.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"

namespace instantstart::sandbox::kubernetes {

struct TableColumn {
  std::string name, type, format, description;
  int priority = 0;  ///< 0 is always shown, 1 only with `-o wide`.
  std::string path;  ///< Custom columns: a simple JSONPath, ".spec.replicas".
};

/// Columns of a built-in kind; Name and Created At for a kind without columns of its own.
std::vector<TableColumn> table_columns(std::string_view group, std::string_view kind);
/// Name, then the `additionalPrinterColumns` of that version, Age where there are none.
std::vector<TableColumn> custom_table_columns(const json::object& definition, std::string_view version);

/// What a row carries beside its cells (`includeObject`).
enum class RowObject { none, metadata, object };

struct TableRequest {
  std::vector<TableColumn> columns;
  std::string group, kind;
  RowObject include = RowObject::metadata;
  WallTime now;  ///< Ages are counted to it.
};

/// The Table without `metadata`'s resourceVersion, which the caller sets.
json::object make_table(const TableRequest& request, std::span<const json::object* const> objects);

/// "3d4h", "5m3s": apimachinery's HumanDuration. "<invalid>" for more than a second in the future.
std::string human_duration(milliseconds duration);

/// The value at a simple JSONPath (`.a.b`, `['x']`, `[0]`, `[?(@.type=="Ready")]`), printed; "" when there is
/// none.
std::string json_path_text(const json::value& value, std::string_view path);

}  // namespace instantstart::sandbox::kubernetes
