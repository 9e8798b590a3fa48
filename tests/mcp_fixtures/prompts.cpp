#include "tests/mcp_fixtures/prompts.h"

#include <array>

#include <fmt/core.h>

#include "base/json.h"

namespace instantstart::mcp_fixtures {
namespace {

constexpr std::string_view k_template_start = "test://template/";
constexpr std::string_view k_template_end = "/data";

json::object message(json::object block) { return {{"role", "user"}, {"content", std::move(block)}}; }

json::object messages(json::array all) { return {{"messages", std::move(all)}}; }

json::object needed(std::string_view name) {
  return {{"name", name}, {"description", "Needed."}, {"required", true}};
}

json::object one_content(json::object what) { return {{"contents", json::array{std::move(what)}}}; }

}  // namespace

json::array listed_prompts() {
  return {json::object{{"name", "test_simple_prompt"}, {"description", "A text."}},
          json::object{{"name", "test_prompt_with_arguments"},
                       {"description", "A text with two arguments."},
                       {"arguments", json::array{needed("arg1"), needed("arg2")}}},
          json::object{{"name", "test_prompt_with_embedded_resource"},
                       {"description", "A resource and a text."},
                       {"arguments", json::array{needed("resourceUri")}}},
          json::object{{"name", "test_prompt_with_image"}, {"description", "An image and a text."}},
          json::object{{"name", "test_input_required_result_prompt"}, {"description", "Needs input."}}};
}

faces::McpOutcome read_prompt(const faces::RpcMessage& request) {
  const auto bad = [](std::string text) {
    return std::unexpected(fault(faces::rpc::invalid_params, std::move(text)));
  };
  const auto name = faces::text_member(request.params, "name").value_or("");
  if (name == "test_simple_prompt") {
    return messages({message(text_block("This is a simple prompt for testing."))});
  }
  if (name == "test_prompt_with_arguments") {
    const std::string first = argument(request, "arg1");
    const std::string second = argument(request, "arg2");
    if (first.empty() || second.empty()) return bad("arg1 and arg2 are needed.");
    const auto text = fmt::format("Prompt with arguments: arg1='{}', arg2='{}'", first, second);
    return messages({message(text_block(text))});
  }
  if (name == "test_prompt_with_embedded_resource") {
    const std::string uri = argument(request, "resourceUri");
    if (uri.empty()) return bad("resourceUri is needed.");
    return messages({message(resource_block(uri, "text/plain", "Embedded resource content for testing.")),
                     message(text_block("Please process the embedded resource above."))});
  }
  if (name == "test_prompt_with_image") {
    return messages({message(image_block()), message(text_block("Please analyze the image above."))});
  }
  return bad("Unknown prompt");
}

json::array listed_resources() {
  return {json::object{{"uri", "test://static-text"},
                       {"name", "static-text"},
                       {"description", "A text."},
                       {"mimeType", "text/plain"}},
          json::object{{"uri", "test://static-binary"},
                       {"name", "static-binary"},
                       {"description", "An image."},
                       {"mimeType", "image/png"}}};
}

json::array listed_templates() {
  return {json::object{{"uriTemplate", "test://template/{id}/data"},
                       {"name", "template"},
                       {"description", "Repeats its id."},
                       {"mimeType", "application/json"}}};
}

std::optional<json::object> read_resource(std::string_view uri) {
  if (uri == "test://static-text") {
    return one_content({{"uri", uri},
                        {"mimeType", "text/plain"},
                        {"text", "This is the content of the static text resource."}});
  }
  if (uri == "test://static-binary") {
    return one_content({{"uri", uri}, {"mimeType", "image/png"}, {"blob", k_png}});
  }
  if (uri.starts_with(k_template_start) && uri.ends_with(k_template_end) &&
      uri.size() > k_template_start.size() + k_template_end.size()) {
    std::string_view id = uri.substr(k_template_start.size());
    id.remove_suffix(k_template_end.size());
    const json::object text{{"id", id}, {"templateTest", true}, {"data", fmt::format("Data for ID: {}", id)}};
    return one_content({{"uri", uri}, {"mimeType", "application/json"}, {"text", to_text(text)}});
  }
  return std::nullopt;
}

faces::McpOutcome complete(const faces::RpcMessage& request) {
  const auto* reference = faces::object_member(request.params, "ref");
  const auto* asked = faces::object_member(request.params, "argument");
  const auto start = asked ? faces::text_member(*asked, "value") : std::nullopt;
  if (!reference || !start) {
    return std::unexpected(
        fault(faces::rpc::invalid_params, "params.ref and params.argument.value are needed."));
  }
  json::array values;
  for (const std::string_view each : {"paris", "park", "party"}) {
    if (each.starts_with(*start)) values.emplace_back(each);
  }
  const std::size_t total = values.size();
  return json::object{
      {"completion", json::object{{"values", std::move(values)}, {"total", total}, {"hasMore", false}}}};
}

}  // namespace instantstart::mcp_fixtures
