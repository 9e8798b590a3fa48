#include "sandbox/gateway/control.h"

#include "sandbox/core/testing/world_fixture.h"

namespace instantstart::sandbox {
namespace {

struct Parts {
  explicit Parts(World& world) : faults(world), keys(world), control(world, faults, keys) {}

  FaultPlan faults;
  AccessKeys keys;
  ControlApi control;
};

class ControlApiTest : public WorldFixture {
 protected:
  ControlApiTest() {
    start();
    parts.emplace(process->world());
    EXPECT_TRUE(process->load());
  }

  static net::Request request(std::string method, std::string name, std::string body = "") {
    net::Request made{.method = std::move(method),
                      .target = std::string(k_control_prefix) + name,
                      .headers = {{"Host", "127.0.0.1:4566"}},
                      .body = std::move(body)};
    if (!made.body.empty()) made.headers.add("Content-Type", "application/json");
    made.peer.loopback = true;
    return made;
  }
  std::pair<int, json::object> send(net::Request sent) {
    std::optional<net::Response> answer;
    asio::co_spawn(time.context(), parts->control.handle(std::move(sent)),
                   [&](const std::exception_ptr& broken, net::Response response) {
                     if (broken) std::rethrow_exception(broken);
                     answer = std::move(response);
                   });
    time.run();
    return {answer.value().status, parse_json(std::get<std::string>(answer->body)).value().as_object()};
  }

  std::optional<Parts> parts;
};

constexpr auto k_rules =
    R"({"rules":[{"service":"ec2","operation":"CreateVpc","kind":"throttle","times":2}]})";

TEST_F(ControlApiTest, TellsItsHealth) {
  const auto [status, body] = send(request("GET", "health"));
  EXPECT_EQ(status, 200);
  EXPECT_EQ(body.at("status"), "ok");
  EXPECT_EQ(body.at("account"), "123456789012");
}

TEST_F(ControlApiTest, FaultsAreReplacedAsAWholeAndShowWhatIsLeft) {
  EXPECT_EQ(send(request("PUT", "faults", k_rules)).first, 200);
  EXPECT_TRUE(parts->faults.hit("ec2", "CreateVpc", {}));
  const auto [status, body] = send(request("GET", "faults"));
  EXPECT_EQ(status, 200);
  ASSERT_EQ(body.at("rules").as_array().size(), 1u);
  EXPECT_EQ(body.at("rules").at(0).at("times"), 1);
  EXPECT_EQ(send(request("PUT", "faults", R"({"rules":[]})")).first, 200);
  EXPECT_FALSE(parts->faults.hit("ec2", "CreateVpc", {}));
}

TEST_F(ControlApiTest, AWrongRuleIsRefusedWithItsPlaceAndChangesNothing) {
  send(request("PUT", "faults", k_rules));
  const auto [status, body] =
      send(request("PUT", "faults", R"({"rules":[{"service":"ec2","operation":"*","kind":"explode"}]})"));
  EXPECT_EQ(status, 422);
  EXPECT_EQ(body.at("code"), "invalid_request");
  EXPECT_EQ(body.at("problems").at(0).at("pointer"), "/rules/0/kind");
  EXPECT_EQ(parts->faults.rules().size(), 1u);
}

TEST_F(ControlApiTest, TheAuditIsReadInPages) {
  for (const std::string name : {"A", "B", "C"}) {
    ASSERT_TRUE(process->run(process->world().commit({{.service = "ec2", .operation = name}})));
  }
  const auto [status, first] = send(request("GET", "audit?limit=2"));
  EXPECT_EQ(status, 200);
  EXPECT_EQ(first.at("entries").as_array().size(), 2u);
  EXPECT_EQ(first.at("last"), 2);
  const auto rest = send(request("GET", "audit?after=2&limit=2")).second;
  ASSERT_EQ(rest.at("entries").as_array().size(), 1u);
  EXPECT_EQ(rest.at("entries").at(0).at("operation"), "C");
  EXPECT_EQ(send(request("GET", "audit?after=3")).second.at("last"), 3);
  EXPECT_EQ(send(request("GET", "audit?after=x")).first, 422);
}

TEST_F(ControlApiTest, AResetForgetsButKeepsTheAccountsKey) {
  const std::string key = parts->keys.root().id;
  send(request("PUT", "faults", k_rules));
  EXPECT_EQ(send(request("POST", "reset")).first, 200);
  EXPECT_TRUE(parts->faults.rules().empty());
  EXPECT_EQ(parts->keys.root().id, key);
}

TEST_F(ControlApiTest, SessionsCanBeEnded) {
  const std::string id = parts->keys.make_session({}, seconds(900)).id;
  EXPECT_EQ(send(request("POST", "expire-sessions")).first, 200);
  EXPECT_TRUE(parts->keys.find(id)->expired(time.wall()));
}

TEST_F(ControlApiTest, OnlyProgramsOnThisMachineAreAnswered) {
  auto elsewhere = request("GET", "health");
  elsewhere.peer.loopback = false;
  EXPECT_EQ(send(elsewhere).first, 403);
  for (const std::string host : {"evil.example:4566", "127.0.0.1.evil.example", "", "[::2]:1"}) {
    auto rebound = request("POST", "reset");
    rebound.headers.set("Host", host);
    EXPECT_GE(send(rebound).first, 400) << host;
  }
  for (const std::string host : {"localhost:1", "[::1]:4566", "127.0.0.1"}) {
    auto here = request("GET", "health");
    here.headers.set("Host", host);
    EXPECT_EQ(send(here).first, 200) << host;
  }
  auto page = request("POST", "reset");
  page.headers.add("Origin", "http://127.0.0.1:4566");
  EXPECT_GE(send(page).first, 400);
  auto form = request("PUT", "faults", k_rules);
  form.headers.set("Content-Type", "text/plain");
  EXPECT_EQ(send(form).first, 415);
}

TEST_F(ControlApiTest, WhatIsNotThereIsRefused) {
  EXPECT_EQ(send(request("GET", "nothing")).first, 404);
  EXPECT_EQ(send(request("DELETE", "faults")).first, 405);
  EXPECT_EQ(send(request("PUT", "faults", "{")).first, 400);
}

TEST_F(ControlApiTest, OthersAddCalls) {
  parts->control.mount("PUT", "echo", [](ControlRequest sent) -> Task<json::value> { co_return sent.body; });
  EXPECT_EQ(send(request("PUT", "echo", R"({"a":1})")).second, (json::object{{"a", 1}}));
}

}  // namespace
}  // namespace instantstart::sandbox
