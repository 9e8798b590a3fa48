#include "store/database.h"

namespace instantstart::store {

Value or_null(std::optional<std::string> text) {
  if (!text) return nullptr;
  return std::move(*text);
}

Value or_null(std::optional<std::int64_t> integer) {
  if (!integer) return nullptr;
  return *integer;
}

std::optional<std::string> Row::optional_text(std::size_t column) const {
  if (is_null(column)) return std::nullopt;
  return text(column);
}

std::optional<std::int64_t> Row::optional_integer(std::size_t column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

}  // namespace instantstart::store
