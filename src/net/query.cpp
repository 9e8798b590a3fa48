#include "net/query.h"

#include "base/digest.h"

namespace instantstart::net {

std::string to_query(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string query;
  for (const auto& [name, value] : pairs) {
    if (!query.empty()) query += '&';
    query += percent_encode(name);
    query += '=';
    query += percent_encode(value);
  }
  return query;
}

}  // namespace instantstart::net
