#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "contract/arguments.h"
#include "contract/problem.h"
#include "contract/schema.h"
#include "contract/schema_writer.h"
#include "contract/type_faults.h"

namespace instantstart::contract {
namespace {

json::object schema_reference(std::string_view type_name) {
  return {{"$ref", fmt::format("#/components/schemas/{}", type_name)}};
}

json::object content(std::string_view media_type, json::object schema) {
  return {{media_type, json::object{{"schema", std::move(schema)}}}};
}

/// What an answer with an error status may mean: its codes, from the one table of them.
json::object problem_response(int status) {
  std::string description;
  for (const auto& row : error_codes()) {
    if (row.http_status != status) continue;
    description += fmt::format("{}`{}`: {}.", description.empty() ? "" : "\n", row.code, row.title);
  }
  json::object response{{"description", description},
                        {"content", content(k_problem_media_type, schema_reference("Problem"))}};
  if (status == 429 || status == 503) {
    const json::object seconds{{"type", "integer"}, {"minimum", 0}};
    response["headers"] =
        json::object{{"Retry-After", json::object{{"description", "Seconds to wait before the next try."},
                                                  {"schema", seconds}}}};
  }
  return response;
}

json::object change_response(std::string_view description) {
  return {{"description", description},
          {"content", content("application/json", schema_reference("ChangeAnswer"))}};
}

/// 409 of a change: a plan that waits for its confirmation, or a problem.
json::object change_conflict() {
  json::object response = problem_response(409);
  response["content"].get_object()["application/json"] =
      json::object{{"schema", schema_reference("ChangeAnswer")}};
  return response;
}

json::object response_reference(std::string_view name) {
  return {{"$ref", fmt::format("#/components/responses/{}", name)}};
}

bool in_path(const Action& action, const Member& member) {
  const auto names = path_members(action.spec.path);
  return std::ranges::find(names, member.field->name) != names.end();
}

class Document {
 public:
  Document() : writer_({}, "#/components/schemas/", is_named) {}

  json::object write(const ActionTable& table, std::string_view server_version) {
    json::object paths;
    for (const auto& action : table.all()) {
      auto& at = paths[action.spec.path];
      if (!at.is_object()) at.emplace_object();
      at.get_object()[method_key(action)] = operation(action);
    }
    return {{"openapi", "3.1.0"},
            {"info", info(server_version)},
            {"servers", json::array{json::object{{"url", "/api/v1"}}}},
            {"security",
             json::array{json::object{{"bearer", json::array{}}}, json::object{{"cookie", json::array{}}}}},
            {"tags", tags(table)},
            {"paths", std::move(paths)},
            {"components", components()}};
  }

 private:
  static json::object info(std::string_view server_version) {
    return {{"title", "InstantStart"},
            {"description", "Control plane for Amazon SageMaker HyperPod on EKS."},
            {"version", server_version}};
  }

  static std::string method_key(const Action& action) {
    std::string key(action.method());
    std::ranges::transform(key, key.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return key;
  }

  static json::array tags(const ActionTable& table) {
    std::set<std::string_view> nouns;
    for (const auto& action : table.all()) nouns.insert(noun_of(action.spec.name));
    json::array result;
    for (const auto noun : nouns) result.push_back(json::object{{"name", noun}});
    return result;
  }

  json::object operation(const Action& action) {
    const ActionSpec& spec = action.spec;
    json::object result{{"operationId", spec.name},
                        {"summary", spec.summary},
                        {"description", action.doc()},
                        {"tags", json::array{noun_of(spec.name)}}};
    if (auto list = parameters(action); !list.empty()) result["parameters"] = std::move(list);
    if (action.has_body()) result["requestBody"] = body(action);
    result["responses"] = responses(action);
    result["x-instantstart-effect"] = encode(spec.effect);
    result["x-instantstart-role"] = encode(spec.least_role);
    if (!spec.status_action.empty()) result["x-instantstart-status-action"] = spec.status_action;
    if (!spec.errors.empty())
      result["x-instantstart-errors"] = json::array(spec.errors.begin(), spec.errors.end());
    return result;
  }

  json::array parameters(const Action& action) {
    json::array result;
    for (const auto& member : members_of(action)) {
      if (in_path(action, member)) {
        result.push_back(parameter(action, member, "path"));
      } else if (!action.has_body()) {
        result.push_back(parameter(action, member, "query"));
      }
    }
    return result;
  }

  json::object parameter(const Action& action, const Member& member, std::string_view place) {
    const Field& field = *member.field;
    json::object schema = writer_.member(member);
    schema.erase("description");
    // An empty piece of a path leads to another route.
    if (place == "path" && field.type().kind == Kind::string && !field.type().rule.min &&
        !field.options.rule.min) {
      schema["minLength"] = 1;
    }
    json::object result{{"name", field.name}, {"in", place}, {"description", field.doc}};
    if (field.required()) result["required"] = true;
    result["schema"] = std::move(schema);
    if (const auto* example = action.spec.example.if_contains(field.name)) result["example"] = *example;
    return result;
  }

  json::object body(const Action& action) {
    std::vector<Member> members = members_of(action);
    std::erase_if(members, [&](const Member& member) { return in_path(action, member); });
    json::object example;
    for (const auto& member : members) {
      const auto name = member.field->name;
      if (const auto* value = action.spec.example.if_contains(name)) example[name] = *value;
    }
    json::object media{{"schema", writer_.object_of(members)}};
    if (!example.empty()) media["example"] = std::move(example);
    const bool required =
        std::ranges::any_of(members, [](const Member& member) { return member.field->required(); });
    return {{"required", required}, {"content", json::object{{"application/json", std::move(media)}}}};
  }

  json::object responses(const Action& action) {
    json::object result;
    if (action.is_change()) {
      result["200"] = response_reference("ChangePlanned");
      result["202"] = response_reference("ChangeStarted");
    } else {
      result["200"] =
          json::object{{"description", action.response->doc},
                       {"content", content("application/json", writer_.reference(*action.response))}};
    }
    std::set<int> statuses;
    for (const auto code : error_codes_of(action)) statuses.insert(error_code_info(code).http_status);
    for (const int status : statuses) {
      const bool may_ask = status == 409 && action.spec.effect != Effect::read;
      result[std::to_string(status)] =
          response_reference(may_ask ? "ChangeConflict" : fmt::format("Problem{}", status));
    }
    return result;
  }

  /// Called last: by then the writer has met every type.
  json::object components() {
    json::object responses{{"ChangePlanned", change_response("A dry run, or a change that is made already.")},
                           {"ChangeStarted", change_response("An operation makes the change.")},
                           {"ChangeConflict", change_conflict()}};
    std::set<int> statuses;
    for (const auto& row : error_codes()) statuses.insert(row.http_status);
    for (const int status : statuses) responses[fmt::format("Problem{}", status)] = problem_response(status);
    writer_.reference(type_of<Problem>());
    writer_.reference(type_of<ChangeAnswer>());
    return {{"schemas", sorted(writer_.definitions())},
            {"responses", std::move(responses)},
            {"securitySchemes", security_schemes()}};
  }

  static json::object security_schemes() {
    return {
        {"bearer", json::object{{"type", "http"}, {"scheme", "bearer"}, {"description", "An API token."}}},
        {"cookie", json::object{{"type", "apiKey"},
                                {"in", "cookie"},
                                {"name", k_session_cookie},
                                {"description", "The login of a browser."}}}};
  }

  /// By name, so that a new action moves nothing in a comparison of two documents.
  static json::object sorted(const json::object& definitions) {
    std::map<std::string_view, const json::value*> by_name;
    for (const auto& each : definitions) by_name.emplace(each.key(), &each.value());
    json::object result;
    for (const auto& [name, schema] : by_name) result[name] = *schema;
    return result;
  }

  SchemaWriter writer_;
};

}  // namespace

json::object open_api(const ActionTable& table, std::string_view server_version) {
  return Document().write(table, server_version);
}

}  // namespace instantstart::contract
