#include "sandbox/kubernetes/api/protobuf.h"

#include <bit>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "base/time.h"
#include "sandbox/kubernetes/api/protobuf_table.h"
#include "sandbox/kubernetes/api/refusals.h"
#include "sandbox/kubernetes/objects/schema.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_magic("k8s\0", 4);
constexpr int k_deepest = 64;

enum class Shape { one, repeated, map };

struct ProtobufField {
  std::string_view json_name;
  std::string_view type;
  Shape shape = Shape::one;
  bool keeps_empty = false;
};
using ProtobufMessage = std::map<std::uint64_t, ProtobufField>;

ProtobufMessage read_message(std::string_view text) {
  ProtobufMessage message;
  for (const auto row : split(text, ';')) {
    const auto words = split(row, ' ');
    if (words.size() < 4) continue;
    std::uint64_t number = 0;
    std::from_chars(words[0].data(), words[0].data() + words[0].size(), number);
    ProtobufField field{.json_name = words[1], .type = words.back(), .keeps_empty = words[2] == "+"};
    if (words[3] == "repeated") field.shape = Shape::repeated;
    if (words[3] == "map") field.shape = Shape::map;
    message.emplace(number, field);
  }
  return message;
}

const std::map<std::string_view, ProtobufMessage>& messages() {
  static const auto table = [] {
    std::map<std::string_view, ProtobufMessage> made;
    for (const auto& one : k_protobuf_messages) made.emplace(one.name, read_message(one.fields));
    return made;
  }();
  return table;
}

/// One field as it is on the wire.
struct WireField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  ///< Varints and fixed numbers.
  std::string_view bytes;   ///< What has a length.
};

class Wire {
 public:
  explicit Wire(std::string_view bytes) : left_(bytes) {}

  bool at_end() const { return left_.empty(); }
  /// nullopt on malformed bytes.
  std::optional<WireField> next() {
    const auto tag = varint();
    if (!tag) return std::nullopt;
    WireField field{.number = *tag >> 3};
    switch (*tag & 7) {
      case 0: return with_value(field, varint());
      case 1: return with_value(field, fixed(8));
      case 2: return with_bytes(field);
      case 5: return with_value(field, fixed(4));
      default: return std::nullopt;
    }
  }

 private:
  static std::optional<WireField> with_value(WireField field, std::optional<std::uint64_t> value) {
    if (!value) return std::nullopt;
    field.value = *value;
    return field;
  }
  std::optional<WireField> with_bytes(WireField field) {
    const auto length = varint();
    if (!length || *length > left_.size()) return std::nullopt;
    field.bytes = left_.substr(0, *length);
    left_.remove_prefix(*length);
    return field;
  }
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(left_.front());
      left_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
  }
  std::optional<std::uint64_t> fixed(std::size_t size) {
    if (left_.size() < size) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(left_[i]);
    left_.remove_prefix(size);
    return value;
  }

  std::string_view left_;
};

std::optional<json::value> decode_value(std::string_view type, const WireField& field, int depth);

std::optional<std::map<std::uint64_t, WireField>> last_fields(std::string_view bytes) {
  std::map<std::uint64_t, WireField> fields;
  for (Wire wire(bytes); !wire.at_end();) {
    const auto field = wire.next();
    if (!field) return std::nullopt;
    fields[field->number] = *field;
  }
  return fields;
}

/// Types whose JSON is not that of their fields. The outer nullopt: none of them; the inner: malformed.
std::optional<std::optional<json::value>> decode_special(std::string_view type, std::string_view bytes) {
  const bool micro = type == "meta.v1.MicroTime";
  const bool known = micro || type == "meta.v1.Time" || type == "api.resource.Quantity" ||
                     type == "util.intstr.IntOrString" || type == "runtime.RawExtension" ||
                     type == "meta.v1.FieldsV1" || type.ends_with(".ExtraValue");
  if (!known) return std::nullopt;
  const auto read = last_fields(bytes);
  if (!read) return std::optional<json::value>();
  auto fields = *read;
  if (type == "api.resource.Quantity") return std::optional<json::value>(json::string(fields[1].bytes));
  if (type == "util.intstr.IntOrString") {
    if (fields[1].value == 1) return std::optional<json::value>(json::string(fields[3].bytes));
    return std::optional<json::value>(static_cast<std::int32_t>(fields[2].value));
  }
  if (type.ends_with(".ExtraValue")) {
    json::array items;
    for (Wire wire(bytes); !wire.at_end();) items.emplace_back(wire.next()->bytes);
    return std::optional<json::value>(std::move(items));
  }
  if (micro || type == "meta.v1.Time") {
    if (!fields.contains(1)) return std::optional<json::value>(nullptr);
    constexpr std::int64_t k_year_10000 = 253'402'300'800;
    const auto since = static_cast<std::int64_t>(fields[1].value);
    if (since <= -k_year_10000 || since >= k_year_10000) return std::optional<json::value>();
    const WallTime time{milliseconds(since * 1000 + static_cast<std::int64_t>(fields[2].value / 1'000'000))};
    std::string text = to_rfc3339(time);
    if (const auto dot = text.find('.'); dot != std::string::npos) {
      text.replace(dot, std::string::npos,
                   micro ? fmt::format(".{:06}Z", (fields[2].value / 1000) % 1'000'000) : std::string("Z"));
    }
    return std::optional<json::value>(std::move(text));
  }
  if (fields[1].bytes.empty()) return std::optional<json::value>(nullptr);
  auto value = parse_json(fields[1].bytes, {.max_bytes = 4 * 1024 * 1024, .max_depth = 96});
  return value ? std::optional<json::value>(std::move(*value)) : std::optional<json::value>();
}

bool is_empty(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return true;
    case json::kind::bool_: return !value.get_bool();
    case json::kind::int64: return value.get_int64() == 0;
    case json::kind::string: return value.get_string().empty();
    case json::kind::object: return value.get_object().empty();
    case json::kind::array: return value.get_array().empty();
    default: return false;
  }
}

/// An entry of a map: key and value are fields 1 and 2.
bool add_entry(json::object& map, const ProtobufField& field, std::string_view bytes, int depth) {
  auto entry = last_fields(bytes);
  if (!entry) return false;
  auto value = decode_value(field.type, (*entry)[2], depth);
  if (!value) return false;
  map[(*entry)[1].bytes] = std::move(*value);
  return true;
}

/// Fills `object`; false on malformed bytes. Fields that the table doesn't know are skipped.
bool decode_message(const ProtobufMessage& message, std::string_view bytes, json::object& object, int depth) {
  if (depth > k_deepest) return false;
  for (Wire wire(bytes); !wire.at_end();) {
    const auto field = wire.next();
    if (!field) return false;
    const auto known = message.find(field->number);
    if (known == message.end()) continue;
    const ProtobufField& row = known->second;
    if (row.json_name == "-") {
      const auto inner = messages().find(row.type);
      if (inner == messages().end() || !decode_message(inner->second, field->bytes, object, depth + 1)) {
        return false;
      }
      continue;
    }
    if (row.shape == Shape::map) {
      json::value& map = object[row.json_name];
      if (!map.is_object()) map.emplace_object();
      if (!add_entry(map.get_object(), row, field->bytes, depth + 1)) return false;
      continue;
    }
    auto value = decode_value(row.type, *field, depth + 1);
    if (!value) return false;
    if (row.shape == Shape::repeated) {
      json::value& list = object[row.json_name];
      if (!list.is_array()) list.emplace_array();
      list.get_array().push_back(std::move(*value));
    } else if (!value->is_null() && (row.keeps_empty || !is_empty(*value))) {
      object[row.json_name] = std::move(*value);
    }
  }
  return true;
}

std::optional<json::value> decode_value(std::string_view type, const WireField& field, int depth) {
  if (type == "string") return json::value(json::string(field.bytes));
  if (type == "bytes") return json::value(to_base64(field.bytes));
  if (type == "bool") return json::value(field.value != 0);
  if (type == "double") return json::value(std::bit_cast<double>(field.value));
  if (type == "int32") return json::value(static_cast<std::int32_t>(field.value));
  if (type == "int64") return json::value(static_cast<std::int64_t>(field.value));
  if (auto special = decode_special(type, field.bytes)) return std::move(*special);
  const auto message = messages().find(type);
  if (message == messages().end()) return std::nullopt;
  json::object object;
  if (!decode_message(message->second, field.bytes, object, depth)) return std::nullopt;
  return object;
}

/// "apps/v1", "Deployment" → "apps.v1.Deployment".
std::string message_name(std::string_view api_version, std::string_view kind) {
  if (kind == "DeleteOptions") return "meta.v1.DeleteOptions";
  const auto [group, version] = split_api_version(api_version);
  const std::string package = group.empty() ? "core" : group.substr(0, group.find('.'));
  return fmt::format("{}.{}.{}", package, version, kind);
}

Status malformed() { return bad_request("the body of the request is no protobuf message of Kubernetes"); }

}  // namespace

bool is_protobuf(std::string_view content_type) {
  return trim(content_type.substr(0, content_type.find(';'))) == "application/vnd.kubernetes.protobuf";
}

Outcome<json::object> decode_protobuf(std::string_view body) {
  if (!body.starts_with(k_magic)) return refuse(malformed());
  auto envelope = last_fields(body.substr(k_magic.size()));
  if (!envelope) return refuse(malformed());
  auto type = last_fields((*envelope)[1].bytes);
  if (!type) return refuse(malformed());
  const std::string_view api_version = (*type)[1].bytes;
  const std::string_view kind = (*type)[2].bytes;
  const auto message = messages().find(message_name(api_version, kind));
  if (message == messages().end()) return refuse(unsupported_media_type("application/json"));
  json::object object{{"kind", kind}, {"apiVersion", api_version}};
  if (!decode_message(message->second, (*envelope)[2].bytes, object, 0)) return refuse(malformed());
  return object;
}

}  // namespace instantstart::sandbox::kubernetes
