// One `describe(T*)` table a type: names, docs, rules, defaults. JSON decoding, encoding, JSON Schema, CLI
// flags and docs are walkers over these tables and know no C++ type.
//
//   struct Mount { BucketName bucket; std::string path = "/data"; std::optional<bool> read_only; };
//   Type describe(Mount*) {
//     return object_type<Mount>("Mount", "An S3 bucket in pods.", {
//         field<&Mount::bucket>("bucket", "Bucket to mount."),
//         field<&Mount::path>("path", "Where pods see it.", {.defaulted = true, .rule = {.pattern = "^/"}}),
//         field<&Mount::read_only>("read_only", "Refuse writes.")});
//   }
//
// A field is required unless it is std::optional or `defaulted` (then the C++ default member value is the
// default). Tables are immutable, built once on first use by `type_of<T>()`, and shared by all threads.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <boost/json/value.hpp>

#include "base/error.h"
#include "base/pattern.h"

namespace instantstart {

enum class Kind { boolean, integer, number, string, enumeration, array, map, object, variant, any };

/// What a value must satisfy beyond its kind. `min` and `max` bound the value of numbers, the code points of
/// strings, the items of arrays and maps.
struct Rule {
  std::optional<double> min;
  std::optional<double> max;
  std::optional<Pattern> pattern;
  std::string_view format = {};  ///< JSON Schema `format`, an annotation: "date-time", "uuid", "ipv4-cidr".
  /// A check that no schema word expresses; the answer is the complaint, "must be a multiple of 8". Strings
  /// and numbers only; a number comes as its decimal text.
  std::function<std::optional<std::string>(std::string_view)> check = {};
};

struct EnumValue {
  std::int64_t value;
  std::string_view name;  ///< The wire text, lower_snake unless a peer's spelling rules.
  std::string_view doc;
};

struct Type;
using TypeRef = const Type& (*)();

struct FieldOptions {
  bool defaulted = false;  ///< Absent means the C++ default member value.
  bool secret = false;     ///< Never shown: logs, journal, errors, docs examples.
  Rule rule = {};          ///< Must hold in this place, in addition to the type's own.
  std::vector<std::string_view> examples = {};
};

struct Field {
  std::string_view name;
  std::string_view doc;
  TypeRef type;
  FieldOptions options;
  bool optional;                            ///< std::optional in C++.
  void* (*emplace)(void* object);           ///< The member, present and holding an empty value.
  const void* (*peek)(const void* object);  ///< The member, or nullptr when an optional is absent.

  bool required() const { return !optional && !options.defaulted; }
};

/// Reaches the C++ value behind a Type. Each kind fills only its own.
struct Access {
  void (*set_bool)(void*, bool) = nullptr;
  bool (*get_bool)(const void*) = nullptr;
  void (*set_integer)(void*, std::int64_t) = nullptr;  ///< integer, enumeration
  std::int64_t (*get_integer)(const void*) = nullptr;
  void (*set_number)(void*, double) = nullptr;
  double (*get_number)(const void*) = nullptr;
  void (*set_string)(void*, std::string) = nullptr;
  std::string_view (*get_string)(const void*) = nullptr;
  void* (*append)(void* array) = nullptr;
  std::size_t (*size)(const void* container) = nullptr;
  const void* (*item)(const void* array, std::size_t) = nullptr;
  void* (*insert)(void* map, std::string key) = nullptr;
  void (*each)(const void* map, const std::function<void(std::string_view, const void*)>&) = nullptr;
  void* (*emplace_alternative)(void*, std::size_t index) = nullptr;
  std::pair<std::size_t, const void*> (*alternative)(const void*) = nullptr;
  bool (*set_any)(void*, boost::json::value) = nullptr;  ///< any: false when this place takes objects only.
  boost::json::value (*get_any)(const void*) = nullptr;
  const void* (*defaults)() =
      nullptr;  ///< object: a default-constructed one, for the values of defaulted fields.
};

struct Type {
  Kind kind = Kind::any;
  std::string_view name = {};  ///< "Mount"; empty for unnamed types (string, list of …).
  std::string_view doc = {};
  Rule rule = {};
  bool secret = false;
  std::vector<std::string_view> examples = {};
  std::vector<EnumValue> values = {};  ///< enumeration
  std::vector<Field> fields = {};      ///< object
  TypeRef element = nullptr;           ///< array, map
  std::string_view tag = {};           ///< variant: the member that names the alternative, "kind"
  std::vector<std::pair<std::string_view, TypeRef>> alternatives = {};  ///< variant: (tag value, object type)
  /// object: rules between fields, run when each field alone is fine. Pointers are relative to the object.
  std::function<void(const void*, std::vector<FieldProblem>&)> check = {};
  Access access = {};
};

/// The table of a described type.
template <class T>
const Type& type_of();

/// A string with a rule of its own: `struct ClusterName : Text<ClusterName> {};` plus describe(ClusterName*).
template <class Self>
struct Text {
  std::string value;

  friend bool operator==(const Self& a, const Self& b) { return a.value == b.value; }
  friend auto operator<=>(const Self& a, const Self& b) { return a.value <=> b.value; }
};

template <class T>
Type text_type(std::string_view name, std::string_view doc, Rule rule,
               std::vector<std::string_view> examples = {}) {
  Type type{.kind = Kind::string,
            .name = name,
            .doc = doc,
            .rule = std::move(rule),
            .examples = std::move(examples)};
  type.access.set_string = [](void* p, std::string s) { static_cast<T*>(p)->value = std::move(s); };
  type.access.get_string = [](const void* p) -> std::string_view { return static_cast<const T*>(p)->value; };
  return type;
}

template <class E>
Type enum_type(std::string_view name, std::string_view doc,
               std::vector<std::pair<E, std::pair<std::string_view, std::string_view>>> values) {
  Type type{.kind = Kind::enumeration, .name = name, .doc = doc};
  for (const auto& [value, text] : values) {
    type.values.push_back({static_cast<std::int64_t>(value), text.first, text.second});
  }
  type.access.set_integer = [](void* p, std::int64_t v) { *static_cast<E*>(p) = static_cast<E>(v); };
  type.access.get_integer = [](const void* p) {
    return static_cast<std::int64_t>(*static_cast<const E*>(p));
  };
  return type;
}

/// A strong integer: `struct GpuCount : Number<GpuCount> {};`
template <class Self>
struct Number {
  std::int64_t value = 0;

  friend bool operator==(const Self& a, const Self& b) { return a.value == b.value; }
  friend auto operator<=>(const Self& a, const Self& b) { return a.value <=> b.value; }
};

template <class T>
Type number_type(std::string_view name, std::string_view doc, Rule rule) {
  Type type{.kind = Kind::integer, .name = name, .doc = doc, .rule = std::move(rule)};
  type.access.set_integer = [](void* p, std::int64_t v) { static_cast<T*>(p)->value = v; };
  type.access.get_integer = [](const void* p) { return static_cast<const T*>(p)->value; };
  return type;
}

namespace detail {

template <class T>
struct MemberOf;
template <class Object, class Member>
struct MemberOf<Member Object::*> {
  using object = Object;
  using member = Member;
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
struct Unwrapped {
  using type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
};

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

template <class T>
Type builtin_type();
template <class V, std::size_t... I>
void fill_alternatives(Type& type, const std::vector<std::string_view>& tags, std::index_sequence<I...>);

}  // namespace detail

template <auto Member>
Field field(std::string_view name, std::string_view doc, FieldOptions options = {}) {
  using Object = detail::MemberOf<decltype(Member)>::object;
  using Value = detail::MemberOf<decltype(Member)>::member;
  Field result{.name = name,
               .doc = doc,
               .type = &type_of<typename detail::Unwrapped<Value>::type>,
               .options = std::move(options),
               .optional = detail::is_optional<Value>,
               .emplace = nullptr,
               .peek = nullptr};
  if constexpr (detail::is_optional<Value>) {
    result.emplace = [](void* p) -> void* { return &(static_cast<Object*>(p)->*Member).emplace(); };
    result.peek = [](const void* p) -> const void* {
      const auto& value = static_cast<const Object*>(p)->*Member;
      return value ? &*value : nullptr;
    };
  } else {
    result.emplace = [](void* p) -> void* {
      auto& member = static_cast<Object*>(p)->*Member;
      member = Value{};  // what is sent replaces a default list, it doesn't add to it
      return &member;
    };
    result.peek = [](const void* p) -> const void* { return &(static_cast<const Object*>(p)->*Member); };
  }
  return result;
}

template <class T>
Type object_type(std::string_view name, std::string_view doc, std::vector<Field> fields,
                 void (*check)(const T&, std::vector<FieldProblem>&) = nullptr) {
  Type type{.kind = Kind::object, .name = name, .doc = doc, .fields = std::move(fields)};
  if (check) {
    type.check = [check](const void* p, std::vector<FieldProblem>& problems) {
      check(*static_cast<const T*>(p), problems);
    };
  }
  type.access.defaults = []() -> const void* {
    static const T value{};
    return &value;
  };
  return type;
}

/// std::variant of described objects; `tag` is the member whose text chooses the alternative.
template <class V>
Type variant_type(std::string_view name, std::string_view doc, std::string_view tag,
                  const std::vector<std::string_view>& tags) {
  Type type{.kind = Kind::variant, .name = name, .doc = doc, .tag = tag};
  detail::fill_alternatives<V>(type, tags, std::make_index_sequence<std::variant_size_v<V>>{});
  return type;
}

namespace detail {

template <class V, std::size_t... I>
void fill_alternatives(Type& type, const std::vector<std::string_view>& tags, std::index_sequence<I...>) {
  (type.alternatives.emplace_back(tags.at(I), &type_of<std::variant_alternative_t<I, V>>), ...);
  type.access.emplace_alternative = [](void* p, std::size_t index) -> void* {
    void* made = nullptr;
    ((index == I ? void(made = &static_cast<V*>(p)->template emplace<I>()) : void()), ...);
    return made;
  };
  type.access.alternative = [](const void* p) -> std::pair<std::size_t, const void*> {
    const V& value = *static_cast<const V*>(p);
    return {value.index(), std::visit([](const auto& v) -> const void* { return &v; }, value)};
  };
}

template <class T>
Type array_type() {
  using Item = T::value_type;
  static_assert(!std::is_same_v<Item, bool>, "std::vector<bool> holds no bools to point at");
  Type type{.kind = Kind::array, .element = &type_of<Item>};
  type.access.append = [](void* p) -> void* { return &static_cast<T*>(p)->emplace_back(); };
  type.access.size = [](const void* p) { return static_cast<const T*>(p)->size(); };
  type.access.item = [](const void* p, std::size_t i) -> const void* {
    return &(*static_cast<const T*>(p))[i];
  };
  return type;
}

template <class T>
Type map_type() {
  using Item = T::mapped_type;
  Type type{.kind = Kind::map, .element = &type_of<Item>};
  type.access.insert = [](void* p, std::string key) -> void* {
    return &(*static_cast<T*>(p))[std::move(key)];
  };
  type.access.size = [](const void* p) { return static_cast<const T*>(p)->size(); };
  type.access.each = [](const void* p, const std::function<void(std::string_view, const void*)>& visit) {
    for (const auto& [key, value] : *static_cast<const T*>(p)) visit(key, &value);
  };
  return type;
}

template <class T>
Type builtin_type() {
  Type type;
  if constexpr (std::is_same_v<T, bool>) {
    type.kind = Kind::boolean;
    type.access.set_bool = [](void* p, bool v) { *static_cast<bool*>(p) = v; };
    type.access.get_bool = [](const void* p) { return *static_cast<const bool*>(p); };
  } else if constexpr (std::is_integral_v<T>) {
    static_assert(sizeof(T) < 8 || std::is_signed_v<T>, "JSON numbers carry 64-bit signed integers here");
    type.kind = Kind::integer;
    if constexpr (sizeof(T) < 8) {
      type.rule.min = static_cast<double>(std::numeric_limits<T>::min());
      type.rule.max = static_cast<double>(std::numeric_limits<T>::max());
    }
    type.access.set_integer = [](void* p, std::int64_t v) { *static_cast<T*>(p) = static_cast<T>(v); };
    type.access.get_integer = [](const void* p) {
      return static_cast<std::int64_t>(*static_cast<const T*>(p));
    };
  } else if constexpr (std::is_same_v<T, double>) {
    type.kind = Kind::number;
    type.access.set_number = [](void* p, double v) { *static_cast<double*>(p) = v; };
    type.access.get_number = [](const void* p) { return *static_cast<const double*>(p); };
  } else if constexpr (std::is_same_v<T, std::string>) {
    type.kind = Kind::string;
    type.access.set_string = [](void* p, std::string s) { *static_cast<std::string*>(p) = std::move(s); };
    type.access.get_string = [](const void* p) -> std::string_view {
      return *static_cast<const std::string*>(p);
    };
  } else if constexpr (std::is_same_v<T, boost::json::value>) {
    type.kind = Kind::any;
    type.access.set_any = [](void* p, boost::json::value v) {
      *static_cast<boost::json::value*>(p) = std::move(v);
      return true;
    };
    type.access.get_any = [](const void* p) { return *static_cast<const boost::json::value*>(p); };
  } else if constexpr (std::is_same_v<T, boost::json::object>) {
    type.kind = Kind::any;
    type.name = "object";  // free-form, but an object
    type.access.set_any = [](void* p, boost::json::value v) {
      if (!v.is_object()) return false;
      *static_cast<boost::json::object*>(p) = std::move(v.get_object());
      return true;
    };
    type.access.get_any = [](const void* p) -> boost::json::value {
      return *static_cast<const boost::json::object*>(p);
    };
  } else if constexpr (is_vector<T>) {
    type = array_type<T>();
  } else if constexpr (is_map<T>) {
    type = map_type<T>();
  } else {
    type = describe(static_cast<T*>(nullptr));  // found beside the type
  }
  return type;
}

}  // namespace detail

template <class T>
const Type& type_of() {
  static const Type type = detail::builtin_type<T>();
  return type;
}

}  // namespace instantstart
