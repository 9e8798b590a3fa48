#include "sandbox/kubernetes/cluster/pod_access.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sandbox/kubernetes/cluster/testing/cluster_fixture.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_kept =
    "2026-01-01T00:00:01.000000000Z one\n2026-01-01T00:00:02.000000000Z two\n2026-01-01T00:00:03.000000000Z "
    "three\n";

struct WindowRow {
  const char* what;
  LogWindow window;
  const char* shown;
};

class ShownLines : public testing::TestWithParam<WindowRow> {};

TEST_P(ShownLines, AsKubeletCuts) { EXPECT_EQ(shown_lines(k_kept, GetParam().window), GetParam().shown); }

INSTANTIATE_TEST_SUITE_P(
    All, ShownLines,
    testing::Values(
        WindowRow{"all", {}, "one\ntwo\nthree\n"}, WindowRow{"tail", {.tail_lines = 2}, "two\nthree\n"},
        WindowRow{"none", {.tail_lines = 0}, ""}, WindowRow{"limit", {.limit_bytes = 6}, "one\ntw"},
        WindowRow{"times", {.timestamps = true, .tail_lines = 1}, "2026-01-01T00:00:03.000000000Z three\n"},
        WindowRow{"since", {.since = *parse_rfc3339("2026-01-01T00:00:02Z")}, "two\nthree\n"},
        WindowRow{"tail_before_since",
                  {.tail_lines = 1, .since = *parse_rfc3339("2026-01-01T00:00:02Z")},
                  "three\n"}),
    [](const auto& row) { return row.param.what; });

class PodDoors : public ClusterFixture {
 protected:
  void SetUp() override {
    ClusterFixture::SetUp();
    join(node("n1"));
  }
};

TEST_F(PodDoors, AFollowedLogEndsWithItsContainer) {
  create(pod_text("p", "busybox", R"("command":["sh","-c","echo a; sleep 10; echo b"],)",
                  R"("restartPolicy":"Never",)"));
  pass(seconds(5));
  auto request = log_of("p");
  EXPECT_EQ(read_log(request), "a\n");
  request.follow = true;
  EXPECT_EQ(read_log(request), "a\nb\n");
}

TEST_F(PodDoors, APodWithoutAnEarlierRunHasNoPreviousLog) {
  create(pod_text("p"));
  pass(seconds(20));
  auto request = log_of("p");
  request.previous = true;
  EXPECT_EQ(read_log(request), "refused: previous terminated container \"main\" in pod \"p\" not found");
}

TEST_F(PodDoors, OldLinesOfALongLogGo) {
  World& world = process->world();
  ASSERT_TRUE(process->run(world.commit()));
  running->runtime.programs().add([](const ContainerView&) -> std::unique_ptr<Program> {
    struct Chatty final : Program {
      ProgramStep step(const ProgramSite&, std::int64_t index) override {
        if (index > 2000) return {.idle = true};
        return {.after = milliseconds(10), .lines = {fmt::format("{:04} {}", index, std::string(1000, 'x'))}};
      }
    };
    return std::make_unique<Chatty>();
  });
  create(pod_text("p"));
  pass(seconds(60));
  const std::string all = read_log(log_of("p"));
  EXPECT_LT(all.size(), k_log_limit);
  EXPECT_GT(all.size(), k_log_limit * 8 / 10);
  EXPECT_EQ(all.substr(all.size() - 1006, 4), "2000");
}

TEST_F(PodDoors, RequestsReachTheProgram) {
  create(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"app":"web"}},"spec":{
      "containers":[{"name":"main","image":"nginx:1","ports":[{"containerPort":80}]}]}})");
  create(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"selector":{"app":"web"},
      "ports":[{"name":"http","port":8080,"targetPort":80}]}})");
  const auto none =
      request({.service = true, .name = "web", .port = "http"}, {.method = "GET", .target = "/"});
  EXPECT_EQ(none.status, 503);
  EXPECT_NE(std::get<std::string>(none.body).find("no endpoints available for service \\\"web\\\""),
            std::string::npos);
  pass(seconds(20));
  for (const ProxyTarget& target : {ProxyTarget{.service = true, .name = "web", .port = "http"},
                                    ProxyTarget{.service = true, .name = "web", .port = "8080"},
                                    ProxyTarget{.service = true, .name = "web"},
                                    ProxyTarget{.name = "web", .port = "80"}, ProxyTarget{.name = "web"}}) {
    const auto page = request(target, {.method = "GET", .target = "/"});
    EXPECT_EQ(page.status, 200) << target.port;
  }
  const auto refused = request({.name = "web", .port = "81"}, {.method = "GET", .target = "/"});
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(std::get<std::string>(refused.body).find("connection refused"), std::string::npos);
  const auto port = request({.service = true, .name = "web", .port = "x"}, {.method = "GET", .target = "/"});
  EXPECT_NE(std::get<std::string>(port.body).find("no service port"), std::string::npos);
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
