#include "base/problem_list.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace instantstart {
namespace {

constexpr std::size_t k_shown_value_bytes = 200;

std::string_view kind_words(Kind kind) {
  switch (kind) {
    case Kind::boolean: return "true or false";
    case Kind::integer: return "a whole number";
    case Kind::number: return "a number";
    case Kind::string:
    case Kind::enumeration: return "a string";
    case Kind::array: return "a list";
    case Kind::map:
    case Kind::object:
    case Kind::variant:
    case Kind::any: return "an object";
  }
  return "a value";
}

/// `seen` ends the recursion of types that hold themselves.
bool holds_secret(const Type& type, std::vector<const Type*>& seen) {
  if (type.secret) return true;
  if (std::ranges::find(seen, &type) != seen.end()) return false;
  seen.push_back(&type);
  if (type.element && holds_secret(type.element(), seen)) return true;
  for (const auto& field : type.fields) {
    if (field.options.secret || holds_secret(field.type(), seen)) return true;
  }
  return std::ranges::any_of(
      type.alternatives, [&](const auto& alternative) { return holds_secret(alternative.second(), seen); });
}

}  // namespace

std::string Place::pointer() const {
  if (!outer_) return {};
  return is_item_ ? join_pointer(outer_->pointer(), index_) : join_pointer(outer_->pointer(), key_);
}

bool holds_secret(const Type& type) {
  std::vector<const Type*> seen;
  return holds_secret(type, seen);
}

std::vector<FieldProblem> ProblemList::release() {
  if (overflowed_) problems_.push_back({"", "too_many_problems", "has more problems than are shown", "", {}});
  return std::move(problems_);
}

void ProblemList::add(FieldProblem problem) {
  overflowed_ = problems_.size() >= k_max_problems;
  if (!overflowed_) problems_.push_back(std::move(problem));
}

void ProblemList::add(const Sent& sent, std::string_view rule, std::string message,
                      std::optional<std::string> near) {
  const bool hidden = sent.at.secret() || holds_secret(sent.type);
  std::string shown =
      hidden ? std::string(k_secret_text) : shortened(to_text(sent.value), k_shown_value_bytes);
  add({sent.at.pointer(), std::string(rule), std::move(message), std::move(shown), std::move(near)});
}

void ProblemList::wrong_kind(const Sent& sent) {
  add(sent, "type", fmt::format("must be {}", kind_words(sent.type.kind)));
}

void ProblemList::not_one_of(const Sent& sent, std::span<const std::string_view> names) {
  add(sent, "enum", fmt::format("must be one of {}", fmt::join(names, ", ")),
      nearest(sent.value.get_string(), names));
}

bool ProblemList::in_range(const Sent& sent, const Rule& rule, double number) {
  if (rule.min && number < *rule.min) {
    add(sent, "minimum", fmt::format("must be at least {}", *rule.min), fmt::format("{}", *rule.min));
    return false;
  }
  if (rule.max && number > *rule.max) {
    add(sent, "maximum", fmt::format("must be at most {}", *rule.max), fmt::format("{}", *rule.max));
    return false;
  }
  return true;
}

bool ProblemList::in_size(const Sent& sent, const Rule& rule, std::size_t size, const Measure& measure) {
  const auto count = static_cast<double>(size);
  // How long a secret is, is part of it.
  const auto has = [&] { return sent.at.secret() ? std::string() : fmt::format(", has {}", size); };
  if (rule.min && count < *rule.min) {
    add(sent, measure.too_few, fmt::format("must have at least {} {}{}", *rule.min, measure.unit, has()));
    return false;
  }
  if (rule.max && count > *rule.max) {
    add(sent, measure.too_many, fmt::format("must have at most {} {}{}", *rule.max, measure.unit, has()));
    return false;
  }
  return true;
}

bool ProblemList::matches(const Sent& sent, const Rule& rule, std::string_view text) {
  if (!rule.pattern || rule.pattern->matches(text)) return true;
  add(sent, "pattern", fmt::format("must match {}", rule.pattern->expression()));
  return false;
}

bool ProblemList::passes_check(const Sent& sent, const Rule& rule, std::string_view text) {
  if (!rule.check) return true;
  auto complaint = rule.check(text);
  if (!complaint) return true;
  const bool quotes_secret = sent.at.secret() && !text.empty() && complaint->find(text) != std::string::npos;
  add(sent, "value", quotes_secret ? "is not valid" : std::move(*complaint));
  return false;
}

}  // namespace instantstart
