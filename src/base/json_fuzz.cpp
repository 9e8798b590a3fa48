// What parses comes back equal from its own text, and what decodes comes back equal from its encoding.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/decode.h"
#include "base/json.h"

namespace instantstart {
namespace {

struct Label : Text<Label> {};
Type describe(Label*) { return text_type<Label>("Label", "", {.min = 1, .max = 8, .pattern = "^[a-z]+$"}); }

enum class Color { red, blue };
Type describe(Color*) {
  return enum_type<Color>("Color", "", {{Color::red, {"red", ""}}, {Color::blue, {"blue", ""}}});
}

struct Point {
  std::int64_t x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};
Type describe(Point*) {
  return object_type<Point>("Point", "", {field<&Point::x>("x", ""), field<&Point::y>("y", "")});
}

struct Key {
  std::string key;
  bool operator==(const Key&) const = default;
};
Type describe(Key*) { return object_type<Key>("Key", "", {field<&Key::key>("key", "", {.secret = true})}); }

using Shape = std::variant<Point, Key>;
Type describe(Shape*) { return variant_type<Shape>("Shape", "", "t", {"p", "k"}); }

struct Root {
  std::optional<Label> a;
  std::vector<Shape> b;
  std::map<std::string, json::value> c;
  Color d = Color::red;
  std::optional<bool> e;
  std::vector<Root> f;
  bool operator==(const Root&) const = default;
};
Type describe(Root*) {
  constexpr auto defaulted = [] { return FieldOptions{.defaulted = true}; };
  return object_type<Root>("Root", "",
                           {field<&Root::a>("a", ""), field<&Root::b>("b", "", defaulted()),
                            field<&Root::c>("c", "", defaulted()), field<&Root::d>("d", "", defaulted()),
                            field<&Root::e>("e", ""), field<&Root::f>("f", "", defaulted())});
}

void must(bool holds) {
  if (!holds) std::abort();
}

void check_decoding(const json::value& value, DecodeOptions options) {
  const auto root = decode<Root>(value, options);
  if (!root) return must(!root.error().problems.empty() && !root.error().message.empty());
  const auto text = to_text(encode(*root, {.reveal_secrets = true}));
  const auto again = parse_json(text, {.max_bytes = text.size()});
  must(again.has_value());
  const auto back = decode<Root>(*again);
  must(back && *back == *root);
}

}  // namespace
}  // namespace instantstart

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace instantstart;
  const auto value = parse_json({reinterpret_cast<const char*>(data), size});
  if (!value) {
    must(!value.error().message.empty());
    return 0;
  }
  // Escapes may make the text longer than what was read.
  const std::string text = to_text(*value);
  const auto back = parse_json(text, {.max_bytes = text.size()});
  must(back && *back == *value);
  const std::string canonical = to_canonical_text(*value);
  const auto sorted = parse_json(canonical, {.max_bytes = canonical.size()});
  must(sorted && *sorted == *value && to_canonical_text(*sorted) == canonical);
  check_decoding(*value, {});
  check_decoding(*value, {.scalars_from_text = true});
  return 0;
}
