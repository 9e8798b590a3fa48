#include "app/server.h"

#include <set>
#include <string>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include "app/command_line.h"
#include "base/json.h"
#include "net/testing/virtual_time.h"
#include "store/testing/inline_database.h"

namespace instantstart::app {
namespace {

/// Nothing here may call out.
class NoNetwork final : public net::HttpClient {
 public:
  Task<net::ClientResponse> send(net::ClientRequest, net::Deadline) override {
    co_return fail("connection_failed", "There is no network in this test.");
  }
  Task<Stream> open(net::ClientRequest, net::Deadline) override {
    co_return fail("connection_failed", "There is no network in this test.");
  }
};

TEST(ActionTable, OfTheWholeProductIsSound) {
  const auto faults = contract::ActionTable::faults(all_actions());
  EXPECT_TRUE(faults.empty()) << faults.front() << " and " << faults.size() - 1 << " more";
}

TEST(ActionTable, CanBeReadWithoutAnEngine) {
  const contract::ActionTable actions(all_actions());
  ASSERT_NE(actions.find("operation_get"), nullptr);
  EXPECT_EQ(actions.find("operation_get")->spec.effect, contract::Effect::read);
}

TEST(CommandLine, NoFlagOfTheProgramHasTheNameOfAMember) {
  const contract::ActionTable actions(all_actions());
  for (const auto& noun : root_command(actions).commands) {
    for (const auto& verb : noun.commands) {
      std::set<std::string> names;
      for (const auto& flag : verb.flags)
        EXPECT_TRUE(names.insert(flag.name).second) << noun.name << " " << flag.name;
    }
  }
}

TEST(Server, StartsOnAnEmptyStoreAndAnswersByItsFrontDoor) {
  net::VirtualTime time;
  SeededRandom random(1);
  store::MemoryStore file;
  store::MemoryDatabase database(file);
  const aws::FixedEnvironment environment;
  NoNetwork http;
  Server server({.executor = time.context().get_executor(),
                 .time = time,
                 .random = random,
                 .log = Log(),
                 .database = database,
                 .http = http,
                 .environment = environment},
                {});
  int status = 0;
  std::string body;
  const auto run = [&]() -> asio::awaitable<void> {
    auto started = co_await server.start();
    EXPECT_TRUE(started) << started.error().message;
    auto token =
        co_await server.credentials().issue_token({.id = "ann", .role = contract::Role::viewer}, "test");
    EXPECT_TRUE(token);
    net::Request request{.method = "GET",
                         .target = "/api/v1/operations",
                         .headers = {{"Host", "localhost"}, {"Authorization", "Bearer " + *token}},
                         .body = {},
                         .peer = {.address = "::1", .port = 1, .loopback = true}};
    net::Response response = co_await server.front_door().handle(std::move(request));
    status = response.status;
    body = std::get<std::string>(response.body);
    co_await server.stop();
  };
  bool ended = false;
  asio::co_spawn(time.context(), run(), [&](std::exception_ptr broken) {
    if (broken) std::rethrow_exception(broken);
    ended = true;
  });
  ASSERT_TRUE(time.run_until([&] { return ended; }));
  EXPECT_EQ(status, 200);
  EXPECT_EQ(body, R"({"operations":[]})");
}

}  // namespace
}  // namespace instantstart::app
