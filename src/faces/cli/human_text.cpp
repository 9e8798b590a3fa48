#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "faces/cli/cli.h"

namespace instantstart::faces {
namespace {

constexpr std::size_t k_cell_bytes = 80;

bool is_scalar(const json::value& value) { return !value.is_object() && !value.is_array(); }

std::string scalar_text(const json::value& value) {
  if (value.is_string()) return without_controls(value.get_string());
  return to_text(value);
}

/// A list of flat objects becomes a table; the first object says which columns there are, in its order.
std::optional<std::vector<std::string>> table_columns(const json::array& items) {
  std::vector<std::string> columns;
  for (const auto& item : items) {
    if (!item.is_object()) return std::nullopt;
    for (const auto& member : item.get_object()) {
      if (!is_scalar(member.value())) continue;
      if (std::ranges::find(columns, member.key()) == columns.end()) columns.emplace_back(member.key());
    }
  }
  return columns;
}

void write_table(std::string& out, const std::vector<std::string>& columns, const json::array& items,
                 const std::string& indent) {
  std::vector<std::vector<std::string>> rows{columns};
  for (const auto& item : items) {
    auto& row = rows.emplace_back();
    for (const auto& column : columns) {
      const auto* cell = item.get_object().if_contains(column);
      row.push_back(cell && is_scalar(*cell) ? shortened(scalar_text(*cell), k_cell_bytes) : "");
    }
  }
  std::vector<std::size_t> widths(columns.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], code_points(row[i]));
  }
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - code_points(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
}

void write_value(std::string& out, const json::value& value, const std::string& indent) {
  if (value.is_object()) {
    for (const auto& member : value.get_object()) {
      const std::string key = without_controls(member.key());
      if (is_scalar(member.value())) {
        out += fmt::format("{}{}: {}\n", indent, key, scalar_text(member.value()));
      } else if (member.value().is_array() && member.value().get_array().empty()) {
        out += fmt::format("{}{}: none\n", indent, key);
      } else {
        out += fmt::format("{}{}:\n", indent, key);
        write_value(out, member.value(), indent + "  ");
      }
    }
  } else if (value.is_array()) {
    const auto columns = table_columns(value.get_array());
    if (columns && !columns->empty()) return write_table(out, *columns, value.get_array(), indent);
    for (const auto& item : value.get_array()) {
      out += is_scalar(item) ? fmt::format("{}- {}\n", indent, scalar_text(item))
                             : fmt::format("{}- {}\n", indent, without_controls(to_text(item)));
    }
  } else {
    out += fmt::format("{}{}\n", indent, scalar_text(value));
  }
}

}  // namespace

std::string to_human_text(const json::value& value) {
  std::string out;
  write_value(out, value, "");
  return out;
}

}  // namespace instantstart::faces
