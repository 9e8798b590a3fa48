#include "sandbox/services/cloudformation/template/intrinsics.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/core/cidr.h"
#include "sandbox/services/cloudformation/errors.h"
#include "sandbox/services/cloudformation/template/contains.h"
#include "sandbox/services/cloudformation/template/references.h"

namespace instantstart::sandbox::cloudformation {
namespace {

using Value = std::optional<json::value>;

std::unexpected<AwsFault> template_error(std::string_view message) {
  return invalid(fmt::format("Template error: {}", message));
}

/// CloudFormation's sentence about a function that is used wrongly.
std::unexpected<AwsFault> misused(std::string_view function, std::string_view wants) {
  return template_error(fmt::format("every {} object requires {}.", function, wants));
}

json::value unknown() { return json::value(json::string(k_unknown)); }

class Evaluator {
 public:
  explicit Evaluator(const Scope& scope) : scope_(scope) {}

  Reply<Value> value(const json::value& in);
  Reply<bool> condition(const std::string& name);
  std::map<std::string, bool> known_conditions = {};  ///< Grows while conditions are evaluated.

 private:
  using Function = Reply<Value> (Evaluator::*)(const json::value& argument);

  Reply<Value> object(const json::object& in);
  Reply<Value> array(const json::array& in);
  static Function function_named(std::string_view name);

  /// The argument as a list of evaluated values; nullopt when it isn't one of `least` to `most` items.
  Reply<std::optional<json::array>> list_argument(const json::value& argument, std::size_t least,
                                                  std::size_t most);
  Reply<bool> truth(const json::value& in);
  Reply<Value> named(const std::string& name);
  Reply<Value> attribute(const std::string& logical_id, const std::string& name);

  Reply<Value> ref(const json::value& argument);
  Reply<Value> get_att(const json::value& argument);
  Reply<Value> sub(const json::value& argument);
  Reply<Value> join_list(const json::value& argument);
  Reply<Value> select(const json::value& argument);
  Reply<Value> split_text(const json::value& argument);
  Reply<Value> get_azs(const json::value& argument);
  Reply<Value> cidr(const json::value& argument);
  Reply<Value> choose(const json::value& argument);
  Reply<Value> equals(const json::value& argument);
  Reply<Value> all_of(const json::value& argument);
  Reply<Value> any_of(const json::value& argument);
  Reply<Value> negated(const json::value& argument);
  Reply<Value> find_in_map(const json::value& argument);
  Reply<Value> base64(const json::value& argument);
  Reply<Value> condition_named(const json::value& argument);
  Reply<std::vector<bool>> truths(const json::value& argument, std::string_view function);

  const Scope& scope_;
  std::vector<std::string> open_conditions_;  ///< Those being evaluated, outermost first.
};

Evaluator::Function Evaluator::function_named(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Function>, 15> k_functions{{
      {"Ref", &Evaluator::ref},
      {"Fn::GetAtt", &Evaluator::get_att},
      {"Fn::Sub", &Evaluator::sub},
      {"Fn::Join", &Evaluator::join_list},
      {"Fn::Select", &Evaluator::select},
      {"Fn::Split", &Evaluator::split_text},
      {"Fn::GetAZs", &Evaluator::get_azs},
      {"Fn::Cidr", &Evaluator::cidr},
      {"Fn::If", &Evaluator::choose},
      {"Fn::Equals", &Evaluator::equals},
      {"Fn::And", &Evaluator::all_of},
      {"Fn::Or", &Evaluator::any_of},
      {"Fn::Not", &Evaluator::negated},
      {"Fn::FindInMap", &Evaluator::find_in_map},
      {"Fn::Base64", &Evaluator::base64},
  }};
  const auto found = std::ranges::find(k_functions, name, &std::pair<std::string_view, Function>::first);
  return found == k_functions.end() ? nullptr : found->second;
}

Reply<Value> Evaluator::value(const json::value& in) {
  if (in.is_object()) return object(in.get_object());
  if (in.is_array()) return array(in.get_array());
  return Value(in);
}

Reply<Value> Evaluator::object(const json::object& in) {
  if (in.size() == 1) {
    const std::string_view name(in.begin()->key());
    if (const Function function = function_named(name)) return (this->*function)(in.begin()->value());
    if (name.starts_with("Fn::")) {
      return template_error(fmt::format("{} is not a function that the sandbox knows.", name));
    }
    // As a member's name it is ordinary: policy documents have it.
    if (name == "Condition" && in.begin()->value().is_string()) return condition_named(in.begin()->value());
  }
  json::object out;
  for (const auto& [name, member] : in) {
    auto made = value(member);
    if (!made) return made;
    if (*made) out.emplace(name, std::move(**made));
  }
  return Value(std::move(out));
}

Reply<Value> Evaluator::array(const json::array& in) {
  json::array out;
  for (const auto& item : in) {
    auto made = value(item);
    if (!made) return made;
    if (*made) out.push_back(std::move(**made));
  }
  return Value(std::move(out));
}

Reply<std::optional<json::array>> Evaluator::list_argument(const json::value& argument, std::size_t least,
                                                           std::size_t most) {
  if (!argument.is_array()) return std::nullopt;
  auto list = array(argument.get_array());
  if (!list) return std::unexpected(std::move(list.error()));
  json::array& items = (*list)->get_array();
  if (items.size() < least || items.size() > most) return std::nullopt;
  return std::move(items);
}

Reply<Value> Evaluator::named(const std::string& name) {
  if (name == "AWS::NoValue") return Value();
  if (const auto found = scope_.pseudo.find(name); found != scope_.pseudo.end()) {
    return Value(json::value(json::string(found->second)));
  }
  if (const auto found = scope_.parameters.find(name); found != scope_.parameters.end()) {
    return Value(parameter_value(scope_.source.parameters.at(name), found->second));
  }
  if (scope_.ref && scope_.source.resources.contains(name)) {
    auto made = scope_.ref(name);
    if (!made) return std::unexpected(std::move(made.error()));
    return Value(std::move(*made));
  }
  return template_error(fmt::format("Unresolved dependencies [{}]", name));
}

Reply<Value> Evaluator::attribute(const std::string& logical_id, const std::string& name) {
  if (!scope_.attribute || !scope_.source.resources.contains(logical_id)) {
    return template_error(fmt::format("instance of Fn::GetAtt references undefined resource {}", logical_id));
  }
  auto made = scope_.attribute(logical_id, name);
  if (!made) return std::unexpected(std::move(made.error()));
  return Value(std::move(*made));
}

Reply<Value> Evaluator::ref(const json::value& argument) {
  if (!argument.is_string()) return misused("Ref", "a string");
  return named(std::string(argument.get_string()));
}

Reply<Value> Evaluator::get_att(const json::value& argument) {
  const auto target = get_att_target(argument);
  if (!target) {
    return misused("Fn::GetAtt", "two non-empty parameters, the resource name and the resource attribute");
  }
  return attribute(target->logical_id, target->attribute);
}

Reply<Value> Evaluator::sub(const json::value& argument) {
  std::string_view text;
  json::object own;
  if (argument.is_string()) {
    text = argument.get_string();
  } else if (argument.is_array() && argument.get_array().size() == 2 && argument.get_array()[0].is_string() &&
             argument.get_array()[1].is_object()) {
    text = argument.get_array()[0].get_string();
    auto made = object(argument.get_array()[1].get_object());
    if (!made) return made;
    own = std::move((*made)->get_object());
  } else {
    return template_error(
        "One or more Fn::Sub intrinsic functions don't specify expected arguments. Specify a string as first "
        "argument, and an optional second argument to specify a mapping of values to replace in the string");
  }
  std::string out;
  for (const SubPart& part : sub_parts(text)) {
    if (!part.is_name) {
      out += part.text;
      continue;
    }
    Reply<Value> made = Value();
    if (const json::value* found = own.if_contains(part.text)) {
      made = Value(*found);
    } else if (const auto dot = part.text.find('.'); dot != std::string::npos) {
      made = attribute(part.text.substr(0, dot), part.text.substr(dot + 1));
    } else {
      made = named(part.text);
    }
    if (!made) return made;
    const auto piece = *made ? scalar_text(**made) : std::nullopt;
    if (!piece) {
      return template_error(
          fmt::format("variable {} in Fn::Sub expression does not resolve to a string", part.text));
    }
    out += *piece;
  }
  return Value(json::value(json::string(out)));
}

Reply<Value> Evaluator::join_list(const json::value& argument) {
  constexpr std::string_view k_wants =
      "two parameters, (1) a string delimiter and (2) a list of strings to be joined or a function that "
      "returns a list of strings (such as Fn::GetAZs) to be joined";
  auto arguments = list_argument(argument, 2, 2);
  if (!arguments) return std::unexpected(std::move(arguments.error()));
  if (*arguments && has_unknown((*arguments)->at(1)) && !(*arguments)->at(1).is_array()) {
    return Value(unknown());
  }
  if (!*arguments || !(*arguments)->at(0).is_string() || !(*arguments)->at(1).is_array()) {
    return misused("Fn::Join", k_wants);
  }
  std::vector<std::string> parts;
  for (const auto& item : (*arguments)->at(1).get_array()) {
    auto text = scalar_text(item);
    if (!text) return misused("Fn::Join", k_wants);
    parts.push_back(std::move(*text));
  }
  return Value(json::value(json::string(join(parts, (*arguments)->at(0).get_string()))));
}

Reply<Value> Evaluator::select(const json::value& argument) {
  auto arguments = list_argument(argument, 2, 2);
  if (!arguments) return std::unexpected(std::move(arguments.error()));
  if (*arguments && !(*arguments)->at(1).is_array() && has_unknown((*arguments)->at(1))) {
    return Value(unknown());
  }
  const auto index = *arguments ? scalar_text((*arguments)->at(0)) : std::nullopt;
  const auto number = index ? parse_number(*index) : std::nullopt;
  if (!number || *number < 0 || !(*arguments)->at(1).is_array()) {
    return misused("Fn::Select", "two non-empty parameters, an integer index and a list");
  }
  const json::array& list = (*arguments)->at(1).get_array();
  if (*number >= static_cast<double>(list.size())) {
    return template_error(fmt::format("Fn::Select cannot select nonexistent value at index {}", *index));
  }
  return Value(list.at(static_cast<std::size_t>(*number)));
}

Reply<Value> Evaluator::split_text(const json::value& argument) {
  auto arguments = list_argument(argument, 2, 2);
  if (!arguments) return std::unexpected(std::move(arguments.error()));
  if (!*arguments || !(*arguments)->at(0).is_string() || !(*arguments)->at(1).is_string() ||
      (*arguments)->at(0).get_string().empty()) {
    return misused("Fn::Split",
                   "two parameters, (1) a string delimiter and (2) a string to be split or a function that "
                   "returns a string to be split");
  }
  if (has_unknown((*arguments)->at(1))) return Value(unknown());
  const std::string_view delimiter = (*arguments)->at(0).get_string();
  std::string_view rest = (*arguments)->at(1).get_string();
  json::array parts;
  for (;;) {
    const auto at = rest.find(delimiter);
    parts.emplace_back(json::string(rest.substr(0, at)));
    if (at == std::string_view::npos) return Value(std::move(parts));
    rest.remove_prefix(at + delimiter.size());
  }
}

Reply<Value> Evaluator::get_azs(const json::value& argument) {
  auto region = value(argument);
  if (!region) return region;
  std::string name = *region ? scalar_text(**region).value_or("") : "";
  if (name.empty()) name = scope_.pseudo.at("AWS::Region");
  json::array names;
  if (!scope_.zones) return template_error("Fn::GetAZs cannot be used here.");
  for (const auto& zone : scope_.zones(name)) names.emplace_back(json::string(zone));
  return Value(std::move(names));
}

Reply<Value> Evaluator::cidr(const json::value& argument) {
  constexpr std::string_view k_wants =
      "(1) ipBlock: a CIDR address block, (2) count: from 1 to 256, (3) cidrBits: the number of subnet bits";
  auto arguments = list_argument(argument, 2, 3);
  if (!arguments) return std::unexpected(std::move(arguments.error()));
  if (!*arguments || !(*arguments)->at(0).is_string()) return misused("Fn::Cidr", k_wants);
  if (has_unknown((*arguments)->at(0))) return Value(unknown());
  const auto block = Cidr::parse((*arguments)->at(0).get_string());
  const auto count = parse_number(scalar_text((*arguments)->at(1)).value_or(""));
  const auto bits = (*arguments)->size() == 3 ? parse_number(scalar_text((*arguments)->at(2)).value_or(""))
                                              : std::optional<double>(8);
  if (!block || !count || *count < 1 || *count > 256 || !bits || *bits < 1 || *bits > 32 - block->prefix) {
    return misused("Fn::Cidr", k_wants);
  }
  const std::uint64_t size = std::uint64_t{1} << static_cast<int>(*bits);
  if (static_cast<std::uint64_t>(*count) > block->size() / size) {
    return template_error(
        fmt::format("Fn::Cidr cannot make {} blocks of {} bits in {}", *count, *bits, block->text()));
  }
  json::array blocks;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(*count); ++i) {
    const Cidr part{.network = static_cast<Ipv4>(block->network + i * size),
                    .prefix = 32 - static_cast<int>(*bits)};
    blocks.emplace_back(json::string(part.text()));
  }
  return Value(std::move(blocks));
}

Reply<Value> Evaluator::choose(const json::value& argument) {
  if (!argument.is_array() || argument.get_array().size() != 3 || !argument.get_array()[0].is_string()) {
    return template_error("Fn::If requires a list argument with the first element being a condition");
  }
  const json::array& arguments = argument.get_array();
  const auto holds = condition(std::string(arguments[0].get_string()));
  if (!holds) return std::unexpected(holds.error());
  return value(*holds ? arguments[1] : arguments[2]);
}

Reply<Value> Evaluator::equals(const json::value& argument) {
  auto arguments = list_argument(argument, 2, 2);
  if (!arguments) return std::unexpected(std::move(arguments.error()));
  if (!*arguments) return template_error("Fn::Equals requires a list argument with two elements.");
  const json::value& one = (*arguments)->at(0);
  const json::value& two = (*arguments)->at(1);
  const auto left = scalar_text(one);
  const auto right = scalar_text(two);
  return Value(json::value(left && right ? *left == *right : one == two));
}

Reply<bool> Evaluator::truth(const json::value& in) {
  auto made = value(in);
  if (!made) return std::unexpected(std::move(made.error()));
  const auto text = *made ? scalar_text(**made) : std::nullopt;
  if (text == "true") return true;
  if (text == "false") return false;
  return template_error("every value of a condition must be true or false.");
}

Reply<std::vector<bool>> Evaluator::truths(const json::value& argument, std::string_view function) {
  std::vector<bool> all;
  if (!argument.is_array() || argument.get_array().size() < 2 || argument.get_array().size() > 10) {
    return misused(function, "a list of at least 2 and at most 10 boolean parameters");
  }
  for (const auto& item : argument.get_array()) {
    const auto holds = truth(item);
    if (!holds) return std::unexpected(holds.error());
    all.push_back(*holds);
  }
  return all;
}

Reply<Value> Evaluator::all_of(const json::value& argument) {
  const auto all = truths(argument, "Fn::And");
  if (!all) return std::unexpected(all.error());
  return Value(json::value(std::ranges::count(*all, false) == 0));
}

Reply<Value> Evaluator::any_of(const json::value& argument) {
  const auto all = truths(argument, "Fn::Or");
  if (!all) return std::unexpected(all.error());
  return Value(json::value(std::ranges::count(*all, true) > 0));
}

Reply<Value> Evaluator::negated(const json::value& argument) {
  if (!argument.is_array() || argument.get_array().size() != 1) {
    return misused("Fn::Not", "a list with one boolean parameter");
  }
  const auto holds = truth(argument.get_array()[0]);
  if (!holds) return std::unexpected(holds.error());
  return Value(json::value(!*holds));
}

Reply<Value> Evaluator::find_in_map(const json::value& argument) {
  auto arguments = list_argument(argument, 3, 3);
  if (!arguments) return std::unexpected(std::move(arguments.error()));
  if (!*arguments)
    return misused("Fn::FindInMap", "three parameters, the map name, map key and the attribute");
  std::vector<std::string> names;
  for (const auto& item : **arguments) names.push_back(scalar_text(item).value_or(""));
  const json::value* found = scope_.source.mappings.if_contains(names[0]);
  if (!found)
    return template_error(fmt::format("Mapping named '{}' is not present in the template.", names[0]));
  for (const auto& name : {names[1], names[2]}) {
    found = found->is_object() ? found->get_object().if_contains(name) : nullptr;
    if (!found) {
      return template_error(
          fmt::format("Unable to get mapping for {}::{}::{}", names[0], names[1], names[2]));
    }
  }
  return Value(*found);
}

Reply<Value> Evaluator::base64(const json::value& argument) {
  auto made = value(argument);
  if (!made) return made;
  const auto text = *made ? scalar_text(**made) : std::nullopt;
  if (!text) return misused("Fn::Base64", "a string");
  return Value(json::value(json::string(to_base64(*text))));
}

Reply<Value> Evaluator::condition_named(const json::value& argument) {
  // Only inside Conditions is {"Condition": "name"} a reference; elsewhere it is data.
  if (open_conditions_.empty()) return Value(json::object{{"Condition", argument}});
  const auto holds = condition(std::string(argument.get_string()));
  if (!holds) return std::unexpected(holds.error());
  return Value(json::value(*holds));
}

Reply<bool> Evaluator::condition(const std::string& name) {
  if (const auto known = scope_.conditions.find(name); known != scope_.conditions.end()) return known->second;
  if (const auto known = known_conditions.find(name); known != known_conditions.end()) return known->second;
  const json::value* definition = scope_.source.conditions.if_contains(name);
  if (!definition) return template_error(fmt::format("Unresolved condition dependency {}", name));
  if (contains(open_conditions_, name)) {
    return template_error(
        fmt::format("Found circular condition dependency between {} and {}", open_conditions_.back(), name));
  }
  open_conditions_.push_back(name);
  const auto holds = truth(*definition);
  open_conditions_.pop_back();
  if (!holds) return holds;
  known_conditions.emplace(name, *holds);
  return *holds;
}

}  // namespace

bool has_unknown(const json::value& value) {
  if (value.is_string()) return std::string_view(value.get_string()).contains(k_unknown);
  if (value.is_array()) return std::ranges::any_of(value.get_array(), has_unknown);
  if (!value.is_object()) return false;
  return std::ranges::any_of(value.get_object(),
                             [](const auto& member) { return has_unknown(member.value()); });
}

Reply<std::optional<json::value>> evaluate(const json::value& value, const Scope& scope) {
  return Evaluator(scope).value(value);
}

Reply<json::value> evaluated(const json::value& value, const Scope& scope) {
  auto made = evaluate(value, scope);
  if (!made) return std::unexpected(std::move(made.error()));
  return *made ? std::move(**made) : json::value();
}

Reply<std::map<std::string, bool>> evaluate_conditions(Scope scope) {
  scope.conditions.clear();
  scope.ref = {};
  scope.attribute = {};
  Evaluator evaluator(scope);
  for (const auto& [name, ignored] : scope.source.conditions) {
    const auto holds = evaluator.condition(std::string(std::string_view(name)));
    if (!holds) return std::unexpected(holds.error());
  }
  return std::move(evaluator.known_conditions);
}

}  // namespace instantstart::sandbox::cloudformation
