#include "net/http.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "net/query.h"

namespace instantstart::net {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Pieces = std::vector<std::string>;
using namespace std::string_literals;

TEST(HeadersTest, NamesCompareWithoutCaseAndOrderIsKept) {
  Headers headers{{"Accept", "a"}, {"accept", "b"}};
  headers.add("X-Other", "c");
  EXPECT_EQ(headers.get("ACCEPT"), "a");
  EXPECT_EQ(headers.count("accept"), 2u);
  EXPECT_EQ(headers.get("missing"), "");
  EXPECT_FALSE(headers.contains("missing"));
  headers.set("aCCept", "d");
  EXPECT_EQ(headers.count("accept"), 1u);
  EXPECT_EQ(headers.size(), 2u);
  EXPECT_EQ(headers.begin()->first, "X-Other");
  headers.remove("x-other");
  EXPECT_EQ(headers.size(), 1u);
}

TEST(RequestTest, TheTargetIsSplitAtTheFirstQuestionMark) {
  Request request;
  request.target = "/a%20b?x=1?y";
  EXPECT_EQ(request.path(), "/a%20b");
  EXPECT_EQ(request.query(), "x=1?y");
  request.target = "/a";
  EXPECT_EQ(request.path(), "/a");
  EXPECT_EQ(request.query(), "");
}

TEST(ParseQuery, DecodesPairsInOrder) {
  const std::vector<std::pair<std::string, std::optional<Pairs>>> table = {
      {"", Pairs{}},
      {"a=1&b=2&a=3", Pairs{{"a", "1"}, {"b", "2"}, {"a", "3"}}},
      {"a", Pairs{{"a", ""}}},
      {"a=", Pairs{{"a", ""}}},
      {"=x", Pairs{{"", "x"}}},
      {"a=b=c", Pairs{{"a", "b=c"}}},
      {"&&a=1&", Pairs{{"a", "1"}}},
      {"q=a+b%2Bc%20d", Pairs{{"q", "a b+c d"}}},
      {"%61=%C3%A9", Pairs{{"a", "\xC3\xA9"}}},
      {"a=%26%3d%3D", Pairs{{"a", "&=="}}},
      {"a=%", std::nullopt},
      {"a=%2", std::nullopt},
      {"a=%zz", std::nullopt},
      {"a=%+1", std::nullopt},
      {"%=1", std::nullopt},
      {"ok=1&bad=%4", std::nullopt},
  };
  for (const auto& [query, expected] : table) EXPECT_EQ(parse_query(query), expected) << query;
}

TEST(ToQuery, IsReadBackAsItWas) {
  const Pairs pairs{{"a", "1"}, {"a", ""}, {"q", "a b+c&=%"}, {"\xC3\xA9", "x"}};
  EXPECT_EQ(parse_query(to_query(pairs)), pairs);
  EXPECT_EQ(to_query({{"a", "x y"}, {"b", "/"}}), "a=x%20y&b=%2F");
  EXPECT_EQ(to_query({}), "");
}

TEST(ParsePath, SplitsAndDecodesOnce) {
  const std::vector<std::pair<std::string, std::optional<Pieces>>> table = {
      {"/", Pieces{}},
      {"/a", Pieces{"a"}},
      {"/a/", Pieces{"a", ""}},
      {"//a", Pieces{"", "a"}},
      {"/a%20b/c+d", Pieces{"a b", "c+d"}},
      {"/arn:aws:sagemaker:us-west-2:111122223333:cluster%2Fabc",
       Pieces{"arn:aws:sagemaker:us-west-2:111122223333:cluster/abc"}},
      {"/100%25", Pieces{"100%"}},
      {"/..a/b../...", Pieces{"..a", "b..", "..."}},
      {"/%E8%AE%AD", Pieces{"\xE8\xAE\xAD"}},
      {"/CON", Pieces{"CON"}},
  };
  for (const auto& [path, expected] : table) EXPECT_EQ(parse_path(path), expected) << path;
}

TEST(ParsePath, RefusesWhatClimbsHidesOrBreaksOut) {
  const std::vector<std::string> table = {
      "",
      "a",
      "/..",
      "/.",
      "/a/../b",
      "/a/./b",
      "/a/..",
      "/%2e%2e/x",
      "/%2E./x",
      "/.%2e/x",
      "/%2e",
      "/api/logs/..%2f..%2fvar%2flog/x",
      "/api/logs/a%2F..%2Fb",
      "/%252e%252e/x",
      "/%25252e%25252e/x",
      "/a%252f..",
      "/..%5c..%5cx",
      "/a\\b",
      "/a%5Cb",
      "/a%255cb",
      "/a%00b",
      "/a%2500b",
      "/a\0b"s,
      "/name%0d%0aSet-Cookie:x",
      "/a%7f",
      "/a%1b%5b31m",
      "/%",
      "/%2",
      "/%zz",
      "/a/%G0",
  };
  for (const auto& path : table) EXPECT_EQ(parse_path(path), std::nullopt) << path;
}

}  // namespace
}  // namespace instantstart::net
