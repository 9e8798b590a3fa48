#include "faces/mcp/tools.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/core.h>

#include "access/principal.h"
#include "base/text.h"
#include "contract/schema.h"

namespace instantstart::faces {
namespace {

using contract::Action;
using contract::Effect;

constexpr std::string_view k_first_tool = "overview_get";
constexpr std::size_t k_member_doc_bytes = 100;

/// "operation_get" → "Operation get".
std::string title_of(std::string_view name) {
  std::string title(name);
  std::ranges::replace(title, '_', ' ');
  if (!title.empty()) title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

/// Up to and with the first full stop that ends a sentence.
std::string_view first_sentence(std::string_view text) {
  const auto stop = text.find(". ");
  return stop == text.npos ? text : text.substr(0, stop + 1);
}

/// The summary, then as many whole sentences of the doc as there is room for. What tells when a change is
/// complete is never left out.
std::string description_of(const Action& action, std::size_t max_bytes) {
  std::string tail;
  if (!action.spec.status_action.empty()) {
    tail = fmt::format(" {} tells when it is complete.", action.spec.status_action);
  }
  std::string text = action.spec.summary;
  std::string_view rest = action.spec.doc;
  while (!rest.empty()) {
    const std::string_view sentence = first_sentence(rest);
    if (text.size() + 1 + sentence.size() + tail.size() > max_bytes) break;
    text += fmt::format(" {}", sentence);
    rest = trim(rest.substr(sentence.size()));
  }
  return text + tail;
}

json::object annotations_of(const Action& action) {
  const bool reads = action.spec.effect == Effect::read;
  return {{"readOnlyHint", reads},
          {"destructiveHint", action.spec.effect == Effect::destroy},
          // A repeated change joins the operation that runs, or finds that nothing is left to do.
          {"idempotentHint", true},
          {"openWorldHint", action.is_change()}};
}

/// The words that help to write arguments. Patterns and lengths are checked by the decoder, which says what
/// is wrong in a sentence; here they would only cost.
constexpr auto k_words = std::to_array<std::string_view>({"type", "enum", "required"});
constexpr auto k_bounds =
    std::to_array<std::string_view>({"default", "minimum", "maximum", "minItems", "maxItems"});

/// How much of a schema is shown.
struct Detail {
  int depth;    ///< Objects nested deeper are shown as any object.
  bool bounds;  ///< Also k_bounds.
};

/// From all to little: a tool that is too long takes the next.
constexpr auto k_details = std::to_array<Detail>({{4, true}, {4, false}, {3, false}, {2, false}, {1, false}});

json::value slim(const json::value& schema, Detail detail) {
  const auto* object = schema.if_object();
  if (!object) return schema;
  const auto* properties = object_member(*object, "properties");
  if (properties && detail.depth == 0) return json::object{{"type", "object"}};
  json::object shown;
  const auto keep = [&shown, object](std::string_view word) {
    if (const auto* value = object->if_contains(word)) shown[word] = *value;
  };
  for (const auto& word : k_words) keep(word);
  if (detail.bounds) std::ranges::for_each(k_bounds, keep);
  if (properties) {
    json::object slimmed;
    for (const auto& each : *properties)
      slimmed[each.key()] = slim(each.value(), {detail.depth - 1, detail.bounds});
    shown["properties"] = std::move(slimmed);
  }
  if (const auto* items = object->if_contains("items")) shown["items"] = slim(*items, detail);
  const auto* values = object->if_contains("additionalProperties");
  if (values && values->is_object()) shown["additionalProperties"] = slim(*values, detail);
  return shown;
}

/// The root alone says that nothing else is taken.
json::object input_schema(const json::object& full, Detail detail) {
  json::object schema = slim(full, detail).as_object();
  schema["additionalProperties"] = false;
  return schema;
}

std::size_t size_of(const json::object& tool) { return to_text(tool).size(); }

/// Docs of the action's own members, in order, as far as the bytes go.
void add_member_docs(json::object& tool, const Action& action) {
  auto& properties = tool["inputSchema"].as_object()["properties"].as_object();
  std::size_t size = size_of(tool);
  for (const auto& field : action.request->fields) {
    const std::string doc = shortened(first_sentence(field.doc), k_member_doc_bytes);
    const std::size_t more = doc.size() + std::string_view(R"("description":"",)").size();
    if (doc.empty() || size + more > k_documented_tool_bytes) continue;
    properties[field.name].as_object()["description"] = doc;
    size += more;
  }
}

json::object for_revision(const json::object& tool, Revision revision) {
  json::object shown = tool;
  if (!has_titles(revision)) shown.erase("title");
  if (!has_annotations(revision)) shown.erase("annotations");
  return shown;
}

bool needs_nothing(const Action& action) {
  return action.spec.effect == Effect::read && action.spec.least_role == contract::Role::viewer &&
         std::ranges::none_of(action.request->fields, &Field::required);
}

}  // namespace

json::object tool_of(const Action& action) {
  const json::object full = contract::request_schema(action, {.terse = true, .flat = true});
  json::object tool{{"name", action.spec.name},
                    {"title", title_of(action.spec.name)},
                    {"description", description_of(action, k_description_bytes)},
                    {"inputSchema", json::object()},
                    {"annotations", annotations_of(action)}};
  for (const auto& detail : k_details) {
    tool["inputSchema"] = input_schema(full, detail);
    if (size_of(tool) <= k_tool_bytes) break;
  }
  if (const std::size_t size = size_of(tool); size > k_tool_bytes) {
    const std::size_t described = tool["description"].as_string().size();
    tool["description"] = description_of(action, described - std::min(size - k_tool_bytes, described));
  }
  // Last of all, since it says nothing that the name doesn't.
  if (size_of(tool) > k_tool_bytes) tool.stable_erase("title");
  add_member_docs(tool, action);
  return tool;
}

Tools::Tools(const contract::ActionTable& actions, std::size_t page_size)
    : actions_(actions), page_size_(page_size) {
  for (const auto& action : actions.all()) tools_.push_back({&action, tool_of(action)});
  std::ranges::sort(tools_, {}, [](const Tool& tool) { return std::string_view(tool.action->spec.name); });
  const auto named = [](const Tool& tool) { return tool.action->spec.name == k_first_tool; };
  auto first = std::ranges::find_if(tools_, named);
  if (first == tools_.end()) {
    first = std::ranges::find_if(tools_, [](const Tool& tool) { return needs_nothing(*tool.action); });
  }
  if (first != tools_.end()) std::rotate(tools_.begin(), first, first + 1);
}

std::expected<json::object, RpcError> Tools::list(contract::Role role, Revision revision,
                                                  std::optional<std::string_view> cursor) const {
  auto tool = tools_.begin();
  if (cursor) {
    // A cursor is the name of the last tool that was shown.
    tool = std::ranges::find_if(tools_, [&](const Tool& each) { return each.action->spec.name == *cursor; });
    if (tool == tools_.end()) {
      return std::unexpected(RpcError{
          .code = rpc::invalid_params, .message = "The cursor is not one that a page had.", .data = nullptr});
    }
    ++tool;
  }
  json::array shown;
  std::string last;
  for (; tool != tools_.end(); ++tool) {
    if (!access::role_includes(role, tool->action->spec.least_role)) continue;
    if (shown.size() == page_size_) return json::object{{"tools", std::move(shown)}, {"nextCursor", last}};
    shown.push_back(for_revision(tool->shown, revision));
    last = tool->action->spec.name;
  }
  return json::object{{"tools", std::move(shown)}};
}

RpcError Tools::unknown(std::string_view name) const {
  RpcError error{.code = rpc::invalid_params,
                 .message = fmt::format("Unknown tool: {}.", shortened(without_controls(name), 80)),
                 .data = nullptr};
  if (const auto near = actions_.nearest_name(name)) error.message += fmt::format(" Did you mean {}?", *near);
  return error;
}

}  // namespace instantstart::faces
