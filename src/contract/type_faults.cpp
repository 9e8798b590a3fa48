#include "contract/type_faults.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/pattern.h"

namespace instantstart::contract {
namespace {

bool contains(const std::vector<const Type*>& types, const Type& type) {
  return std::ranges::find(types, &type) != types.end();
}

void collect_secrets(const Type& type, std::vector<const Type*>& seen, std::vector<std::string>& found) {
  if (contains(seen, type)) return;
  seen.push_back(&type);
  for (const auto& field : type.fields) {
    if (field.options.secret || field.type().secret) {
      found.push_back(fmt::format("{}.{}", type.name, field.name));
    } else {
      collect_secrets(field.type(), seen, found);
    }
  }
  if (type.element) {
    if (type.element().secret) found.push_back(fmt::format("{}", type.element().name));
    collect_secrets(type.element(), seen, found);
  }
  for (const auto& [tag, alternative] : type.alternatives) collect_secrets(alternative(), seen, found);
}

}  // namespace

std::vector<std::string> secret_members(const Type& type) {
  std::vector<const Type*> seen;
  std::vector<std::string> found;
  collect_secrets(type, seen, found);
  return found;
}

Result<json::value> example_value(const Type& type, std::string_view text) {
  if (type.kind == Kind::string || type.kind == Kind::enumeration) return json::value(text);
  return parse_json(text);
}

void TypeChecker::check(const Type& type, void* instance) {
  if (contains(seen_, type)) return;
  seen_.push_back(&type);
  if (is_named(type)) check_named(type);
  check_examples(type, instance);
  switch (type.kind) {
    case Kind::object: return check_object(type, instance);
    case Kind::enumeration: return check_enumeration(type);
    case Kind::variant: return check_variant(type, instance);
    case Kind::array: return check(type.element(), instance ? type.access.append(instance) : nullptr);
    case Kind::map: return check(type.element(), instance ? type.access.insert(instance, "key") : nullptr);
    default: return;
  }
}

void TypeChecker::check_named(const Type& type) {
  static const Pattern k_type_name("^[A-Z][A-Za-z0-9]*$");
  if (!k_type_name.matches(type.name)) {
    faults_.push_back(fmt::format("type {}: the name is not PascalCase", type.name));
  }
  check_text(fmt::format("type {}", type.name), type.doc);
  if (std::ranges::any_of(named_, [&](const Type* other) { return other->name == type.name; })) {
    faults_.push_back(fmt::format("two types are named {}", type.name));
  }
  named_.push_back(&type);
}

void TypeChecker::check_object(const Type& type, void* instance) {
  if (type.name.empty()) faults_.emplace_back("an object type has no name");
  std::set<std::string_view> names;
  for (const auto& field : type.fields) {
    if (!names.insert(field.name).second) {
      faults_.push_back(fmt::format("type {}: two members are named {}", type.name, field.name));
    }
    check_field(type, field, instance);
  }
}

void TypeChecker::check_field(const Type& owner, const Field& field, void* instance) {
  check_text(fmt::format("{}.{}", owner.name, field.name), field.doc);
  const Type& type = field.type();
  const bool secret = field.options.secret || type.secret;
  if (secret && !field.options.examples.empty()) {
    faults_.push_back(fmt::format("{}.{}: a secret has no examples", owner.name, field.name));
  }
  for (const auto text : field.options.examples) {
    if (const auto example = example_value(type, text)) {
      try_member(owner, field, "example", *example, instance);
    } else {
      faults_.push_back(fmt::format("{}.{}: the example {} is not JSON", owner.name, field.name, text));
    }
  }
  if (field.options.defaulted) {
    if (const void* value = field.peek(owner.access.defaults())) {
      try_member(owner, field, "default", encode_from(type, value, {.reveal_secrets = true}), instance);
    }
  }
  check(type, instance ? field.emplace(instance) : nullptr);
}

/// Decodes an object that has this member alone, and looks at what is said about it.
void TypeChecker::try_member(const Type& owner, const Field& field, std::string_view what,
                             const json::value& value, void* instance) {
  if (!instance) return;
  const std::string at = join_pointer("", field.name);
  for (const auto& problem : decode_into(owner, json::object{{field.name, value}}, instance)) {
    if (problem.pointer == at || problem.pointer.starts_with(at + "/")) {
      faults_.push_back(fmt::format("{}.{}: the {} {}", owner.name, field.name, what, problem.message));
    }
  }
}

void TypeChecker::check_examples(const Type& type, void* instance) {
  if (type.secret && !type.examples.empty()) {
    faults_.push_back(fmt::format("type {}: a secret has no examples", type.name));
  }
  for (const auto text : type.examples) {
    const auto example = example_value(type, text);
    if (!example) {
      faults_.push_back(fmt::format("type {}: the example {} is not JSON", type.name, text));
    } else if (instance) {
      for (const auto& problem : decode_into(type, *example, instance)) {
        faults_.push_back(fmt::format("type {}: the example {} {}", type.name, text, problem.message));
      }
    }
  }
}

void TypeChecker::check_enumeration(const Type& type) {
  if (type.values.empty()) faults_.push_back(fmt::format("type {}: there are no values", type.name));
  std::set<std::string_view> names;
  for (const auto& value : type.values) {
    check_text(fmt::format("value {} of {}", value.name, type.name), value.doc);
    if (value.name.empty() || !names.insert(value.name).second) {
      faults_.push_back(fmt::format("type {}: the value name '{}' is empty or twice", type.name, value.name));
    }
  }
}

void TypeChecker::check_variant(const Type& type, void* instance) {
  std::set<std::string_view> tags;
  for (std::size_t i = 0; i < type.alternatives.size(); ++i) {
    const auto& [tag, alternative_of] = type.alternatives[i];
    const Type& alternative = alternative_of();
    if (!tags.insert(tag).second)
      faults_.push_back(fmt::format("type {}: the tag {} is twice", type.name, tag));
    if (alternative.kind != Kind::object) {
      faults_.push_back(fmt::format("type {}: the alternative {} is not an object", type.name, tag));
    } else if (std::ranges::find(alternative.fields, type.tag, &Field::name) != alternative.fields.end()) {
      faults_.push_back(
          fmt::format("type {}: the alternative {} has a member of its own named {}, as the tag is",
                      type.name, tag, type.tag));
    }
    check(alternative, instance ? type.access.emplace_alternative(instance, i) : nullptr);
  }
}

void TypeChecker::check_text(std::string_view where, std::string_view text) {
  if (text.empty()) faults_.push_back(fmt::format("{}: there is no doc", where));
  if (text.contains('\n')) faults_.push_back(fmt::format("{}: the doc has more than one line", where));
}

}  // namespace instantstart::contract
