#include "kube/watch_cache.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/error_codes.h"
#include "kube/json_access.h"
#include "kube/testing/kube_fixture.h"

namespace instantstart::kube {
namespace {

class KubeWatch : public KubeFixture {
 protected:
  void TearDown() override {
    // What still runs ends before the cache that it fills.
    stop.emit(asio::cancellation_type::all);
    time.run_for(seconds(0));
    EXPECT_TRUE(ended);
    EXPECT_EQ(api.open_streams(), 0);
  }

  void start(bool watch_list = false) {
    ReflectorOptions options{.type = pods, .space = "s", .keep = {"/value"}, .watch_list = watch_list};
    cache = std::make_unique<WatchCache<int>>(*connection, options, [](const json::object& object) {
      return static_cast<int>(integer_at(object, {"value"}).value_or(0));
    });
    listening = cache->subscribe([this](const WatchCache<int>::Delta& delta) {
      const auto text = [](const int* value) { return value ? std::to_string(*value) : std::string("-"); };
      deltas.push_back(delta.id.name + ":" + text(delta.before) + ">" + text(delta.after));
    });
    ended = false;
    asio::co_spawn(
        time.context(), cache->run(),
        asio::bind_cancellation_slot(stop.slot(), [this](const std::exception_ptr&) { ended = true; }));
  }

  static std::string object(const std::string& name, int version, int value) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"s","resourceVersion":")" +
           std::to_string(version) + R"("},"value":)" + std::to_string(value) + "}";
  }
  static std::string event(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
  }
  static std::string bookmark(int version, bool ends_initial = false) {
    const std::string mark = ends_initial ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "";
    return R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" + std::to_string(version) +
           "\"" + mark + "}}}\n";
  }
  static Reply list(int version, const std::string& items) {
    return streamed({R"({"kind":"PodList","items":[)" + items + R"(],"metadata":{"resourceVersion":")" +
                     std::to_string(version) + "\"}}"},
                    BodyEnd::normal);
  }
  static std::string expired() {
    return R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
           "\n";
  }
  std::vector<std::string> told() { return std::exchange(deltas, {}); }
  std::string version_asked(std::size_t request) { return api.seen().at(request).query("resourceVersion"); }

  asio::cancellation_signal stop;
  bool ended = true;
  std::vector<std::string> deltas;
  std::unique_ptr<WatchCache<int>> cache;
  Subscription listening;
};

using Texts = std::vector<std::string>;

TEST_F(KubeWatch, ListsThenFollows) {
  api.then(list(10, object("a", 1, 1) + "," + object("b", 2, 2)))
      .then(streamed({event("MODIFIED", object("a", 11, 5)), event("DELETED", object("b", 12, 2)),
                      event("ADDED", object("c", 13, 3))}));
  start();
  time.run_for(seconds(1));
  EXPECT_EQ(told(), (Texts{"a:->1", "b:->2", "a:1>5", "b:2>-", "c:->3"}));
  EXPECT_EQ(version_asked(1), "10");
  EXPECT_EQ(api.seen()[1].query("allowWatchBookmarks"), "true");
  EXPECT_EQ(*cache->find({"s", "a"}), 5);
  EXPECT_EQ(cache->find({"s", "b"}), nullptr);
  EXPECT_EQ(cache->size(), 2U);
  EXPECT_TRUE(cache->freshness().live);
  EXPECT_TRUE(run(cache->synced(in(seconds(1)))));
}

TEST_F(KubeWatch, AWatchListNeedsNoList) {
  api.then(streamed(
      {event("ADDED", object("a", 1, 1)), bookmark(10, true), event("MODIFIED", object("a", 11, 2))}));
  start(true);
  time.run_for(seconds(1));
  EXPECT_EQ(told(), (Texts{"a:->1", "a:1>2"}));
  EXPECT_EQ(api.seen()[0].query("sendInitialEvents"), "true");
  EXPECT_EQ(api.seen()[0].query("resourceVersionMatch"), "NotOlderThan");
  EXPECT_EQ(cache->freshness().resource_version, "11");
  EXPECT_EQ(cache->freshness().lists, 1U);
}

TEST_F(KubeWatch, AServerThatRefusesWatchListsIsListed) {
  api.then(status_reply(422, "Invalid", "sendInitialEvents is forbidden for watch"))
      .then(list(10, object("a", 1, 1)))
      .then(streamed({}));
  start(true);
  time.run_for(seconds(1));
  EXPECT_EQ(told(), Texts{"a:->1"});
  EXPECT_TRUE(cache->freshness().live);
}

TEST_F(KubeWatch, AServerThatIgnoresWatchListsIsListed) {
  api.then(streamed({event("ADDED", object("a", 1, 1))}))
      .then(list(10, object("a", 1, 1)))
      .then(streamed({}));
  start(true);
  time.run_for(seconds(29));
  EXPECT_FALSE(cache->freshness().synced);
  time.run_for(seconds(2));
  EXPECT_TRUE(cache->freshness().synced);
  EXPECT_EQ(told(), Texts{"a:->1"});
}

TEST_F(KubeWatch, ABrokenWatchGoesOnAtTheLastVersion) {
  const std::string whole = event("ADDED", object("b", 12, 2));
  api.then(list(10, object("a", 1, 1)))
      .then(streamed({event("MODIFIED", object("a", 11, 2)), whole.substr(0, 9)}, BodyEnd::broken))
      .then(refused_connection())
      .then(refused_connection())
      .then(refused_connection())
      .then(refused_connection())
      .then(refused_connection())
      .then(streamed({whole}));
  start();
  time.run_for(seconds(60));
  EXPECT_EQ(told(), (Texts{"a:->1", "a:1>2", "b:->2"}));
  EXPECT_EQ(version_asked(2), "11");
  EXPECT_EQ(version_asked(7), "11");
  EXPECT_EQ(cache->freshness().lists, 1U);
}

TEST_F(KubeWatch, ABookmarkIsWhereItGoesOn) {
  api.then(list(10, "")).then(streamed({bookmark(50)}, BodyEnd::normal)).then(streamed({}));
  start();
  time.run_for(seconds(1));
  EXPECT_EQ(version_asked(2), "50");
}

TEST_F(KubeWatch, AnExpiredVersionInTheStreamIsListedAgainAtOnce) {
  api.then(list(10, object("a", 1, 1) + "," + object("b", 2, 2) + "," + object("c", 3, 3)))
      .then(streamed({expired()}))
      .then(list(20, object("a", 1, 1) + "," + object("b", 15, 5) + "," + object("d", 16, 4)))
      .then(streamed({}));
  start();
  time.run_for(milliseconds(1));
  // a is the same, b was changed, d is new, c is gone: one delta each.
  EXPECT_EQ(told(), (Texts{"a:->1", "b:->2", "c:->3", "b:2>5", "d:->4", "c:3>-"}));
  EXPECT_EQ(version_asked(3), "20");
  EXPECT_EQ(cache->freshness().lists, 2U);
}

TEST_F(KubeWatch, AnExpiredVersionAsAStatusIsListedAgain) {
  api.then(list(10, object("a", 1, 1)))
      .then(status_reply(410, "Expired"))
      .then(list(20, ""))
      .then(streamed({}));
  start();
  time.run_for(milliseconds(1));
  EXPECT_EQ(told(), (Texts{"a:->1", "a:1>-"}));
}

TEST_F(KubeWatch, AServerThatRefusesEveryWatchIsNotAskedInALoop) {
  for (int i = 0; i < 40; ++i) api.then(list(10, "")).then(streamed({expired()}));
  start();
  time.run_for(seconds(10));
  EXPECT_LT(api.seen().size(), 20U);
  EXPECT_FALSE(cache->freshness().live);
  EXPECT_TRUE(cache->freshness().last_error);
}

TEST_F(KubeWatch, AListThatBreaksOffRemovesNothing) {
  api.then(list(10, object("a", 1, 1) + "," + object("b", 2, 2))).then(streamed({expired()}));
  for (int i = 0; i < 4; ++i) {
    api.then(streamed({R"({"kind":"PodList","items":[)" + object("a", 1, 1)}, BodyEnd::broken));
  }
  start();
  time.run_for(milliseconds(1'000));
  EXPECT_EQ(cache->size(), 2U);
  EXPECT_EQ(told(), (Texts{"a:->1", "b:->2"}));
  EXPECT_FALSE(cache->freshness().live);
  EXPECT_TRUE(cache->freshness().synced);
}

TEST_F(KubeWatch, ErrorsThatAreNotAboutAgeAreResumed) {
  api.then(list(10, ""))
      .then(streamed({R"({"type":"ERROR","object":{"kind":"Status","code":500,"reason":"InternalError"}})"
                      "\n"}))
      .then(streamed({event("ADDED", object("a", 11, 1))}));
  start();
  time.run_for(seconds(2));
  EXPECT_EQ(told(), Texts{"a:->1"});
  EXPECT_EQ(version_asked(2), "10");
}

TEST_F(KubeWatch, WatchesThatSpeakNonsenseEndInANewList) {
  api.then(list(10, ""))
      .then(streamed({"x"}))
      .then(streamed({"x"}))
      .then(streamed({"x"}))
      .then(list(20, object("a", 1, 1)));
  start();
  time.run_for(seconds(20));
  EXPECT_EQ(told(), Texts{"a:->1"});
}

TEST_F(KubeWatch, AServerThatNeverEndsAWatchIsLeft) {
  api.then(list(10, "")).then(streamed({})).then(streamed({event("ADDED", object("a", 11, 1))}));
  start();
  time.run_for(std::chrono::minutes(7));
  EXPECT_EQ(told(), Texts{"a:->1"});
}

TEST_F(KubeWatch, SaysHowOldItIs) {
  api.then(list(10, "")).then(streamed({bookmark(11)}, BodyEnd::broken));
  for (int i = 0; i < 60; ++i) api.then(refused_connection());
  start();
  EXPECT_FALSE(cache->freshness().age(time.steady()));
  time.run_for(seconds(10));
  EXPECT_EQ(cache->freshness().age(time.steady()), seconds(10));
  EXPECT_FALSE(cache->freshness().live);
  EXPECT_EQ(cache->freshness().last_error->code, codes::connection_failed);
}

TEST_F(KubeWatch, SyncedTellsWhyItIsNot) {
  for (int i = 0; i < 60; ++i) api.then(status_reply(403, "Forbidden", "not you"));
  start();
  const auto synced = run(cache->synced(in(seconds(2))));
  ASSERT_FALSE(synced);
  EXPECT_EQ(synced.error().code, codes::access_denied);
}

TEST_F(KubeWatch, SubscribersComeAndGo) {
  api.then(list(10, ""))
      .then(streamed({event("ADDED", object("a", 11, 1)), event("ADDED", object("b", 12, 2))}));
  start();
  int heard = 0;
  Subscription once;
  once = cache->subscribe([&](const auto&) {
    ++heard;
    once.reset();
  });
  time.run_for(seconds(1));
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(told().size(), 2U);
}

}  // namespace
}  // namespace instantstart::kube
