#include "kube/client.h"

#include "base/error_codes.h"
#include "kube/testing/kube_fixture.h"

namespace instantstart::kube {
namespace {

class KubeClient : public KubeFixture {
 protected:
  static json::object pod(std::string name = "a") {
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", json::object{{"name", std::move(name)}, {"namespace", "s"}}}};
  }
  static std::string page(std::string items, std::string more = "") {
    return R"({"kind":"PodList","metadata":{"resourceVersion":"9","continue":")" + more + R"("},"items":[)" +
           items + "]}";
  }
  static std::string item(const std::string& name) { return R"({"metadata":{"name":")" + name + "\"}}"; }
  static std::vector<std::string> names(const ObjectList& list) {
    std::vector<std::string> result;
    for (const auto& object : list.items) result.emplace_back(ObjectView(object).name());
    return result;
  }

  Client client{*connection};
  const net::Deadline never = net::Deadline::never();
};

TEST_F(KubeClient, ApplyIsStrictAndNamesTheManager) {
  api.then(reply(201, R"({"kind":"Pod"})", {{"Warning", "299 - \"old\""}}));
  const auto written = run(client.apply(pods, pod(), {.dry_run = true, .force = true}, never));
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_TRUE(written->created);
  EXPECT_EQ(written->warnings, std::vector<std::string>{"old"});
  const auto& sent = api.seen().at(0);
  EXPECT_EQ(
      sent.line(),
      "PATCH "
      "/api/v1/namespaces/s/pods/a?force=true&fieldManager=instantstart&fieldValidation=Strict&dryRun=All");
  EXPECT_EQ(sent.header("Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(parse_json(sent.request.body).value(), json::value(pod()));
}

TEST_F(KubeClient, CreatePatchAndGetUseTheirPaths) {
  for (int i = 0; i < 4; ++i) api.then(reply(200, "{}"));
  ASSERT_TRUE(run(client.create(pods, pod(), {}, never)));
  ASSERT_TRUE(run(client.merge_patch(jobs, {"s", "j"}, {{"a", nullptr}}, {.subresource = "status"}, never)));
  ASSERT_TRUE(run(client.json_patch(nodes, {"", "n"}, {}, {}, never)));
  ASSERT_TRUE(run(client.get(nodes, {"", "n"}, never, "scale")));
  const std::string strict = "?fieldManager=instantstart&fieldValidation=Strict";
  EXPECT_EQ(api.seen()[0].line(), "POST /api/v1/namespaces/s/pods" + strict);
  EXPECT_EQ(api.seen()[1].line(), "PATCH /apis/ray.io/v1/namespaces/s/rayjobs/j/status" + strict);
  EXPECT_EQ(api.seen()[1].header("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(api.seen()[1].request.body, R"({"a":null})");
  EXPECT_EQ(api.seen()[2].header("Content-Type"), "application/json-patch+json");
  EXPECT_EQ(api.seen()[3].line(), "GET /api/v1/nodes/n/scale");
}

TEST_F(KubeClient, NamesThatWouldChangeThePathAreNeverSent) {
  for (const std::string bad : {"", "..", ".", "a/b", "a%2fb", "a\nb"}) {
    const auto got = run(client.get(pods, {"s", bad}, never));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, codes::invalid_request) << bad;
  }
  EXPECT_FALSE(run(client.get(pods, {"", "a"}, never)));
  EXPECT_FALSE(run(client.get(nodes, {"s", "a"}, never)));
  EXPECT_FALSE(run(client.create(jobs, pod(), {}, never)));
  EXPECT_TRUE(api.seen().empty());
}

TEST_F(KubeClient, AWriteWithAnUnreadableAnswerHasRun) {
  api.then(reply(200, "{"));
  const auto written = run(client.create(pods, pod(), {}, never));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, codes::unknown_outcome);
}

TEST_F(KubeClient, ALostDryRunIsSentAgain) {
  api.then(lost()).then(reply(201, "{}"));
  EXPECT_TRUE(run(client.create(pods, pod(), {.dry_run = true}, never)));
}

TEST_F(KubeClient, DeleteNamesItsConditions) {
  api.then(reply(200, R"({"kind":"Pod","metadata":{"uid":"u","deletionTimestamp":"2026-01-01T00:00:00Z"}})"));
  const auto deleted = run(client.remove(pods, {"s", "a"},
                                         {.uid = "u",
                                          .resource_version = "7",
                                          .propagation = Propagation::foreground,
                                          .grace_period = seconds(0)},
                                         never));
  ASSERT_TRUE(deleted);
  EXPECT_TRUE(deleted->waiting);
  EXPECT_EQ(deleted->uid, "u");
  EXPECT_EQ(api.seen()[0].line(), "DELETE /api/v1/namespaces/s/pods/a");
  EXPECT_EQ(parse_json(api.seen()[0].request.body).value(),
            parse_json(R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Foreground",
                           "preconditions":{"uid":"u","resourceVersion":"7"},"gracePeriodSeconds":0})")
                .value());
}

TEST_F(KubeClient, ListsInPages) {
  api.then(streamed({page(item("a") + "," + item("b"), "more")}, BodyEnd::normal))
      .then(streamed({page(item("c"))}, BodyEnd::normal));
  const auto list =
      run(client.list_all(pods, {.space = "s", .label_selector = "x=y", .page_size = 2}, 10, never));
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(names(*list), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(list->resource_version, "9");
  EXPECT_EQ(api.seen()[0].line(), "GET /api/v1/namespaces/s/pods?labelSelector=x%3Dy&limit=2");
  EXPECT_EQ(api.seen()[1].query("continue"), "more");
}

TEST_F(KubeClient, AListThatExpiresIsReadAgainFromTheFirstPageAndAtLastInOnePiece) {
  for (int i = 0; i < 3; ++i) {
    api.then(streamed({page(item("a"), "more")}, BodyEnd::normal)).then(status_reply(410, "Expired"));
  }
  api.then(streamed({page(item("a") + "," + item("b"))}, BodyEnd::normal));
  const auto list = run(client.list_all(pods, {.page_size = 1}, 10, never));
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(names(*list), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(api.seen().back().query("limit"), "");
  EXPECT_TRUE(api.complete());
}

TEST_F(KubeClient, AListThatBreaksOffIsReadAgain) {
  const std::string whole = page(item("a"));
  api.then(streamed({whole.substr(0, whole.size() - 3)}, BodyEnd::broken))
      .then(streamed({whole}, BodyEnd::normal));
  const auto list = run(client.list_all(pods, {}, 10, never));
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(names(*list), std::vector<std::string>{"a"});
}

TEST_F(KubeClient, AListThatStallsEndsWithItsDeadline) {
  api.then(streamed({"{"}, BodyEnd::open));
  const auto list = run(client.list_all(pods, {}, 10, in(seconds(5))));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code, codes::deadline_exceeded);
  EXPECT_EQ(api.open_streams(), 0);
}

TEST_F(KubeClient, MoreThanAskedForIsAnError) {
  api.then(streamed({page(item("a") + "," + item("b"))}, BodyEnd::normal));
  EXPECT_FALSE(run(client.list_all(pods, {}, 1, never)));
}

TEST_F(KubeClient, AListInACircleIsAnError) {
  api.then(streamed({page(item("a"), "x")}, BodyEnd::normal))
      .then(streamed({page(item("a"), "x")}, BodyEnd::normal));
  const auto list = run(client.list_all(pods, {}, 10, never));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code, codes::upstream_error);
}

}  // namespace
}  // namespace instantstart::kube
