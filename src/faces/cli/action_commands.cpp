#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "contract/arguments.h"
#include "faces/cli/cli.h"

namespace instantstart::faces {
namespace {

constexpr std::string_view k_arguments_flag = "arguments";
constexpr std::string_view k_output_flag = "output";
constexpr std::string_view k_wait_flag = "wait";
constexpr std::string_view k_follow_flag = "follow";

std::string flag_name(std::string_view member) {
  std::string name(member);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string_view value_name(const Type& type) {
  switch (type.kind) {
    case Kind::boolean: return "true|false";
    case Kind::integer: return "INT";
    case Kind::number: return "NUMBER";
    case Kind::array: return value_name(type.element());
    case Kind::string:
    case Kind::enumeration: return "TEXT";
    case Kind::map:
    case Kind::object:
    case Kind::variant:
    case Kind::any: return "JSON";
  }
  return "JSON";
}

std::string flag_doc(const contract::Action& action, const Field& field) {
  const Type& type = field.type();
  std::string doc(field.doc);
  if (type.kind == Kind::enumeration) {
    std::vector<std::string_view> names;
    for (const auto& value : type.values) names.push_back(value.name);
    doc += fmt::format(" One of {}.", fmt::join(names, ", "));
  }
  if (field.name == "cluster" && contract::takes_selected_cluster(action)) {
    doc += " Left out: the selected one.";
  } else if (field.required()) {
    doc += " Required.";
  }
  return doc;
}

Command verb_command(const contract::Action& action) {
  Command command{.name = flag_name(contract::verb_of(action.spec.name)),
                  .doc = action.spec.summary,
                  .details = action.doc()};
  for (const auto& [owner, field] : contract::members_of(action)) {
    command.flags.push_back({.name = flag_name(field->name),
                             .doc = flag_doc(action, *field),
                             .value_name = std::string(value_name(field->type())),
                             .repeated = field->type().kind == Kind::array});
  }
  command.flags.push_back(
      {std::string(k_arguments_flag), "All arguments at once, as a JSON object.", "JSON"});
  command.flags.push_back({std::string(k_output_flag), "json, or text for people (the default).", "FORMAT"});
  if (action.is_change()) {
    command.flags.push_back({std::string(k_wait_flag), "Follow the operation to its end.", ""});
  }
  if (action.spec.follows) {
    command.flags.push_back({std::string(k_follow_flag), "Go on until the text has ended.", ""});
  }
  return command;
}

/// The shell gives text. A text field takes it as it is, whatever it looks like; others take what it is as
/// JSON.
json::value flag_value(const Type& type, const std::string& text) {
  if (type.kind == Kind::string || type.kind == Kind::enumeration) return json::value(json::string(text));
  auto parsed = parse_json(text);
  return parsed ? std::move(*parsed) : json::value(json::string(text));
}

json::value member_value(const Type& type, const std::vector<std::string>& texts) {
  if (type.kind != Kind::array) return flag_value(type, texts.back());
  // A whole JSON list, or one item a flag.
  if (texts.size() == 1 && trim(texts.front()).starts_with('[')) {
    if (auto list = parse_json(texts.front())) return std::move(*list);
  }
  json::array items;
  for (const auto& text : texts) items.push_back(flag_value(type.element(), text));
  return items;
}

/// Flags that no action has become members all the same: the server names the nearest known one.
void add_unknown(const std::vector<std::string>& unknown, json::object& arguments) {
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    std::string_view flag = unknown[i];
    std::string text;
    flag.remove_prefix(std::min(flag.find_first_not_of('-'), flag.size()));
    if (const auto equals = flag.find('='); equals != std::string_view::npos) {
      text = flag.substr(equals + 1);
      flag = flag.substr(0, equals);
    } else if (i + 1 < unknown.size() && !unknown[i + 1].starts_with("--")) {
      text = unknown[++i];
    }
    std::string member(flag);
    std::ranges::replace(member, '-', '_');
    arguments[member] = text;
  }
}

}  // namespace

std::vector<Command> action_commands(const contract::ActionTable& actions) {
  std::vector<Command> nouns;
  for (const auto& action : actions.all()) {
    const std::string name = flag_name(contract::noun_of(action.spec.name));
    auto noun = std::ranges::find(nouns, name, &Command::name);
    if (noun == nouns.end()) noun = nouns.insert(nouns.end(), Command{.name = name, .doc = {}});
    noun->commands.push_back(verb_command(action));
  }
  for (auto& noun : nouns) {
    std::vector<std::string_view> verbs;
    for (const auto& verb : noun.commands) verbs.push_back(verb.name);
    noun.doc = fmt::format("{}", fmt::join(verbs, ", "));
  }
  return nouns;
}

Result<ActionCall> action_call(const contract::ActionTable& actions, const ParsedCommand& parsed) {
  const auto action = std::ranges::find_if(actions.all(), [&](const contract::Action& candidate) {
    return flag_name(contract::noun_of(candidate.spec.name)) == parsed.path.at(0) &&
           flag_name(contract::verb_of(candidate.spec.name)) == parsed.path.at(1);
  });
  if (action == actions.all().end()) return fail(codes::not_found, "There is no such command.");

  ActionCall call{.action = &*action};
  if (const auto whole = parsed.values.find(std::string(k_arguments_flag)); whole != parsed.values.end()) {
    auto value = parse_json(whole->second.back());
    if (!value) return fail(within("--arguments", std::move(value.error())));
    if (!value->is_object()) return fail(codes::invalid_json, "--arguments must be a JSON object.");
    call.arguments = std::move(value->get_object());
  }
  for (const auto& [owner, field] : contract::members_of(*action)) {
    const auto given = parsed.values.find(flag_name(field->name));
    if (given != parsed.values.end())
      call.arguments[field->name] = member_value(field->type(), given->second);
  }
  add_unknown(parsed.unknown, call.arguments);
  if (const auto format = parsed.values.find(std::string(k_output_flag)); format != parsed.values.end()) {
    if (format->second.back() != "json" && format->second.back() != "text") {
      return fail(codes::invalid_request, "--output takes json or text.");
    }
    call.output_json = format->second.back() == "json";
  }
  call.wait = parsed.values.contains(std::string(k_wait_flag));
  call.follow = parsed.values.contains(std::string(k_follow_flag));
  return call;
}

}  // namespace instantstart::faces
