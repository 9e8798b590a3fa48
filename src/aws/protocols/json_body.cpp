#include "aws/protocols/json_body.h"

#include <cmath>

#include <fmt/format.h>

#include "aws/protocols/scalars.h"
#include "aws/protocols/timestamps.h"
#include "base/digest.h"

namespace instantstart::aws {
namespace {

json::value json_from_number(double number) {
  if (!std::isfinite(number)) return json::value(json::string(number_text(number)));
  return number;
}

json::value json_from_timestamp(Timestamp time, const WireInfo& wire) {
  const TimestampFormat format = resolved(wire.timestamp, TimestampFormat::epoch_seconds);
  if (format != TimestampFormat::epoch_seconds)
    return json::value(json::string(timestamp_text(time, format)));
  const std::int64_t micros = time.time.time_since_epoch().count();
  if (micros % 1'000'000 == 0) return micros / 1'000'000;
  return static_cast<double>(micros) / 1e6;
}

json::value json_from_value(const ShapeInfo& shape, const WireInfo& wire, const void* value) {
  switch (shape.kind) {
    case ShapeKind::structure: return json_from_structure(shape, value);
    case ShapeKind::list: {
      json::array list;
      for (std::size_t i = 0; i < shape.list->size(value); ++i) {
        list.push_back(json_from_value(*shape.element.shape, shape.element.wire, shape.list->at(value, i)));
      }
      return list;
    }
    case ShapeKind::map: {
      json::object map;
      shape.map->each(value, [&](const std::string& key, const void* item) {
        map[key] = json_from_value(*shape.element.shape, shape.element.wire, item);
      });
      return map;
    }
    case ShapeKind::integer: return *static_cast<const std::int64_t*>(value);
    case ShapeKind::number: return json_from_number(*static_cast<const double*>(value));
    case ShapeKind::boolean: return *static_cast<const bool*>(value);
    case ShapeKind::timestamp: return json_from_timestamp(*static_cast<const Timestamp*>(value), wire);
    case ShapeKind::blob: return json::value(json::string(to_base64(static_cast<const Blob*>(value)->bytes)));
    case ShapeKind::string: break;
  }
  return json::value(json::string(*static_cast<const std::string*>(value)));
}

bool in_body(const MemberInfo& member, BodyMembers members) {
  return members == BodyMembers::all || member.location == Location::body;
}

class Reader {
 public:
  Walked structure(const ShapeInfo& shape, const json::value& value, void* target, BodyMembers members,
                   int depth) {
    if (depth > k_max_value_depth) return faulty("is nested too deeply");
    if (!value.is_object()) return faulty("is not an object");
    for (const auto& member : shape.members) {
      if (!in_body(member, members)) continue;
      const json::value* found = value.get_object().if_contains(member.wire.name);
      if (!found || found->is_null()) continue;
      auto read = any(*member.shape, *found, member.emplace(target), depth + 1);
      if (!read) return in_member(member.name, std::move(read.error()));
    }
    return {};
  }

 private:
  Walked any(const ShapeInfo& shape, const json::value& value, void* target, int depth) {
    switch (shape.kind) {
      case ShapeKind::structure: return structure(shape, value, target, BodyMembers::all, depth);
      case ShapeKind::list: return list(shape, value, target, depth);
      case ShapeKind::map: return map(shape, value, target, depth);
      default: return scalar(shape, value, target);
    }
  }

  Walked list(const ShapeInfo& shape, const json::value& value, void* target, int depth) {
    if (depth > k_max_value_depth) return faulty("is nested too deeply");
    if (!value.is_array()) return faulty("is not a list");
    std::size_t index = 0;
    for (const auto& item : value.get_array()) {
      if (!item.is_null()) {
        auto read = any(*shape.element.shape, item, shape.list->append(target), depth + 1);
        if (!read) return in_item(index, std::move(read.error()));
      }
      ++index;
    }
    return {};
  }

  Walked map(const ShapeInfo& shape, const json::value& value, void* target, int depth) {
    if (depth > k_max_value_depth) return faulty("is nested too deeply");
    if (!value.is_object()) return faulty("is not an object");
    for (const auto& item : value.get_object()) {
      if (item.value().is_null()) continue;
      auto read = any(*shape.element.shape, item.value(), shape.map->insert(target, std::string(item.key())),
                      depth + 1);
      if (!read) return in_member(item.key(), std::move(read.error()));
    }
    return {};
  }

  static Walked scalar(const ShapeInfo& shape, const json::value& value, void* target) {
    switch (value.kind()) {
      case json::kind::string: return scalar_from_text(shape, value.get_string(), target);
      case json::kind::bool_: return scalar_from_text(shape, value.get_bool() ? "true" : "false", target);
      case json::kind::int64:
        if (shape.kind == ShapeKind::integer) {
          *static_cast<std::int64_t*>(target) = value.get_int64();
          return {};
        }
        if (shape.kind == ShapeKind::string)
          return scalar_from_text(shape, fmt::format("{}", value.get_int64()), target);
        return number(shape, static_cast<double>(value.get_int64()), target);
      case json::kind::uint64: return number(shape, static_cast<double>(value.get_uint64()), target);
      case json::kind::double_: return number(shape, value.get_double(), target);
      default: return faulty("is not a single value");
    }
  }

  static Walked number(const ShapeInfo& shape, double value, void* target) {
    if (shape.kind == ShapeKind::number) {
      *static_cast<double*>(target) = value;
      return {};
    }
    if (shape.kind == ShapeKind::timestamp) {
      const auto time = timestamp_from_epoch(value);
      if (!time) return faulty("is not a time");
      *static_cast<Timestamp*>(target) = *time;
      return {};
    }
    constexpr double k_exact = 9007199254740992.0;  // 2^53: larger whole doubles skip some
    if (shape.kind == ShapeKind::integer && std::trunc(value) == value && std::abs(value) <= k_exact) {
      *static_cast<std::int64_t*>(target) = static_cast<std::int64_t>(value);
      return {};
    }
    return scalar_from_text(shape, number_text(value), target);
  }
};

}  // namespace

json::object json_from_structure(const ShapeInfo& shape, const void* structure, BodyMembers members) {
  json::object object;
  for (const auto& member : shape.members) {
    if (!in_body(member, members)) continue;
    if (const void* value = member.peek(structure)) {
      object[member.wire.name] = json_from_value(*member.shape, member.wire, value);
    }
  }
  return object;
}

Walked structure_from_json(const ShapeInfo& shape, const json::value& value, void* structure,
                           BodyMembers members) {
  return Reader().structure(shape, value, structure, members, 0);
}

}  // namespace instantstart::aws
