#include <string>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/testing/api_fixture.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr const char* k_maps = "/api/v1/namespaces/default/configmaps";

class Watching : public ApiFixture {
 protected:
  Reply watch(const std::string& query) { return get(fmt::format("{}?watch=1&{}", k_maps, query)); }
  std::string version() { return get(k_maps).text("metadata.resourceVersion"); }
  static std::string type(const json::object& event) { return std::string(event.at("type").as_string()); }
  static std::string name(const json::object& event) {
    return std::string(event.at("object").at("metadata").at("name").as_string());
  }
};

TEST_F(Watching, TellsWhatHappensAfterAVersion) {
  const auto watching = watch("resourceVersion=" + version());
  ASSERT_TRUE(watching.stream);
  post(k_maps, config_map("a"));
  auto events = next_events(*watching.stream);
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(type(events[0]), "ADDED");
  patch(fmt::format("{}/a", k_maps), json::object{{"data", json::object{{"a", "c"}}}});
  remove(fmt::format("{}/a", k_maps));
  events = next_events(*watching.stream);
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(type(events[0]), "MODIFIED");
  EXPECT_EQ(type(events[1]), "DELETED");
}

TEST_F(Watching, WithoutAVersionBeginsWithWhatThereIs) {
  post(k_maps, config_map("a"));
  const auto watching = watch("");
  const auto events = next_events(*watching.stream);
  ASSERT_EQ(events.size(), 2);  // a and kube-root-ca.crt
  EXPECT_EQ(name(events[0]), "a");
}

TEST_F(Watching, MarksTheEndOfTheInitialEvents) {
  const auto watching =
      watch("sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan");
  const auto events = next_events(*watching.stream);
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(type(events[1]), "BOOKMARK");
  EXPECT_EQ(events[1].at("object").at("metadata").at("annotations").at("k8s.io/initial-events-end"),
            json::value("true"));
}

TEST_F(Watching, AnObjectThatLeavesTheSelectionIsDeleted) {
  post(k_maps, config_map("a"));
  const auto watching = watch("labelSelector=x%3Dy&resourceVersion=" + version());
  patch(fmt::format("{}/a", k_maps), from_text(R"({"metadata":{"labels":{"x":"y"}}})"));
  patch(fmt::format("{}/a", k_maps), from_text(R"({"metadata":{"labels":{"x":"z"}}})"));
  const auto events = next_events(*watching.stream);
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(type(events[0]), "ADDED");
  EXPECT_EQ(type(events[1]), "DELETED");
  EXPECT_EQ(events[1].at("object").at("metadata").at("labels").at("x"), json::value("y"));
}

TEST_F(Watching, EndsAtItsTimeWithABookmark) {
  const auto watching = watch("timeoutSeconds=5&allowWatchBookmarks=true&resourceVersion=" + version());
  const auto events = next_events(*watching.stream);
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(type(events[0]), "BOOKMARK");
  EXPECT_TRUE(next_events(*watching.stream).empty());
}

TEST_F(Watching, AReaderThatIsTooSlowIsToldSoInTheStream) {
  post(k_maps, config_map("a"));
  const auto watching = watch("resourceVersion=" + version());
  auto objects = running->servers->objects(std::string(k_test_cluster), "test");
  for (std::size_t i = 0; i <= k_history_length; ++i) {
    json::object changed = *objects.get("", "configmaps", "default", "a");
    changed["data"] = json::object{{"a", std::to_string(i)}};
    ASSERT_TRUE(objects.update(std::move(changed)));
  }
  const auto events = next_events(*watching.stream);
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(type(events[0]), "ERROR");
  EXPECT_EQ(events[0].at("object").at("code"), json::value(410));
  EXPECT_TRUE(next_events(*watching.stream).empty());
}

TEST_F(Watching, AVersionFromBeforeARestartIsGone) {
  const std::string before = version();
  post(k_maps, config_map("a"));
  end_server();
  start_server();
  EXPECT_TRUE(watch("resourceVersion=" + version()).stream);
  const auto refused = watch("resourceVersion=" + before);
  EXPECT_EQ(refused.status, 410);
  EXPECT_EQ(refused.text("reason"), "Expired");
}

TEST_F(Watching, AVersionThatIsNotYetIsRefused) { EXPECT_EQ(watch("resourceVersion=999999").status, 504); }

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
