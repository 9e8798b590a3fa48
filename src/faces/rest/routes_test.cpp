#include "faces/rest/routes.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "contract/testing/sample_actions.h"
#include "faces/rest/rest.h"

namespace instantstart::faces {
namespace {

class RestRoutes : public ::testing::Test {
 protected:
  std::string action(std::string_view method, std::string_view path) const {
    auto match = routes_.find(method, path);
    return match ? match->action->spec.name : match.error().code;
  }

  contract::ActionTable actions_{contract::testing::sample_actions()};
  Routes routes_{actions_};
};

TEST_F(RestRoutes, EveryActionIsFoundByItsOwnPathAndMethod) {
  for (const auto& one : actions_.all()) {
    std::string path = "/api/v1";
    for (const char c : one.spec.path) path += c == '{' || c == '}' ? 'x' : c;
    EXPECT_EQ(action(one.method(), path), one.spec.name) << path;
  }
}

TEST_F(RestRoutes, MembersOfThePathAreDecoded) {
  auto match = routes_.find("GET", "/api/v1/books/a%20b");
  ASSERT_TRUE(match) << match.error().message;
  ASSERT_EQ(match->members.size(), 1u);
  EXPECT_EQ(match->members[0].first, "book");
  EXPECT_EQ(match->members[0].second, "a b");
}

TEST_F(RestRoutes, UnknownPathsAndOtherMethodsAreToldApart) {
  EXPECT_EQ(action("GET", "/api/v1/bookz"), "not_found");
  EXPECT_EQ(action("GET", "/api/v1/"), "not_found");
  EXPECT_EQ(action("GET", "/api/v1"), "not_found");
  EXPECT_EQ(action("PATCH", "/api/v1/books"), "method_not_allowed");
  auto refused = routes_.find("PATCH", "/api/v1/books");
  EXPECT_FALSE(std::string(refused.error().detail.at("allow").as_string()).empty());
}

TEST_F(RestRoutes, PathsThatAreNotMeantWellAreRefused) {
  for (const char* path : {"/api/v1/books/..%2f..%2fetc", "/api/v1/books/%2e%2e", "/api/v1/books/a%00b",
                           "/api/v1/books/%zz", "/api/v1/../books"}) {
    EXPECT_EQ(action("GET", path), "bad_request") << path;
  }
}

TEST_F(RestRoutes, HeadIsAnsweredWhereGetIs) {
  EXPECT_EQ(action("HEAD", "/api/v1/books"), action("GET", "/api/v1/books"));
}

// --- arguments
// -----------------------------------------------------------------------------------------------------------

class RestArguments : public RestRoutes {
 protected:
  std::string arguments(std::string method, std::string target, std::string body = "",
                        net::Headers headers = {}) const {
    const net::Request request{.method = std::move(method),
                               .target = std::move(target),
                               .headers = std::move(headers),
                               .body = std::move(body)};
    auto match = routes_.find(request.method, request.path());
    if (!match) return match.error().code;
    auto found = request_arguments(*match, request);
    if (found) return to_text(*found);
    std::string text = found.error().code;
    for (const auto& problem : found.error().problems) text += " " + problem.pointer + ":" + problem.rule;
    return text;
  }
};

TEST_F(RestArguments, QueryMembersStayTextAndListsAreRepeated) {
  EXPECT_EQ(arguments("GET", "/api/v1/books?limit=5&words=a&words=b%26c"),
            R"({"limit":"5","words":["a","b&c"]})");
}

TEST_F(RestArguments, AMemberGivenTwiceIsAProblem) {
  EXPECT_EQ(arguments("GET", "/api/v1/books?limit=5&limit=6"), "invalid_request /limit:given_twice");
  EXPECT_EQ(arguments("GET", "/api/v1/books/dune?book=emma"), "invalid_request /book:given_twice");
}

TEST_F(RestArguments, AQueryWhereABodyBelongsIsRefused) {
  const auto& rename = *actions_.find("book_rename");
  std::string path = "/api/v1" + rename.spec.path;
  path.replace(path.find("{book}"), 6, "dune");
  EXPECT_EQ(arguments(std::string(rename.method()), path + "?title=x"), "bad_request");
  EXPECT_EQ(arguments(std::string(rename.method()), path, R"({"title":"x"})"),
            R"({"title":"x","book":"dune"})");
  EXPECT_EQ(arguments(std::string(rename.method()), path, "[1]"), "invalid_request :type");
  EXPECT_EQ(arguments(std::string(rename.method()), path, "{"), "invalid_json");
  EXPECT_EQ(arguments(std::string(rename.method()), path, ""), R"({"book":"dune"})");
}

TEST_F(RestArguments, TheIdempotencyKeyHeaderIsTheClientToken) {
  const auto& rename = *actions_.find("book_rename");
  std::string path = "/api/v1" + rename.spec.path;
  path.replace(path.find("{book}"), 6, "dune");
  const net::Headers key{{"Idempotency-Key", "k-1"}};
  EXPECT_EQ(arguments(std::string(rename.method()), path, "{}", key),
            R"({"book":"dune","client_token":"k-1"})");
  EXPECT_EQ(arguments(std::string(rename.method()), path, R"({"client_token":"mine"})", key),
            R"({"client_token":"mine","book":"dune"})");
  EXPECT_EQ(arguments("GET", "/api/v1/books", "", key), "{}") << "reads have no client token";
}

}  // namespace
}  // namespace instantstart::faces
