#include "aws/protocols/validate.h"

#include <algorithm>

#include <fmt/format.h>

#include "aws/protocols/scalars.h"
#include "base/decode.h"
#include "base/json.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

constexpr std::size_t k_shown_bytes = 200;

class Checker {
 public:
  explicit Checker(Strictness strictness) : strictness_(strictness) {}

  std::vector<FieldProblem> problems;

  void structure(const ShapeInfo& shape, const void* object, const std::string& at) {
    std::size_t present = 0;
    for (const auto& member : shape.members) {
      const void* found = member.peek(object);
      if (found) {
        ++present;
        const std::string member_at = join_pointer(at, member.name);
        if (member.location == Location::uri) label(*member.shape, found, member_at);
        value(*member.shape, found, member_at);
      } else if (member.required || member.location == Location::uri) {
        problems.push_back({join_pointer(at, member.name), "required", "is required", "", {}});
      }
    }
    if (shape.is_union && present != 1) {
      problems.push_back(
          {at, "one_of", fmt::format("must have exactly one member, has {}", present), "", {}});
    }
  }

 private:
  void label(const ShapeInfo& shape, const void* found, const std::string& at) {
    if (shape.limits.min >= 1) return;  // it is said anyway
    if (shape.kind == ShapeKind::string && static_cast<const std::string*>(found)->empty()) {
      problems.push_back({at, "min_length", "is a part of the path and must not be empty", "\"\"", {}});
    }
  }

  void value(const ShapeInfo& shape, const void* found, const std::string& at) {
    switch (shape.kind) {
      case ShapeKind::structure: return structure(shape, found, at);
      case ShapeKind::list: return list(shape, found, at);
      case ShapeKind::map: return map(shape, found, at);
      case ShapeKind::string: return string(shape, *static_cast<const std::string*>(found), at);
      case ShapeKind::integer:
        return size(shape, static_cast<double>(*static_cast<const std::int64_t*>(found)), "value", "", found,
                    at);
      case ShapeKind::number: return size(shape, *static_cast<const double*>(found), "value", "", found, at);
      default: return;
    }
  }

  void list(const ShapeInfo& shape, const void* list, const std::string& at) {
    const std::size_t count = shape.list->size(list);
    size(shape, static_cast<double>(count), "items", " items", nullptr, at);
    for (std::size_t i = 0; i < count; ++i) {
      value(*shape.element.shape, shape.list->at(list, i), join_pointer(at, i));
    }
  }

  /// botocore does not bound the number of entries.
  void map(const ShapeInfo& shape, const void* map, const std::string& at) {
    if (strictness_ == Strictness::service) {
      size(shape, static_cast<double>(shape.map->size(map)), "properties", " entries", nullptr, at);
    }
    shape.map->each(map, [&](const std::string& key, const void* item) {
      const std::string item_at = join_pointer(at, key);
      string(*shape.key.shape, key, item_at);
      value(*shape.element.shape, item, item_at);
    });
  }

  void string(const ShapeInfo& shape, const std::string& text, const std::string& at) {
    size(shape, static_cast<double>(code_points(text)), "length", " characters", &text, at);
    if (strictness_ != Strictness::service || shape.values.empty()) return;
    if (std::ranges::find(shape.values, text) == shape.values.end()) {
      const auto near = nearest(text, shape.values);
      problems.push_back({at, "enum", "is not a known value", shown(shape, &text), near});
    }
  }

  void size(const ShapeInfo& shape, double number, std::string_view what, std::string_view unit,
            const void* found, const std::string& at) {
    const bool is_value = what == "value";
    if (number < shape.limits.min) {
      problems.push_back({at,
                          is_value ? "minimum" : fmt::format("min_{}", what),
                          fmt::format("must be at least {}{}", shape.limits.min, unit),
                          shown(shape, found),
                          {}});
    } else if (number > shape.limits.max && strictness_ == Strictness::service) {
      problems.push_back({at,
                          is_value ? "maximum" : fmt::format("max_{}", what),
                          fmt::format("must be at most {}{}", shape.limits.max, unit),
                          shown(shape, found),
                          {}});
    }
  }

  static std::string shown(const ShapeInfo& shape, const void* found) {
    if (!found) return {};
    if (shape.sensitive) return std::string(k_secret_text);
    std::string text = shortened(scalar_to_text(shape, {}, TimestampFormat::iso8601, found), k_shown_bytes);
    return shape.kind == ShapeKind::string ? to_text(json::value(json::string(text))) : text;
  }

  Strictness strictness_;
};

}  // namespace

std::vector<FieldProblem> validate(const ShapeInfo& shape, const void* structure, Strictness strictness) {
  Checker checker(strictness);
  checker.structure(shape, structure, "");
  return std::move(checker.problems);
}

}  // namespace instantstart::aws
