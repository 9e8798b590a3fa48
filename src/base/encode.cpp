#include "base/decode.h"

namespace instantstart {
namespace {

class Encoder {
 public:
  explicit Encoder(EncodeOptions options) : options_(options) {}

  json::value encode(const Type& type, const void* source, bool secret) const {
    if ((secret || type.secret) && !options_.reveal_secrets) return json::value(k_secret_text);
    const Access& access = type.access;
    switch (type.kind) {
      case Kind::boolean: return access.get_bool(source);
      case Kind::integer: return access.get_integer(source);
      case Kind::number: return access.get_number(source);
      case Kind::string: return json::value(access.get_string(source));
      case Kind::enumeration: return enumeration(type, source);
      case Kind::array: return array(type, source);
      case Kind::map: return map(type, source);
      case Kind::object: return object(type, source, {});
      case Kind::variant: {
        const auto [index, held] = access.alternative(source);
        const auto& [name, alternative] = type.alternatives[index];
        if (alternative().secret && !options_.reveal_secrets) return json::value(k_secret_text);
        return object(alternative(), held, {{type.tag, name}});
      }
      case Kind::any: return access.get_any(source);
    }
    return nullptr;
  }

 private:
  static json::value enumeration(const Type& type, const void* source) {
    const std::int64_t number = type.access.get_integer(source);
    for (const auto& value : type.values) {
      if (value.value == number) return json::value(value.name);
    }
    return nullptr;  // a value outside its enumeration has no text
  }

  json::array array(const Type& type, const void* source) const {
    const Type& element = type.element();
    const std::size_t size = type.access.size(source);
    json::array items;
    items.reserve(size);
    for (std::size_t i = 0; i < size; ++i)
      items.push_back(encode(element, type.access.item(source, i), false));
    return items;
  }

  json::object map(const Type& type, const void* source) const {
    const Type& element = type.element();
    json::object members;
    members.reserve(type.access.size(source));
    type.access.each(source, [&](std::string_view key, const void* item) {
      members.emplace(key, encode(element, item, false));
    });
    return members;
  }

  /// Adds to `members`, which hold the tag of a variant.
  json::object object(const Type& type, const void* source, json::object members) const {
    members.reserve(members.size() + type.fields.size());
    for (const auto& field : type.fields) {
      if (const void* member = field.peek(source)) {
        members.emplace(field.name, encode(field.type(), member, field.options.secret));
      }
    }
    return members;
  }

  EncodeOptions options_;
};

}  // namespace

json::value encode_from(const Type& type, const void* source, EncodeOptions options) {
  return Encoder(options).encode(type, source, false);
}

}  // namespace instantstart
