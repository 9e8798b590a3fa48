// Label and field selectors, from request parameters and from LabelSelector objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

/// `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. All requirements must hold; none selects everything.
class LabelSelector {
 public:
  enum class Operator { in, not_in, exists, not_exists, greater, less };
  struct Requirement {
    std::string key;
    Operator op;
    std::vector<std::string> values;  ///< Sorted.
  };

  static LabelSelector everything() { return {}; }
  static LabelSelector nothing();
  /// Error 400: `unable to parse requirement: …`.
  static Outcome<LabelSelector> parse(std::string_view text);
  /// From `{matchLabels, matchExpressions}`. An absent selector (null) selects nothing, an empty one
  /// everything. Error 400.
  static Outcome<LabelSelector> from_object(const json::value& selector);
  /// From a plain map, as services have it: all must be equal; an empty map selects nothing there, everything
  /// here.
  static LabelSelector from_map(const json::object& labels);

  bool matches(const json::object& labels) const;
  /// Looks at `metadata.labels`.
  bool matches_object(const json::object& object) const;
  bool selects_everything() const { return !nothing_ && requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  /// "a=b,c in (d,e)".
  std::string to_text() const;

 private:
  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

/// `metadata.name=a,spec.nodeName!=b`.
class FieldSelector {
 public:
  struct Requirement {
    std::string field;
    bool equal = true;
    std::string value;
  };
  /// Errors, 400: `invalid selector: 'x'; can't understand 'y'`, `field label not supported: spec.x` (each
  /// kind has its few).
  static Outcome<FieldSelector> parse(std::string_view text, std::string_view group, std::string_view kind);

  bool matches(const json::object& object) const;
  bool selects_everything() const { return requirements_.empty(); }
  /// The value that `metadata.name` must equal, or "": such a list reads one object.
  std::string name() const;
  const std::vector<Requirement>& requirements() const { return requirements_; }

 private:
  std::vector<Requirement> requirements_;
};

}  // namespace instantstart::sandbox::kubernetes
