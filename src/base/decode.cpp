#include "base/decode.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/problem_list.h"
#include "base/text.h"

namespace instantstart {
namespace {

/// Doubles hold every whole number up to here, and not every one beyond.
constexpr double k_exact_double = 9007199254740992.0;

template <class T>
std::optional<T> parsed(std::string_view text) {
  T number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

/// Runs `fits` with the rule of the type and, where it is another, that of the place.
template <class Fits>
bool both(const Type& type, const Rule& rule, Fits fits) {
  return fits(type.rule) && (&rule == &type.rule || fits(rule));
}

const Rule& place_rule(const Field& field, const Type& type) {
  const Rule& rule = field.options.rule;
  return rule.min || rule.max || rule.pattern || rule.check ? rule : type.rule;
}

/// Whether a pointer from an object goes to, or over, a field with a secret in it.
bool names_secret(const Type& type, std::string_view pointer) {
  return std::ranges::any_of(type.fields, [&](const Field& field) {
    const std::string start = join_pointer("", field.name);
    const bool inside = pointer.empty() || pointer == start || pointer.starts_with(start + '/');
    return inside && (field.options.secret || holds_secret(field.type()));
  });
}

class Decoder {
 public:
  explicit Decoder(DecodeOptions options) : options_(options) {}

  void decode(const Type& type, const Rule& rule, const json::value& value, void* target, const Place& at) {
    const Place place = at.as_secret(type.secret);
    const Sent sent{type, value, place};
    switch (type.kind) {
      case Kind::boolean: return boolean(sent, target);
      case Kind::integer: return integer(sent, rule, target);
      case Kind::number: return number(sent, rule, target);
      case Kind::string: return string(sent, rule, target);
      case Kind::enumeration: return enumeration(sent, target);
      case Kind::array: return array(sent, rule, target);
      case Kind::map: return map(sent, rule, target);
      case Kind::object: return object(sent, target, {});
      case Kind::variant: return variant(sent, target);
      case Kind::any:
        if (!type.access.set_any(target, value)) problems_.wrong_kind(sent);
        return;
    }
  }

  std::vector<FieldProblem> problems() { return problems_.release(); }

 private:
  void boolean(const Sent& sent, void* target) {
    const json::value& value = sent.value;
    if (value.is_bool()) return sent.type.access.set_bool(target, value.get_bool());
    if (options_.scalars_from_text && value.is_string()) {
      if (value.get_string() == "true") return sent.type.access.set_bool(target, true);
      if (value.get_string() == "false") return sent.type.access.set_bool(target, false);
    }
    problems_.wrong_kind(sent);
  }

  /// The number that was sent, also where it came as text: int64, uint64, double or, if it is none, null.
  json::value numeric(const json::value& value) const {
    if (value.is_number()) return value;
    if (!options_.scalars_from_text || !value.is_string()) return nullptr;
    const std::string_view text = value.get_string();
    if (const auto whole = parsed<std::int64_t>(text)) return *whole;
    if (const auto large = parsed<std::uint64_t>(text)) return *large;
    if (const auto real = parsed<double>(text); real && std::isfinite(*real)) return *real;
    return nullptr;
  }

  /// 8.0 and 1e3 are whole numbers, as in JSON Schema.
  std::optional<std::int64_t> whole_number(const Sent& sent) {
    const json::value number = numeric(sent.value);
    if (number.is_int64()) return number.get_int64();
    if (number.is_uint64()) {
      problems_.add(sent, "maximum", "must be at most 9223372036854775807");
      return std::nullopt;
    }
    if (!number.is_double() || std::trunc(number.get_double()) != number.get_double()) {
      problems_.wrong_kind(sent);
      return std::nullopt;
    }
    if (std::abs(number.get_double()) > k_exact_double) {
      problems_.add(sent, number.get_double() > 0 ? "maximum" : "minimum",
                    "must be within ±9007199254740992 when written with a fraction or an exponent");
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number.get_double());
  }

  void integer(const Sent& sent, const Rule& rule, void* target) {
    const auto number = whole_number(sent);
    if (!number) return;
    const auto fits = [&](const Rule& each) {
      return problems_.in_range(sent, each, static_cast<double>(*number)) &&
             problems_.passes_check(sent, each, fmt::format_int(*number).c_str());
    };
    if (both(sent.type, rule, fits)) sent.type.access.set_integer(target, *number);
  }

  void number(const Sent& sent, const Rule& rule, void* target) {
    const json::value sent_number = numeric(sent.value);
    if (!sent_number.is_number()) return problems_.wrong_kind(sent);
    const double number = sent_number.to_number<double>();
    const auto fits = [&](const Rule& each) {
      return problems_.in_range(sent, each, number) && problems_.passes_check(sent, each, to_text(number));
    };
    if (both(sent.type, rule, fits)) sent.type.access.set_number(target, number);
  }

  void string(const Sent& sent, const Rule& rule, void* target) {
    if (!sent.value.is_string()) return problems_.wrong_kind(sent);
    const std::string_view text = sent.value.get_string();
    if (sent.at.secret() && text == k_secret_text) {  // an answer of ours, sent back
      return problems_.add(sent, "value", fmt::format("must be the secret itself, not {}", k_secret_text));
    }
    const auto fits = [&](const Rule& each) {
      constexpr Measure k_length{"characters", "min_length", "max_length"};
      return problems_.in_size(sent, each, code_points(text), k_length) &&
             problems_.matches(sent, each, text) && problems_.passes_check(sent, each, text);
    };
    if (both(sent.type, rule, fits)) sent.type.access.set_string(target, std::string(text));
  }

  void enumeration(const Sent& sent, void* target) {
    if (!sent.value.is_string()) return problems_.wrong_kind(sent);
    const std::string_view text = sent.value.get_string();
    std::vector<std::string_view> names;
    for (const auto& allowed : sent.type.values) {
      if (allowed.name == text) return sent.type.access.set_integer(target, allowed.value);
      names.push_back(allowed.name);
    }
    problems_.not_one_of(sent, names);
  }

  void array(const Sent& sent, const Rule& rule, void* target) {
    constexpr Measure k_items{"items", "min_items", "max_items"};
    if (!sent.value.is_array()) return problems_.wrong_kind(sent);
    const auto& items = sent.value.get_array();
    const auto fits = [&](const Rule& each) { return problems_.in_size(sent, each, items.size(), k_items); };
    if (!both(sent.type, rule, fits)) return;
    const Type& element = sent.type.element();
    for (std::size_t i = 0; i < items.size() && !problems_.overflowed(); ++i) {
      decode(element, element.rule, items[i], sent.type.access.append(target), sent.at.item(i));
    }
  }

  void map(const Sent& sent, const Rule& rule, void* target) {
    constexpr Measure k_members{"members", "min_properties", "max_properties"};
    if (!sent.value.is_object()) return problems_.wrong_kind(sent);
    const auto& members = sent.value.get_object();
    const auto fits = [&](const Rule& each) {
      return problems_.in_size(sent, each, members.size(), k_members);
    };
    if (!both(sent.type, rule, fits)) return;
    const Type& element = sent.type.element();
    for (const auto& member : members) {
      if (problems_.overflowed()) return;
      if (member.value().is_null() && element.kind != Kind::any) continue;
      void* item = sent.type.access.insert(target, std::string(member.key()));
      decode(element, element.rule, member.value(), item, sent.at.member(member.key()));
    }
  }

  /// `passed_over` is a member that the caller has read already: the tag of a variant.
  void object(const Sent& sent, void* target, std::string_view passed_over) {
    if (!sent.value.is_object()) return problems_.wrong_kind(sent);
    const auto& members = sent.value.get_object();
    const std::size_t problems_before = problems_.size();
    for (const auto& field : sent.type.fields) {
      const Place place = sent.at.member(field.name, field.options.secret);
      const json::value* member = members.if_contains(field.name);
      if (member && !member->is_null()) {
        const Type& type = field.type();
        decode(type, place_rule(field, type), *member, field.emplace(target), place);
      } else if (field.required()) {
        problems_.add({place.pointer(), "required", "is required", "", {}});
      }
    }
    unknown_members(sent, passed_over);
    const bool fine = problems_.size() == problems_before && !problems_.overflowed();
    if (sent.type.check && fine) cross_check(sent, target);
  }

  void unknown_members(const Sent& sent, std::string_view passed_over) {
    std::vector<std::string_view> names;
    for (const auto& field : sent.type.fields) names.push_back(field.name);
    for (const auto& member : sent.value.get_object()) {
      const std::string_view key = member.key();
      if (problems_.overflowed()) return;
      if (key == passed_over || std::ranges::find(names, key) != names.end()) continue;
      // The value may be a secret under a wrong name, so it is not shown.
      problems_.add(
          {sent.at.member(key).pointer(), "unknown_field", "is not known here", "", nearest(key, names)});
    }
  }

  void cross_check(const Sent& sent, const void* target) {
    std::vector<FieldProblem> found;
    sent.type.check(target, found);
    for (auto& problem : found) {
      const bool hidden = sent.at.secret() || names_secret(sent.type, problem.pointer);
      if (hidden && !problem.value.empty()) problem.value = k_secret_text;
      problem.pointer = sent.at.pointer() + problem.pointer;
      problems_.add(std::move(problem));
    }
  }

  void variant(const Sent& sent, void* target) {
    const Type& type = sent.type;
    if (!sent.value.is_object()) return problems_.wrong_kind(sent);
    std::vector<std::string_view> names;
    for (const auto& [name, alternative] : type.alternatives) names.push_back(name);

    const Place tag_place = sent.at.member(type.tag);
    const json::value* tag = sent.value.get_object().if_contains(type.tag);
    if (!tag || tag->is_null()) {
      const std::string message = fmt::format("is required: one of {}", fmt::join(names, ", "));
      return problems_.add({tag_place.pointer(), "required", message, "", {}});
    }
    if (!tag->is_string()) return problems_.wrong_kind({type_of<std::string>(), *tag, tag_place});
    const auto found = std::ranges::find(names, std::string_view(tag->get_string()));
    if (found == names.end()) return problems_.not_one_of({type_of<std::string>(), *tag, tag_place}, names);

    const auto index = static_cast<std::size_t>(found - names.begin());
    const Type& alternative = type.alternatives[index].second();
    void* chosen = type.access.emplace_alternative(target, index);
    const Place place = sent.at.as_secret(alternative.secret);
    object({alternative, sent.value, place}, chosen, type.tag);
  }

  DecodeOptions options_;
  ProblemList problems_;
};

}  // namespace

std::vector<FieldProblem> decode_into(const Type& type, const json::value& value, void* target,
                                      DecodeOptions options) {
  Decoder decoder(options);
  decoder.decode(type, type.rule, value, target, Place());
  return decoder.problems();
}

Error invalid_request(std::vector<FieldProblem> problems) {
  Error error{.code = std::string(codes::invalid_request)};
  const FieldProblem& first = problems.front();
  error.message = fmt::format("{} {}", first.pointer.empty() ? "The request" : first.pointer, first.message);
  if (first.nearest) error.message += fmt::format(" (nearest: {})", *first.nearest);
  if (problems.size() == 2) error.message += "; 1 more problem";
  if (problems.size() > 2) error.message += fmt::format("; {} more problems", problems.size() - 1);
  error.problems = std::move(problems);
  return error;
}

}  // namespace instantstart
