#include "kube/selective_parser.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace instantstart::kube {
namespace {

struct Taken {
  std::vector<json::object> documents;
  std::vector<json::object> items;
  Result<> fed;
  bool between = false;
};

Taken parse(const std::vector<std::string>& pieces, FieldSelection keep, bool with_items = false,
            SelectiveLimits limits = {}) {
  Taken taken;
  SelectiveParser::Take item;
  if (with_items) item = [&](json::object object) { taken.items.push_back(std::move(object)); };
  SelectiveParser parser(
      std::move(keep), limits, [&](json::object object) { taken.documents.push_back(std::move(object)); },
      item);
  for (const auto& piece : pieces) {
    taken.fed = parser.feed(piece);
    if (!taken.fed) return taken;
  }
  taken.between = parser.between_documents();
  return taken;
}

json::value of(std::string_view text) { return parse_json(text).value(); }

constexpr std::string_view k_pod =
    R"({"metadata":{"name":"a\u00e9","labels":{"x/y":"1","z":"2"},"managedFields":[{"f":{"g":[1,2]}}]},)"
    R"("spec":{"containers":[{"name":"c","image":"i","env":[{"name":"E"}]},{"name":"d"}],"big":18446744073709551615},)"
    R"("status":{"phase":"Running","n":-1.5e3,"ok":true,"none":null}})";

TEST(SelectiveParser, KeepsWhatIsSelectedAndNothingElse) {
  const auto taken = parse({std::string(k_pod)}, {"/metadata/name", "/metadata/labels/x~1y",
                                                  "/spec/containers/name", "/status", "/missing"});
  ASSERT_TRUE(taken.fed) << taken.fed.error().message;
  ASSERT_EQ(taken.documents.size(), 1U);
  EXPECT_EQ(
      json::value(taken.documents[0]),
      of(R"({"metadata":{"name":"aé","labels":{"x/y":"1"}},"spec":{"containers":[{"name":"c"},{"name":"d"}]},)"
         R"("status":{"phase":"Running","n":-1500.0,"ok":true,"none":null}})"));
}

TEST(SelectiveParser, EverythingIsTheSameAsADom) {
  const auto taken = parse({std::string(k_pod)}, FieldSelection());
  ASSERT_EQ(taken.documents.size(), 1U);
  EXPECT_EQ(json::value(taken.documents[0]), of(k_pod));
}

TEST(SelectiveParser, SplittingAnywhereChangesNothing) {
  const std::string list = R"({"kind":"PodList","items":[)" + std::string(k_pod) + "," + std::string(k_pod) +
                           R"(],"metadata":{"resourceVersion":"7"}})";
  const FieldSelection keep{"/metadata/name", "/spec/containers/env", "/status/n"};
  const auto whole = parse({list}, keep, true);
  ASSERT_EQ(whole.items.size(), 2U);
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const auto split = parse({list.substr(0, at), list.substr(at)}, keep, true);
    ASSERT_TRUE(split.fed && split.between) << at;
    ASSERT_EQ(split.items, whole.items) << at;
    ASSERT_EQ(split.documents, whole.documents) << at;
  }
}

TEST(SelectiveParser, ItemsAreHandedOutBeforeTheListEnds) {
  const auto taken = parse({R"({"items":[{"a":1},{"a":2},{"a")"}, FieldSelection(), true);
  EXPECT_EQ(taken.items.size(), 2U);
  EXPECT_TRUE(taken.documents.empty());
  EXPECT_FALSE(taken.between);
}

TEST(SelectiveParser, NullItemsAreNone) {
  const auto taken = parse({R"({"items":null,"kind":"L"})"}, FieldSelection(), true);
  ASSERT_TRUE(taken.fed);
  EXPECT_TRUE(taken.items.empty());
  EXPECT_EQ(json::value(taken.documents.at(0)), of(R"({"kind":"L"})"));
}

TEST(SelectiveParser, NestedItemsAreNoItems) {
  const auto taken = parse({R"({"items":[{"items":[{"a":1}]}],"x":{"items":[1]}})"}, FieldSelection(), true);
  ASSERT_EQ(taken.items.size(), 1U);
  EXPECT_EQ(json::value(taken.items[0]), of(R"({"items":[{"a":1}]})"));
  EXPECT_EQ(json::value(taken.documents.at(0)), of(R"({"x":{"items":[1]}})"));
}

TEST(SelectiveParser, ReadsDocumentsOneAfterTheOther) {
  const auto taken = parse({"{\"a\":1}\n{\"a\":", "2}\n\n", " {\"b\":3}\n"}, {"/a"});
  ASSERT_EQ(taken.documents.size(), 3U);
  EXPECT_EQ(json::value(taken.documents[1]), of(R"({"a":2})"));
  EXPECT_TRUE(taken.documents[2].empty());
  EXPECT_TRUE(taken.between);
}

TEST(SelectiveParser, RefusesWhatIsNotAnObject) {
  for (const std::string text : {"[1]", "\"text\"", "1 ", "null", "{\"a\"}", "{\"a\":1]", "{'a':1}"}) {
    const auto taken = parse({text}, FieldSelection());
    ASSERT_FALSE(taken.fed) << text;
    EXPECT_EQ(taken.fed.error().code, codes::upstream_error) << text;
  }
  for (const std::string text : {R"({"items":{}})", R"({"items":"x"})", R"({"items":[1]})",
                                 R"({"items":["x"]})", R"({"items":[[]]})", R"({"items":[null]})"}) {
    EXPECT_FALSE(parse({text}, FieldSelection(), true).fed) << text;
  }
}

TEST(SelectiveParser, AnItemLargerThanAllowedIsRefused) {
  const SelectiveLimits limits{.max_kept_bytes = 200};
  const std::string small = R"({"a":")" + std::string(100, 'x') + "\"}";
  const std::string large = R"({"a":")" + std::string(300, 'x') + "\"}";
  const std::string many = R"({"items":[)" + small + "," + small + "," + small + "]}";
  EXPECT_EQ(parse({many}, FieldSelection(), true, limits).items.size(), 3U);
  const auto refused = parse({R"({"items":[)" + large + "]}"}, FieldSelection(), true, limits);
  ASSERT_FALSE(refused.fed);
  EXPECT_EQ(refused.fed.error().detail.at("reason"), "too_large");
  // What is not kept takes no memory.
  EXPECT_TRUE(parse({R"({"items":[)" + large + "]}"}, {"/b"}, true, limits).fed);
}

TEST(SelectiveParser, ADocumentWithoutEndIsRefused) {
  const SelectiveLimits limits{.max_raw_bytes = 1000};
  const auto refused =
      parse({"{\"a\":\"", std::string(600, 'x'), std::string(600, 'x')}, {"/b"}, false, limits);
  ASSERT_FALSE(refused.fed);
  EXPECT_EQ(refused.fed.error().detail.at("reason"), "too_large");
  EXPECT_FALSE(parse({R"({"a":[[[[1]]]]})"}, {"/b"}, false, {.max_depth = 4}).fed);
}

TEST(SelectiveParser, NothingCanBeFedAfterAnError) {
  SelectiveParser parser({}, {}, [](json::object) { FAIL(); });
  EXPECT_FALSE(parser.feed("]"));
  EXPECT_FALSE(parser.feed("{}"));
}

}  // namespace
}  // namespace instantstart::kube
