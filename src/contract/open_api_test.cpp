#include <gtest/gtest.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "contract/schema.h"
#include "contract/testing/sample_actions.h"

namespace instantstart::contract {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

const json::object& document() {
  static const json::object document = open_api(sample_table(), "1.2.3");
  return document;
}

const json::object& operation(std::string_view path, std::string_view method) {
  return document().at("paths").at(path).at(method).as_object();
}

Names keys(const json::value& object) {
  Names names;
  for (const auto& member : object.as_object()) names.emplace_back(member.key());
  return names;
}

TEST(OpenApi, SaysWhatAndWhereItIs) {
  EXPECT_EQ(document().at("openapi"), "3.1.0");
  EXPECT_EQ(document().at("info").at("version"), "1.2.3");
  EXPECT_EQ(document().at("servers").at(0).at("url"), "/api/v1");
  EXPECT_EQ(document().at("tags").as_array().size(), 3U);
  EXPECT_EQ(keys(document().at("components").at("securitySchemes")), (Names{"bearer", "cookie"}));
}

TEST(OpenApi, EveryActionIsOneOperation) {
  Names found;
  for (const auto& path : document().at("paths").as_object()) {
    for (const auto& method : path.value().as_object()) {
      found.emplace_back(method.value().at("operationId").as_string());
    }
  }
  Names expected;
  for (const auto& action : sample_actions()) expected.push_back(action.spec.name);
  std::ranges::sort(found);
  std::ranges::sort(expected);
  EXPECT_EQ(found, expected);
}

TEST(OpenApi, AnOperationCarriesTheWordsOfItsRow) {
  const auto& print = operation("/books/{book}/prints", "post");
  EXPECT_EQ(print.at("summary"), "Print copies of a book.");
  EXPECT_EQ(print.at("tags"), json::array{"book"});
  EXPECT_EQ(print.at("x-instantstart-effect"), "change");
  EXPECT_EQ(print.at("x-instantstart-role"), "operator");
  EXPECT_EQ(print.at("x-instantstart-status-action"), "operation_get");
  EXPECT_EQ(print.at("x-instantstart-errors"), json::array{"name_taken"});
  EXPECT_FALSE(operation("/books/{book}", "get").contains("x-instantstart-status-action"));
}

TEST(OpenApi, ArgumentsOfAGetAreInPathAndQuery) {
  const auto& list = operation("/books", "get");
  EXPECT_FALSE(list.contains("requestBody"));
  Names places;
  for (const auto& parameter : list.at("parameters").as_array()) {
    places.push_back(std::string(parameter.at("in").as_string()) + " " +
                     std::string(parameter.at("name").as_string()));
  }
  EXPECT_EQ(places, (Names{"query genre", "query words", "query limit", "query cursor"}));
  EXPECT_EQ(list.at("parameters").at(1).at("schema").at("type"), "array");
  EXPECT_EQ(list.at("parameters").at(2).at("example"), 20);

  const auto& get = operation("/books/{book}", "get").at("parameters").as_array();
  ASSERT_EQ(get.size(), 1U);
  EXPECT_EQ(get[0].at("in"), "path");
  EXPECT_EQ(get[0].at("required"), true);
  EXPECT_EQ(get[0].at("example"), "dune");
}

TEST(OpenApi, APieceOfAPathIsNeverEmpty) {
  EXPECT_EQ(operation("/shelves/{shelf}", "delete").at("parameters").at(0).at("schema").at("minLength"), 1);
}

TEST(OpenApi, ADeleteTakesItsOptionsFromTheQuery) {
  const auto& clear = operation("/shelves/{shelf}", "delete");
  EXPECT_FALSE(clear.contains("requestBody"));
  EXPECT_EQ(clear.at("parameters").as_array().size(), 5U);
}

TEST(OpenApi, ABodyHoldsWhatIsNotInThePath) {
  const auto& print = operation("/books/{book}/prints", "post");
  EXPECT_EQ(print.at("parameters").as_array().size(), 1U);
  EXPECT_EQ(print.at("requestBody").at("required"), true);
  const auto& media = print.at("requestBody").at("content").at("application/json");
  EXPECT_EQ(keys(media.at("schema").at("properties")),
            (Names{"source", "copies", "price", "labels", "dry_run", "client_token", "confirm_token"}));
  EXPECT_EQ(media.at("schema").at("required"), json::array{"source"});
  EXPECT_EQ(keys(media.at("example")), (Names{"source", "copies", "labels"}));
}

TEST(OpenApi, ABodyWithoutRequiredMembersMayBeLeftOut) {
  auto actions = sample_actions();
  actions.push_back(local_action<BookGet, Book>({.name = "book_dust",
                                                 .path = "/books/{book}/dust",
                                                 .summary = "Dust a book.",
                                                 .doc = "Dusts it.",
                                                 .example = {{"book", "dune"}}},
                                                [](Caller, BookGet) -> Task<Book> { co_return Book{}; }));
  const auto with_dust = open_api(ActionTable(std::move(actions)), "1");
  EXPECT_EQ(with_dust.at("paths").at("/books/{book}/dust").at("post").at("requestBody").at("required"),
            false);
}

TEST(OpenApi, AnswersOfAChangeAreTheOneTypeOfChanges) {
  const auto& responses = operation("/shelves/{shelf}", "delete").at("responses");
  EXPECT_EQ(keys(responses), (Names{"200", "202", "400", "401", "403", "404", "405", "409", "421", "422",
                                    "429", "500", "502", "503", "504"}));
  const auto& components = document().at("components").at("responses");
  for (const auto name : {"ChangePlanned", "ChangeStarted", "ChangeConflict"}) {
    EXPECT_EQ(components.at(name).at("content").at("application/json").at("schema").at("$ref"),
              "#/components/schemas/ChangeAnswer");
  }
  EXPECT_EQ(responses.at("409").at("$ref"), "#/components/responses/ChangeConflict");
  EXPECT_EQ(keys(components.at("ChangeConflict").at("content")),
            (Names{"application/problem+json", "application/json"}));
}

TEST(OpenApi, AnswersOfAReadAreItsOwn) {
  const auto& responses = operation("/books/{book}", "get").at("responses");
  EXPECT_EQ(keys(responses), (Names{"200", "400", "401", "403", "404", "405", "421", "422", "429", "500",
                                    "502", "503", "504"}));
  EXPECT_EQ(responses.at("200").at("content").at("application/json").at("schema").at("$ref"),
            "#/components/schemas/Book");
}

TEST(OpenApi, ALocalActionAsksNoPeerAndHasABody) {
  EXPECT_EQ(keys(operation("/books/{book}", "patch").at("responses")),
            (Names{"200", "400", "401", "403", "404", "405", "409", "413", "415", "421", "422", "429", "500",
                   "503", "504"}));
}

TEST(OpenApi, EveryErrorCodeIsExplainedUnderItsStatus) {
  const auto& responses = document().at("components").at("responses");
  for (const auto& row : error_codes()) {
    const auto& response = responses.at("Problem" + std::to_string(row.http_status));
    const auto& text = response.at("description").as_string();
    EXPECT_NE(text.find("`" + std::string(row.code) + "`"), text.npos) << row.code;
    EXPECT_EQ(response.at("content").at("application/problem+json").at("schema").at("$ref"),
              "#/components/schemas/Problem");
  }
}

/// Every "$ref" in it, wherever it stands.
void collect_references(const json::value& value, Names& found) {
  if (const auto* items = value.if_array()) {
    for (const auto& item : *items) collect_references(item, found);
  }
  if (!value.is_object()) return;
  for (const auto& member : value.get_object()) {
    if (member.key() == "$ref") found.emplace_back(member.value().as_string());
    collect_references(member.value(), found);
  }
}

TEST(OpenApi, EveryReferenceLeadsSomewhere) {
  Names references;
  collect_references(document(), references);
  EXPECT_GT(references.size(), 50U);
  const json::value whole = document();
  for (const auto& reference : references) {
    boost::system::error_code missing;
    EXPECT_NE(whole.find_pointer(reference.substr(1), missing), nullptr) << reference;
  }
}

TEST(OpenApi, SchemasStandInTheOrderOfTheirNames) {
  const auto names = keys(document().at("components").at("schemas"));
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_NE(std::ranges::find(names, "Chapter"), names.end());
  EXPECT_NE(std::ranges::find(names, "BookId"), names.end());
}

TEST(OpenApi, EqualTablesGiveEqualText) {
  EXPECT_EQ(to_text(open_api(sample_table(), "1.2.3")), to_text(document()));
}

}  // namespace
}  // namespace instantstart::contract
