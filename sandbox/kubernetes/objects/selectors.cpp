#include "sandbox/kubernetes/objects/selectors.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/validate.h"

namespace instantstart::sandbox::kubernetes {
namespace {

using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;

constexpr std::string_view k_special = "=!(),<> \t\r\n";

/// The words and signs of a selector.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { next(); }

  const std::string& token() const { return token_; }
  bool at_end() const { return token_.empty() && position_ >= text_.size(); }
  std::string take() {
    auto out = token_;
    next();
    return out;
  }

 private:
  void next() {
    token_.clear();
    while (position_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos)
      ++position_;
    if (position_ >= text_.size()) return;
    if (k_special.find(text_[position_]) == std::string_view::npos) {
      while (position_ < text_.size() && k_special.find(text_[position_]) == std::string_view::npos)
        token_ += text_[position_++];
      return;
    }
    token_ += text_[position_++];
    const bool doubled =
        (token_ == "=" || token_ == "!") && position_ < text_.size() && text_[position_] == '=';
    if (doubled) token_ += text_[position_++];
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::string token_;
};

bool is_word(const std::string& token) {
  return !token.empty() && k_special.find(token[0]) == std::string_view::npos;
}

std::unexpected<Status> unparsable(std::string_view why) {
  return refuse(bad_request(fmt::format("unable to parse requirement: {}", why)));
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Outcome<Requirement> checked(Requirement requirement) {
  if (auto why = check_qualified_name(requirement.key); !why.empty()) {
    return unparsable(
        fmt::format("<nil>: Invalid value: {}: {}", to_text(json::value(requirement.key)), why));
  }
  for (const auto& value : requirement.values) {
    if (auto why = check_label_value(value); !why.empty()) {
      return unparsable(fmt::format("values[0][{}]: Invalid value: {}: {}", requirement.key,
                                    to_text(json::value(value)), why));
    }
  }
  if (requirement.op == Operator::greater || requirement.op == Operator::less) {
    if (!number(requirement.values.front())) {
      return unparsable(
          fmt::format("values[0]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
                      to_text(json::value(requirement.values.front()))));
    }
  }
  std::ranges::sort(requirement.values);
  const auto doubles = std::ranges::unique(requirement.values);
  requirement.values.erase(doubles.begin(), doubles.end());
  return requirement;
}

Outcome<std::vector<std::string>> parse_values(Tokens& tokens) {
  if (tokens.take() != "(") return unparsable("found '', expected: '('");
  std::vector<std::string> values;
  bool value_due = true;
  while (true) {
    if (tokens.at_end()) return unparsable("found '', expected: ',', ')' or identifier");
    const auto token = tokens.take();
    if (is_word(token)) {
      if (!value_due) return unparsable(fmt::format("found '{}', expected: ',' or ')'", token));
      values.push_back(token);
      value_due = false;
    } else if (token == "," || token == ")") {
      // `in (a,)` has an empty second value.
      if (value_due) values.emplace_back();
      if (token == ")") return values;
      value_due = true;
    } else {
      return unparsable(fmt::format("found '{}', expected: ',', ')' or identifier", token));
    }
  }
}

Outcome<Requirement> parse_requirement(Tokens& tokens) {
  Requirement requirement{"", Operator::exists, {}};
  if (tokens.token() == "!") {
    tokens.take();
    requirement.op = Operator::not_exists;
  }
  if (!is_word(tokens.token())) {
    return unparsable(fmt::format("found '{}', expected: !, identifier, or 'end of string'", tokens.token()));
  }
  requirement.key = tokens.take();
  if (tokens.at_end() || tokens.token() == "," || requirement.op == Operator::not_exists)
    return checked(std::move(requirement));
  const auto sign = tokens.take();
  if (sign == "in" || sign == "notin") {
    requirement.op = sign == "in" ? Operator::in : Operator::not_in;
    auto values = parse_values(tokens);
    if (!values) return refuse(std::move(values.error()));
    requirement.values = std::move(*values);
    return checked(std::move(requirement));
  }
  if (sign == "=" || sign == "==") {
    requirement.op = Operator::in;
  } else if (sign == "!=") {
    requirement.op = Operator::not_in;
  } else if (sign == ">" || sign == "<") {
    requirement.op = sign == ">" ? Operator::greater : Operator::less;
  } else {
    return unparsable(fmt::format("found '{}', expected: in, notin, =, ==, !=, gt, lt", sign));
  }
  // No word: the empty value.
  requirement.values.push_back(is_word(tokens.token()) ? tokens.take() : std::string());
  return checked(std::move(requirement));
}

bool holds(const Requirement& requirement, const json::object& labels) {
  const bool present = labels.contains(requirement.key);
  const auto value = text_at(labels, requirement.key);
  switch (requirement.op) {
    case Operator::in:
      return present && std::ranges::find(requirement.values, value) != requirement.values.end();
    case Operator::not_in:
      return !present || std::ranges::find(requirement.values, value) == requirement.values.end();
    case Operator::exists: return present;
    case Operator::not_exists: return !present;
    case Operator::greater:
    case Operator::less: {
      const auto mine = number(value);
      const auto limit = number(requirement.values.front());
      if (!present || !mine || !limit) return false;
      return requirement.op == Operator::greater ? *mine > *limit : *mine < *limit;
    }
  }
  return false;
}

std::string printed(const Requirement& requirement) {
  const auto list = "(" + join(requirement.values, ",") + ")";
  switch (requirement.op) {
    case Operator::in:
      return requirement.values.size() == 1 ? requirement.key + "=" + requirement.values[0]
                                            : requirement.key + " in " + list;
    case Operator::not_in:
      return requirement.values.size() == 1 ? requirement.key + "!=" + requirement.values[0]
                                            : requirement.key + " notin " + list;
    case Operator::exists: return requirement.key;
    case Operator::not_exists: return "!" + requirement.key;
    case Operator::greater: return requirement.key + ">" + requirement.values[0];
    case Operator::less: return requirement.key + "<" + requirement.values[0];
  }
  return {};
}

std::optional<Operator> expression_operator(std::string_view name) {
  if (name == "In") return Operator::in;
  if (name == "NotIn") return Operator::not_in;
  if (name == "Exists") return Operator::exists;
  if (name == "DoesNotExist") return Operator::not_exists;
  if (name == "Gt") return Operator::greater;
  if (name == "Lt") return Operator::less;
  return std::nullopt;
}

Outcome<Requirement> from_expression(const json::value& item) {
  const auto* object = item.if_object();
  if (!object) return refuse(bad_request("matchExpressions must hold objects"));
  const auto name = text_at(*object, "operator");
  const auto op = expression_operator(name);
  if (!op) return refuse(bad_request(fmt::format("\"{}\" is not a valid label selector operator", name)));
  Requirement requirement{text_at(*object, "key"), *op, {}};
  if (const auto* values = array_at(*object, "values")) {
    for (const auto& value : *values) {
      if (const auto* text = value.if_string()) requirement.values.emplace_back(*text);
    }
  }
  const bool wants_values = *op != Operator::exists && *op != Operator::not_exists;
  if (wants_values == requirement.values.empty()) {
    return unparsable(
        wants_values ? "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"
                     : "values: Invalid value: values set must be empty for exists and does not exist");
  }
  return checked(std::move(requirement));
}

/// Fields that a kind can be selected by beside metadata.name and metadata.namespace.
struct KindFields {
  std::string_view group, kind;
  std::vector<std::string_view> fields;
};

const std::vector<KindFields>& kind_fields() {
  static const std::vector<KindFields> rows = {
      {"",
       "Pod",
       {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
        "spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName"}},
      {"", "Node", {"spec.unschedulable"}},
      {"", "Namespace", {"status.phase"}},
      {"", "Secret", {"type"}},
      {"", "Service", {"spec.clusterIP", "spec.type"}},
      {"", "ReplicationController", {"status.replicas"}},
      {"",
       "Event",
       {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
        "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
        "reportingComponent", "source", "type"}},
      {"events.k8s.io",
       "Event",
       {"regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid", "regarding.apiVersion",
        "regarding.resourceVersion", "regarding.fieldPath", "reason", "reportingController", "type"}},
      {"apps", "ReplicaSet", {"status.replicas"}},
      {"batch", "Job", {"status.successful"}},
      {"certificates.k8s.io", "CertificateSigningRequest", {"spec.signerName"}}};
  return rows;
}

bool can_select(std::string_view group, std::string_view kind, std::string_view field) {
  if (field == "metadata.name" || field == "metadata.namespace") return true;
  const auto row = std::ranges::find_if(
      kind_fields(), [&](const KindFields& item) { return item.group == group && item.kind == kind; });
  return row != kind_fields().end() && std::ranges::find(row->fields, field) != row->fields.end();
}

/// Built-in kinds without fields of their own answer in other words than the rest.
Status not_selectable(std::string_view group, std::string_view kind, std::string_view field) {
  const bool built_in = group.empty() || group.ends_with(".k8s.io") || group == "apps" || group == "batch" ||
                        group == "autoscaling" || group == "policy";
  const bool has_own = std::ranges::any_of(
      kind_fields(), [&](const KindFields& item) { return item.group == group && item.kind == kind; });
  if (has_own || !built_in) return bad_request(fmt::format("field label not supported: {}", field));
  return bad_request(fmt::format(
      "\"{}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", field));
}

std::string field_text(const json::object& object, std::string_view field) {
  // Two that are not where they are named.
  if (field == "source")
    return text_at(*(object_at(object, "source") ? object_at(object, "source") : &object), "component");
  if (field == "status.successful") field = "status.succeeded";
  const json::object* place = &object;
  const auto steps = split(field, '.');
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    place = object_at(*place, steps[i]);
    if (!place) break;
  }
  const auto* value = place ? at(*place, steps.back()) : nullptr;
  if (!value || value->is_null()) {
    if (field == "spec.unschedulable" || field == "spec.hostNetwork") return "false";
    if (field == "status.replicas" || field == "status.succeeded") return "0";
    return {};
  }
  return value->is_string() ? std::string(value->get_string()) : to_text(*value);
}

}  // namespace

LabelSelector LabelSelector::nothing() {
  LabelSelector selector;
  selector.nothing_ = true;
  return selector;
}

Outcome<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelector selector;
  Tokens tokens(text);
  while (!tokens.at_end()) {
    auto requirement = parse_requirement(tokens);
    if (!requirement) return refuse(std::move(requirement.error()));
    selector.requirements_.push_back(std::move(*requirement));
    if (tokens.at_end()) break;
    if (tokens.token() != ",")
      return unparsable(fmt::format("found '{}', expected: ',' or 'end of string'", tokens.token()));
    tokens.take();
    if (tokens.at_end()) return unparsable("found '', expected: identifier after ','");
  }
  std::ranges::sort(selector.requirements_, {}, &Requirement::key);
  return selector;
}

Outcome<LabelSelector> LabelSelector::from_object(const json::value& value) {
  if (value.is_null()) return nothing();
  const auto* object = value.if_object();
  if (!object) return refuse(bad_request("a label selector must be an object"));
  LabelSelector selector;
  if (const auto* labels = object_at(*object, "matchLabels")) selector = from_map(*labels);
  if (const auto* expressions = array_at(*object, "matchExpressions")) {
    for (const auto& item : *expressions) {
      auto requirement = from_expression(item);
      if (!requirement) return refuse(std::move(requirement.error()));
      selector.requirements_.push_back(std::move(*requirement));
    }
  }
  std::ranges::sort(selector.requirements_, {}, &Requirement::key);
  return selector;
}

LabelSelector LabelSelector::from_map(const json::object& labels) {
  LabelSelector selector;
  for (const auto& [key, value] : labels) {
    selector.requirements_.push_back({std::string(key), Operator::in, {text_at(labels, key)}});
  }
  std::ranges::sort(selector.requirements_, {}, &Requirement::key);
  return selector;
}

bool LabelSelector::matches(const json::object& labels) const {
  return !nothing_ &&
         std::ranges::all_of(requirements_, [&](const Requirement& item) { return holds(item, labels); });
}

bool LabelSelector::matches_object(const json::object& object) const {
  static const json::object none;
  const auto* metadata = object_at(object, "metadata");
  const auto* labels = metadata ? object_at(*metadata, "labels") : nullptr;
  return matches(labels ? *labels : none);
}

std::string LabelSelector::to_text() const {
  std::vector<std::string> parts;
  for (const auto& requirement : requirements_) parts.push_back(printed(requirement));
  return join(parts, ",");
}

Outcome<FieldSelector> FieldSelector::parse(std::string_view text, std::string_view group,
                                            std::string_view kind) {
  FieldSelector selector;
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      parts.back() += text[i++];
      parts.back() += text[i];
    } else if (text[i] == ',') {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  for (const auto& part : parts) {
    if (part.empty()) continue;
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      return refuse(bad_request(fmt::format("invalid selector: '{}'; can't understand '{}'", text, part)));
    }
    Requirement requirement;
    requirement.equal = part[equals - 1] != '!';
    requirement.field = part.substr(0, requirement.equal ? equals : equals - 1);
    auto value = part.substr(equals + 1);
    if (value.starts_with('=') && requirement.equal) value.erase(0, 1);
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (value[i] == '\\' && i + 1 < value.size()) ++i;
      requirement.value += value[i];
    }
    if (!can_select(group, kind, requirement.field)) {
      return refuse(not_selectable(group, kind, requirement.field));
    }
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

bool FieldSelector::matches(const json::object& object) const {
  return std::ranges::all_of(requirements_, [&](const Requirement& item) {
    return (field_text(object, item.field) == item.value) == item.equal;
  });
}

std::string FieldSelector::name() const {
  for (const auto& requirement : requirements_) {
    if (requirement.field == "metadata.name" && requirement.equal) return requirement.value;
  }
  return {};
}

}  // namespace instantstart::sandbox::kubernetes
