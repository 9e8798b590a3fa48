// The filters of Describe calls. A filter's name stands for a path into the API JSON of a record; a record
// passes when, for every filter, one of the values there matches one of the filter's ("Using filtering" in
// the EC2 API reference). Names are listed by operation, so an unknown one is refused as EC2 does.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "aws/shapes/ec2.h"
#include "sandbox/core/service.h"

namespace instantstart::sandbox::ec2 {

struct FilterName {
  /// As the caller writes it. One that ends in ':' is the beginning of a name: the rest is the key of a tag.
  std::string_view name;
  /// Members with dots between; lists are walked through: "CidrBlockAssociationSet.CidrBlock". Empty is the
  /// record itself.
  std::string_view path;
};

/// At most so many values in one call (FilterLimitExceeded).
inline constexpr std::size_t k_max_filter_values = 200;

class FilterSet {
 public:
  /// Refuses names that the operation does not have, filters without values, and too many values.
  static Reply<FilterSet> make(const std::optional<std::vector<aws::ec2::Filter>>& filters,
                               std::span<const FilterName> names);

  bool empty() const { return filters_.empty(); }
  bool match(const json::value& record) const;

 private:
  struct One {
    std::string_view path;
    std::string tag_key;  ///< For tag:<key>.
    bool is_tag;
    std::vector<std::string> patterns;

    bool match(const json::value& record) const;
  };
  std::vector<One> filters_;
};

/// '*' is any text, '?' at most one character, '\' takes the meaning from the next one. Cases differ.
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace instantstart::sandbox::ec2
