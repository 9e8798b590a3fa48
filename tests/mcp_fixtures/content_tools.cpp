#include <array>

#include "tests/mcp_fixtures/tools.h"

namespace instantstart::mcp_fixtures {
namespace {

Answer simple_text(const Call&) { co_return text_content("This is a simple text response for testing."); }

Answer image(const Call&) { co_return content(json::array{image_block()}); }

Answer audio(const Call&) {
  co_return content(json::array{json::object{{"type", "audio"}, {"data", k_wav}, {"mimeType", "audio/wav"}}});
}

Answer embedded_resource(const Call&) {
  co_return content(json::array{
      resource_block("test://embedded-resource", "text/plain", "This is an embedded resource content.")});
}

Answer multiple_types(const Call&) {
  co_return content(json::array{
      text_block("Multiple content types test:"), image_block(),
      resource_block("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})")});
}

Answer failing(const Call&) {
  json::object result = text_content("This tool intentionally returns an error for testing");
  result["isError"] = true;
  co_return result;
}

/// Words of JSON Schema that the suite looks for in the list, whatever a server itself uses.
json::object rich_schema() {
  const json::value text = json::object{{"type", "string"}};
  const auto required = [](std::string_view name) { return json::object{{"required", json::array{name}}}; };
  const json::object address{{"$anchor", "addressDef"},
                             {"type", "object"},
                             {"properties", json::object{{"street", text}, {"city", text}}}};
  const json::object by_phone{
      {"properties", json::object{{"contactMethod", json::object{{"const", "phone"}}}}},
      {"required", json::array{"contactMethod"}}};
  const json::object properties{
      {"name", text},
      {"address", json::object{{"$ref", "#/$defs/address"}}},
      {"contactMethod", json::object{{"type", "string"}, {"enum", json::array{"phone", "email"}}}},
      {"phone", text},
      {"email", text}};
  const json::object any_of{{"anyOf", json::array{required("phone"), required("email")}}};
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"type", "object"},
          {"$defs", json::object{{"address", address}}},
          {"properties", properties},
          {"allOf", json::array{any_of}},
          {"if", by_phone},
          {"then", required("phone")},
          {"else", required("email")},
          {"additionalProperties", false}};
}

Answer rich_schema_tool(const Call&) { co_return text_content("The schema is what is tested."); }

constexpr auto k_tools = std::to_array<FixtureTool>({
    {"test_simple_text", "Answers a text.", simple_text},
    {"test_image_content", "Answers an image.", image},
    {"test_audio_content", "Answers a sound.", audio},
    {"test_embedded_resource", "Answers a resource.", embedded_resource},
    {"test_multiple_content_types", "Answers a text, an image and a resource.", multiple_types},
    {"test_error_handling", "Answers an error.", failing},
    {"json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", rich_schema_tool, rich_schema},
});

}  // namespace

std::span<const FixtureTool> content_tools() { return k_tools; }

}  // namespace instantstart::mcp_fixtures
