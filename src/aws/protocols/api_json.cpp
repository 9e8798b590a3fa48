#include "aws/protocols/api_json.h"

#include <cmath>

#include <fmt/format.h>

#include "aws/protocols/fault.h"
#include "aws/protocols/scalars.h"
#include "aws/protocols/timestamps.h"
#include "base/decode.h"
#include "base/digest.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

class Writer {
 public:
  explicit Writer(ApiJsonOptions options) : options_(options) {}

  json::object structure(const ShapeInfo& shape, const void* structure) const {
    json::object object;
    for (const auto& member : shape.members) {
      if (const void* found = member.peek(structure)) object[member.name] = value(*member.shape, found);
    }
    return object;
  }

 private:
  json::value value(const ShapeInfo& shape, const void* found) const {
    if (shape.sensitive && !options_.reveal_sensitive) return text(std::string(k_secret_text));
    switch (shape.kind) {
      case ShapeKind::structure: return structure(shape, found);
      case ShapeKind::list: return list(shape, found);
      case ShapeKind::map: return map(shape, found);
      case ShapeKind::integer: return *static_cast<const std::int64_t*>(found);
      case ShapeKind::boolean: return *static_cast<const bool*>(found);
      case ShapeKind::number:
        if (std::isfinite(*static_cast<const double*>(found))) return *static_cast<const double*>(found);
        break;
      default: break;
    }
    return text(scalar_to_text(shape, WireInfo{}, TimestampFormat::iso8601, found));
  }

  json::value list(const ShapeInfo& shape, const void* list) const {
    json::array array;
    for (std::size_t i = 0; i < shape.list->size(list); ++i) {
      array.push_back(value(*shape.element.shape, shape.list->at(list, i)));
    }
    return array;
  }

  json::value map(const ShapeInfo& shape, const void* map) const {
    json::object object;
    shape.map->each(map, [&](const std::string& key, const void* item) {
      object[key] = value(*shape.element.shape, item);
    });
    return object;
  }

  static json::value text(const std::string& text) { return json::value(json::string(text)); }

  ApiJsonOptions options_;
};

class Reader {
 public:
  std::vector<FieldProblem> problems;

  void structure(const ShapeInfo& shape, const json::value& value, void* target, const std::string& at,
                 int depth) {
    if (!value.is_object()) return add(at, "type", "must be an object");
    if (depth > k_max_value_depth) return add(at, "depth", "is nested too deeply");
    for (const auto& given : value.get_object()) {
      const MemberInfo* member = shape.member(given.key());
      if (!member) {
        unknown(shape, given.key(), at);
      } else if (!given.value().is_null()) {
        any(*member->shape, given.value(), member->emplace(target), join_pointer(at, given.key()), depth + 1);
      }
    }
  }

 private:
  void any(const ShapeInfo& shape, const json::value& value, void* target, const std::string& at, int depth) {
    switch (shape.kind) {
      case ShapeKind::structure: return structure(shape, value, target, at, depth);
      case ShapeKind::list: return list(shape, value, target, at, depth);
      case ShapeKind::map: return map(shape, value, target, at, depth);
      default: return scalar(shape, value, target, at);
    }
  }

  void list(const ShapeInfo& shape, const json::value& value, void* target, const std::string& at,
            int depth) {
    if (!value.is_array()) return add(at, "type", "must be a list");
    if (depth > k_max_value_depth) return add(at, "depth", "is nested too deeply");
    std::size_t index = 0;
    for (const auto& item : value.get_array()) {
      any(*shape.element.shape, item, shape.list->append(target), join_pointer(at, index++), depth + 1);
    }
  }

  void map(const ShapeInfo& shape, const json::value& value, void* target, const std::string& at, int depth) {
    if (!value.is_object()) return add(at, "type", "must be an object");
    if (depth > k_max_value_depth) return add(at, "depth", "is nested too deeply");
    for (const auto& item : value.get_object()) {
      any(*shape.element.shape, item.value(), shape.map->insert(target, std::string(item.key())),
          join_pointer(at, item.key()), depth + 1);
    }
  }

  void scalar(const ShapeInfo& shape, const json::value& value, void* target, const std::string& at) {
    const bool from_text = shape.kind != ShapeKind::integer && shape.kind != ShapeKind::boolean;
    Walked read = faulty("is of another type");
    if (value.is_string() && from_text) {
      read = scalar_from_text(shape, value.get_string(), target);
    } else if (value.is_bool() && shape.kind == ShapeKind::boolean) {
      *static_cast<bool*>(target) = value.get_bool();
      read = {};
    } else if (value.is_int64() && shape.kind == ShapeKind::integer) {
      *static_cast<std::int64_t*>(target) = value.get_int64();
      read = {};
    } else if (value.is_number() && shape.kind == ShapeKind::number) {
      *static_cast<double*>(target) = value.to_number<double>();
      read = {};
    } else if (value.is_number() && shape.kind == ShapeKind::timestamp) {
      if (const auto time = timestamp_from_epoch(value.to_number<double>())) {
        *static_cast<Timestamp*>(target) = *time;
        read = {};
      }
    }
    if (!read) add(at, "type", read.error().reason);
  }

  void unknown(const ShapeInfo& shape, std::string_view name, const std::string& at) {
    std::vector<std::string_view> names;
    for (const auto& member : shape.members) names.push_back(member.name);
    problems.push_back(
        {join_pointer(at, name), "unknown_field", "is not known here", "", nearest(name, names)});
  }

  void add(const std::string& at, std::string rule, std::string message) {
    problems.push_back({at, std::move(rule), std::move(message), "", {}});
  }
};

}  // namespace

json::object to_api_json(const ShapeInfo& shape, const void* structure, ApiJsonOptions options) {
  return Writer(options).structure(shape, structure);
}

Result<void> from_api_json(const ShapeInfo& shape, const json::value& value, void* structure) {
  Reader reader;
  reader.structure(shape, value, structure, "", 0);
  if (!reader.problems.empty()) return fail(invalid_request(std::move(reader.problems)));
  return {};
}

}  // namespace instantstart::aws
