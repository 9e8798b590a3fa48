#include <gtest/gtest.h>

#include "base/decode.h"
#include "contract/schema.h"
#include "contract/testing/sample_actions.h"

namespace instantstart::contract {
namespace {

using namespace testing;

/// JSON in a test's own words; a mistake in it fails the test.
json::value from(std::string_view text) { return parse_json(text).value(); }

struct Words {
  bool on = true;
  std::string plain;
  std::string name;
  std::int32_t count = 3;
  std::int64_t wide = 0;
  double share = 0.5;
  std::vector<std::string> tags = {"a"};
  std::map<std::string, std::int32_t> sizes;
  boost::json::value anything;
  boost::json::object free;
  std::optional<std::string> key;
  Genre genre = Genre::poetry;
};

Type describe(Words*) {
  return object_type<Words>(
      "Words", "Every word of the schema.",
      {field<&Words::on>("on", "A switch.", {.defaulted = true}), field<&Words::plain>("plain", "A text."),
       field<&Words::name>(
           "name", "A name.",
           {.rule = {.min = 1, .max = 8, .pattern = Pattern("^[a-z]+$"), .format = "hostname"},
            .examples = {"ab"}}),
       field<&Words::count>("count", "A count.", {.defaulted = true, .rule = {.min = 1}, .examples = {"2"}}),
       field<&Words::wide>("wide", "A wide number."),
       field<&Words::share>("share", "A share.", {.defaulted = true, .rule = {.min = 0, .max = 0.5}}),
       field<&Words::tags>("tags", "Tags.", {.defaulted = true, .rule = {.min = 1, .max = 4}}),
       field<&Words::sizes>("sizes", "Sizes.", {.rule = {.max = 3}}),
       field<&Words::anything>("anything", "Any JSON."), field<&Words::free>("free", "Any object."),
       field<&Words::key>("key", "A key.", {.secret = true}),
       field<&Words::genre>("genre", "A genre.", {.defaulted = true})});
}

TEST(JsonSchema, EveryWordOfTheTableHasItsWord) {
  const auto schema = json_schema(type_of<Words>());
  EXPECT_EQ(schema.at("type"), "object");
  EXPECT_EQ(schema.at("description"), "Every word of the schema.");
  EXPECT_EQ(schema.at("additionalProperties"), false);
  EXPECT_EQ(schema.at("required"), from(R"(["plain", "name", "wide", "sizes", "anything", "free"])"));
  EXPECT_FALSE(schema.contains("$defs"));
  const auto& members = schema.at("properties");
  EXPECT_EQ(members.at("on"), from(R"({"type": "boolean", "description": "A switch.", "default": true})"));
  EXPECT_EQ(members.at("plain"), from(R"({"type": "string", "description": "A text."})"));
  EXPECT_EQ(members.at("name"),
            from(R"({"type": "string", "minLength": 1, "maxLength": 8, "format": "hostname",
      "pattern": "^[a-z]+$", "description": "A name.", "examples": ["ab"]})"));
  EXPECT_EQ(members.at("count"), from(R"({"type": "integer", "minimum": 1, "maximum": 2147483647,
      "description": "A count.", "default": 3, "examples": [2]})"));
  EXPECT_EQ(members.at("wide"),
            from(R"({"type": "integer", "format": "int64", "description": "A wide number."})"));
  EXPECT_EQ(members.at("share"), from(R"({"type": "number", "minimum": 0, "maximum": 0.5,
      "description": "A share.", "default": 0.5})"));
  EXPECT_EQ(members.at("tags"),
            from(R"({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 4,
      "description": "Tags.", "default": ["a"]})"));
  EXPECT_EQ(members.at("sizes"), from(R"({"type": "object", "additionalProperties":
      {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}, "maxProperties": 3,
      "description": "Sizes."})"));
  EXPECT_EQ(members.at("anything"), from(R"({"description": "Any JSON."})"));
  EXPECT_EQ(members.at("free"), from(R"({"type": "object", "description": "Any object."})"));
  EXPECT_EQ(members.at("key"), from(R"({"type": "string", "description": "A key.", "writeOnly": true})"));
  EXPECT_EQ(members.at("genre"), from(R"({"type": "string", "enum": ["novel", "poetry", "reference"],
      "description": "A genre.\n* `novel`: A long story.\n* `poetry`: Verse.)"
                                      R"(\n* `reference`: Something to look things up in.",
      "default": "poetry"})"));
}

TEST(JsonSchema, WholeNumbersAreWrittenWithoutExponent) {
  const std::string text = to_text(json_schema(type_of<PageOptions>()));
  EXPECT_NE(text.find(R"("minimum":1,"maximum":1000)"), std::string::npos) << text;
}

TEST(JsonSchema, ATypeInsideItselfStandsInDefs) {
  const auto schema = json_schema(type_of<Book>());
  const json::value chapters = from(R"({"type": "array", "items": {"$ref": "#/$defs/Chapter"}})");
  EXPECT_EQ(schema.at("properties").at("chapters").at("items"), chapters.at("items"));
  const auto& chapter = schema.at("$defs").at("Chapter");
  EXPECT_EQ(chapter.at("properties").at("parts").at("items"), chapters.at("items"));
  EXPECT_EQ(schema.at("$defs").as_object().size(), 1U) << "what is used once stands in place";
  EXPECT_EQ(schema.at("properties").at("id").at("pattern"), "^[a-z][a-z0-9-]*$");
}

TEST(JsonSchema, ARootInsideItselfStandsInBothPlaces) {
  const auto schema = json_schema(type_of<Chapter>());
  EXPECT_EQ(schema.at("type"), "object");
  EXPECT_EQ(schema.at("properties").at("parts").at("items").at("$ref"), "#/$defs/Chapter");
  EXPECT_EQ(schema.at("$defs").at("Chapter").at("properties"), schema.at("properties"));
}

TEST(JsonSchema, AlternativesAreToldApartByTheConstantOfTheirTag) {
  const auto schema = json_schema(type_of<Source>());
  EXPECT_EQ(schema.at("type"), "object");
  const auto& alternatives = schema.at("oneOf").as_array();
  ASSERT_EQ(alternatives.size(), 2U);
  EXPECT_EQ(alternatives[1],
            from(R"({"type": "object", "title": "Download", "description": "A text elsewhere.",
      "properties": {"from": {"type": "string", "const": "download"},
                     "url": {"type": "string", "format": "uri", "description": "Where it is."},
                     "password": {"type": "string", "description": "What opens it.", "writeOnly": true}},
      "required": ["from", "url"], "additionalProperties": false})"));
}

struct ShortId {
  BookId id;
  BookId other;
};

Type describe(ShortId*) {
  return object_type<ShortId>(
      "ShortId", "Rules of a place on a type that has its own.",
      {field<&ShortId::id>("id", "An id.", {.rule = {.max = 100, .pattern = Pattern("a$")}}),
       field<&ShortId::other>("other", "Another.", {.rule = {.min = 2}})});
}

struct OneId {
  BookId id;
};

Type describe(OneId*) {
  return object_type<OneId>(
      "OneId", "The same in place.",
      {field<&OneId::id>("id", "An id.", {.rule = {.max = 100, .pattern = Pattern("a$")}})});
}

TEST(JsonSchema, TheRuleOfAPlaceHoldsBesideThatOfTheType) {
  const json::value by_reference = json_schema(type_of<ShortId>()).at("properties");
  EXPECT_EQ(by_reference.at("id"), from(R"({"$ref": "#/$defs/BookId", "maxLength": 100, "pattern": "a$",
      "description": "An id."})"));
  EXPECT_EQ(by_reference.at("other"),
            from(R"({"$ref": "#/$defs/BookId", "minLength": 2, "description": "Another."})"));
  const json::value in_place = json_schema(type_of<OneId>()).at("properties").at("id");
  EXPECT_EQ(in_place, from(R"({"type": "string", "maxLength": 40, "pattern": "^[a-z][a-z0-9-]*$",
      "allOf": [{"pattern": "a$"}], "description": "An id.", "examples": ["dune"]})"));
}

TEST(RequestSchema, HoldsAllThatTheActionTakes) {
  const ActionTable table = sample_table();
  const auto schema = request_schema(*table.find("shelf_clear"));
  std::vector<std::string> names;
  for (const auto& member : schema.at("properties").as_object()) names.emplace_back(member.key());
  EXPECT_EQ(names,
            (std::vector<std::string>{"shelf", "keep_rare", "dry_run", "client_token", "confirm_token"}));
  EXPECT_EQ(schema.at("required"), from(R"(["shelf"])"));
  EXPECT_EQ(schema.at("additionalProperties"), false);
  EXPECT_EQ(schema.at("properties").at("confirm_token").at("writeOnly"), true);

  EXPECT_EQ(request_schema(*table.find("book_list")).at("properties").at("limit"),
            from(R"({"type": "integer", "minimum": 1, "maximum": 1000, "default": 100,
                     "description": "At most so many items in one answer."})"));
  EXPECT_TRUE(request_schema(*table.find("book_print")).at("$defs").as_object().contains("Chapter"));
}

TEST(RequestSchema, NothingToTakeIsAnEmptyObject) {
  struct Nothing {};
  static const Type nothing = object_type<Nothing>("Nothing", "Nothing.", {});
  Action action;
  action.request = &nothing;
  EXPECT_EQ(request_schema(action),
            from(R"({"type": "object", "properties": {}, "additionalProperties": false})"));
}

/// Words that some MCP hosts refuse, wherever they stand.
void expect_flat(const json::value& value) {
  if (const auto* items = value.if_array()) {
    for (const auto& item : *items) expect_flat(item);
  }
  if (!value.is_object()) return;
  for (const auto& member : value.get_object()) {
    for (const std::string_view word : {"$ref", "$defs", "oneOf", "anyOf", "allOf", "not"}) {
      EXPECT_NE(std::string_view(member.key()), word);
    }
    expect_flat(member.value());
  }
}

struct Visit {
  std::string cluster;
  std::string reason;
};
Type describe(Visit*) {
  return object_type<Visit>(
      "Visit", "A visit.",
      {field<&Visit::cluster>("cluster", "Where."), field<&Visit::reason>("reason", "Why.")});
}

Action visit(bool names_cluster) {
  return read_action<Visit, Visit>(
      {.name = "visit_get", .path = "/visits/{cluster}", .names_cluster = names_cluster},
      [](Caller, Visit request) -> Task<Visit> { co_return request; });
}

TEST(RequestSchema, AClusterMayBeLeftOutForTheSelectedOne) {
  EXPECT_TRUE(takes_selected_cluster(visit(false)));
  EXPECT_EQ(request_schema(visit(false)).at("required"), from(R"(["reason"])"));
}

TEST(RequestSchema, AClusterThatMustBeNamedIsRequired) {
  EXPECT_FALSE(takes_selected_cluster(visit(true)));
  EXPECT_EQ(request_schema(visit(true)).at("required"), from(R"(["cluster", "reason"])"));
}

TEST(FlatSchema, HasOnlyWordsThatEveryHostReads) {
  for (const auto& action : sample_actions()) {
    expect_flat(request_schema(action, {.flat = true}));
    expect_flat(json_schema(*action.response, {.flat = true}));
  }
  expect_flat(json_schema(type_of<OneId>(), {.flat = true}));
}

TEST(FlatSchema, AVariantHasTheMembersOfAllAlternatives) {
  const auto schema = json_schema(type_of<Source>(), {.flat = true});
  EXPECT_EQ(schema.at("required"), from(R"(["from"])"));
  EXPECT_EQ(schema.at("additionalProperties"), false);
  EXPECT_EQ(schema.at("properties").at("from"), from(R"({"type": "string", "enum": ["manuscript", "download"],
      "description": "`manuscript`: A text at hand. `download`: A text elsewhere."})"));
  EXPECT_EQ(schema.at("properties").as_object().size(), 5U);
}

TEST(FlatSchema, ATypeInsideItselfIsAnyObject) {
  const auto schema = json_schema(type_of<Chapter>(), {.flat = true});
  EXPECT_EQ(schema.at("properties").at("parts").at("items"), from(R"({"type": "object"})"));
}

TEST(FlatSchema, AListOfSuchATypeIsStillAList) {
  const json::value chapter =
      json_schema(type_of<Book>(), {.flat = true}).at("properties").at("chapters").at("items");
  EXPECT_EQ(chapter.at("properties").at("parts"), from(R"({"type": "array", "items": {"type": "object"},
      "default": [], "description": "Chapters within it."})"));
}

TEST(TerseSchema, LeavesOutTextsExamplesAndWidths) {
  const auto schema = json_schema(type_of<Words>(), {.terse = true});
  const std::string text = to_text(schema);
  EXPECT_EQ(text.find("description"), std::string::npos) << text;
  EXPECT_EQ(text.find("examples"), std::string::npos) << text;
  EXPECT_EQ(schema.at("properties").at("count"), from(R"({"type": "integer", "minimum": 1, "default": 3})"));
  EXPECT_EQ(schema.at("properties").at("wide"), from(R"({"type": "integer"})"));
}

}  // namespace
}  // namespace instantstart::contract
