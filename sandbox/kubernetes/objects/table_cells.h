// Columns and cells of the built-in kinds. Internal to this room: use table.h.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/time.h"

namespace instantstart::sandbox::kubernetes {

/// The cells of one row, as many as `table_columns` has. `age` is ready to print.
struct CellSource {
  const json::object& object;
  WallTime now;
};
using MakeCells = json::array (*)(const CellSource&);

struct KindTable {
  std::string_view group, kind;
  /// "Name", "Age", "Ready:integer", "Node*": the type after a colon (string is left out), `*` for wide only.
  std::string_view columns;
  MakeCells cells;
};

/// Null for a kind without columns of its own.
const KindTable* kind_table(std::string_view group, std::string_view kind);

/// Since `metadata.creationTimestamp`, or any other time; "<unknown>" without one.
std::string age_text(const json::object& object, WallTime now);
std::string age_of(std::string_view time, WallTime now);

}  // namespace instantstart::sandbox::kubernetes
