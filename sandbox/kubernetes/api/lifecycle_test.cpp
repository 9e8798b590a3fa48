#include "sandbox/kubernetes/api/lifecycle.h"

#include <string>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/testing/api_fixture.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr const char* k_maps = "/api/v1/namespaces/default/configmaps";

class Deletion : public ApiFixture {
 protected:
  void make(std::string_view name, std::string_view owner, bool blocks = false) {
    json::object object = config_map(name);
    if (!owner.empty()) {
      object["metadata"].as_object()["ownerReferences"] =
          json::array{json::object{{"apiVersion", "v1"},
                                   {"kind", "ConfigMap"},
                                   {"name", owner},
                                   {"uid", get(fmt::format("{}/{}", k_maps, owner)).text("metadata.uid")},
                                   {"blockOwnerDeletion", blocks}}};
    }
    ASSERT_EQ(post(k_maps, object).status, 201);
  }
  bool exists(std::string_view name) { return get(fmt::format("{}/{}", k_maps, name)).status == 200; }
  Reply remove_map(std::string_view name, std::string_view propagation) {
    return remove(fmt::format("{}/{}", k_maps, name), {{"propagationPolicy", propagation}});
  }
};

TEST_F(Deletion, DependentsFollowTheirOwner) {
  make("owner", "");
  make("child", "owner");
  make("grandchild", "child");
  remove_map("owner", "Background");
  EXPECT_FALSE(exists("owner"));
  EXPECT_TRUE(exists("child"));
  pass(seconds(1));
  EXPECT_FALSE(exists("child"));
  EXPECT_FALSE(exists("grandchild"));
}

TEST_F(Deletion, GoesOnAfterARestart) {
  make("owner", "");
  make("child", "owner");
  remove_map("owner", "Background");
  end_server();
  start_server();
  pass(seconds(1));
  EXPECT_FALSE(exists("child"));
}

TEST_F(Deletion, InTheForegroundTheOwnerWaits) {
  make("owner", "");
  make("child", "owner", true);
  patch(fmt::format("{}/child", k_maps), from_text(R"({"metadata":{"finalizers":["example.com/hold"]}})"));
  remove_map("owner", "Foreground");
  pass(seconds(1));
  EXPECT_TRUE(exists("owner"));
  EXPECT_NE(get(fmt::format("{}/child", k_maps)).text("metadata.deletionTimestamp"), "");
  patch(fmt::format("{}/child", k_maps), from_text(R"({"metadata":{"finalizers":null}})"));
  EXPECT_FALSE(exists("child"));
  pass(seconds(1));
  EXPECT_FALSE(exists("owner"));
}

TEST_F(Deletion, OrphansLoseTheirOwnerAndStay) {
  make("owner", "");
  make("child", "owner");
  remove_map("owner", "Orphan");
  pass(seconds(1));
  EXPECT_FALSE(exists("owner"));
  EXPECT_EQ(get(fmt::format("{}/child", k_maps)).text("metadata.ownerReferences"), "");
}

TEST_F(Deletion, ANamespaceWaitsForItsContents) {
  post("/api/v1/namespaces", from_text(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}})"));
  post("/api/v1/namespaces/n/configmaps", config_map("a"));
  patch("/api/v1/namespaces/n/configmaps/a",
        from_text(R"({"metadata":{"finalizers":["example.com/hold"]}})"));
  EXPECT_EQ(remove("/api/v1/namespaces/n").text("status.phase"), "Terminating");
  pass(seconds(1));
  EXPECT_EQ(get("/api/v1/namespaces/n").status, 200);
  EXPECT_EQ(post("/api/v1/namespaces/n/configmaps", config_map("b")).status, 403);
  patch("/api/v1/namespaces/n/configmaps/a", from_text(R"({"metadata":{"finalizers":null}})"));
  pass(seconds(1));
  EXPECT_EQ(get("/api/v1/namespaces/n").status, 404);
}

TEST_F(Deletion, ChecksItsPreconditions) {
  make("a", "");
  const auto refused =
      remove(fmt::format("{}/a", k_maps),
             {{"preconditions", json::object{{"uid", "00000000-0000-0000-0000-000000000000"}}}});
  EXPECT_EQ(refused.status, 409);
  EXPECT_TRUE(exists("a"));
}

TEST_F(Deletion, NoFinalizerIsAddedWhenItHasBegun) {
  make("a", "");
  patch(fmt::format("{}/a", k_maps), from_text(R"({"metadata":{"finalizers":["example.com/hold"]}})"));
  remove_map("a", "Background");
  const auto refused =
      patch(fmt::format("{}/a", k_maps),
            from_text(R"({"metadata":{"finalizers":["example.com/hold","example.com/more"]}})"));
  EXPECT_EQ(refused.status, 422);
}

TEST_F(Deletion, ADryRunChangesNothing) {
  make("a", "");
  EXPECT_EQ(send("DELETE", fmt::format("{}/a?dryRun=All", k_maps)).status, 200);
  EXPECT_TRUE(exists("a"));
  EXPECT_EQ(send("POST", fmt::format("{}?dryRun=All", k_maps), to_text(config_map("b"))).status, 201);
  EXPECT_FALSE(exists("b"));
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
