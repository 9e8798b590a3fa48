// The bridge over pipes, with a scripted server.
#include "faces/mcp/stdio_bridge.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <map>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include "faces/mcp/bridge_message.h"
#include "faces/mcp/modern_request.h"
#include "net/testing/virtual_time.h"

namespace instantstart::faces {
namespace {

class Pieces final : public net::ClientBodyStream {
 public:
  explicit Pieces(std::deque<std::string> pieces, bool for_ever, net::Timekeeper& time)
      : pieces_(std::move(pieces)), for_ever_(for_ever), time_(time) {}

  asio::awaitable<std::optional<std::string>> next() override {
    if (pieces_.empty() && for_ever_) co_await time_.sleep_until(SteadyTime::max());
    if (pieces_.empty()) co_return std::nullopt;
    std::string piece = std::move(pieces_.front());
    pieces_.pop_front();
    co_return piece;
  }
  const std::optional<Error>& error() const override { return error_; }

 private:
  std::deque<std::string> pieces_;
  bool for_ever_;
  net::Timekeeper& time_;
  std::optional<Error> error_;
};

struct Reply {
  int status = 200;
  net::Headers headers = {{"Content-Type", "application/json"}};
  std::deque<std::string> pieces;
  bool for_ever = false;  ///< The end never comes.
};

/// Answers requests in the order of its script and keeps what was sent.
class ScriptedServer final : public net::HttpClient {
 public:
  explicit ScriptedServer(net::Timekeeper& time) : time_(time) {}

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline) override {
    requests.push_back(std::move(request));
    co_return net::ClientResponse{.status = 204};
  }

  Task<Stream> open(net::ClientRequest request, net::Deadline) override {
    requests.push_back(std::move(request));
    if (script.empty()) co_return fail("connection_failed", "The server is gone.");
    Reply reply = std::move(script.front());
    script.pop_front();
    co_return Stream{.status = reply.status,
                     .headers = std::move(reply.headers),
                     .body = std::make_unique<Pieces>(std::move(reply.pieces), reply.for_ever, time_)};
  }

  std::deque<Reply> script;
  std::vector<net::ClientRequest> requests;

 private:
  net::Timekeeper& time_;
};

constexpr const char* k_initialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05"}})";
constexpr const char* k_ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
constexpr const char* k_pong = R"({"jsonrpc":"2.0","id":1,"result":{}})";

class StdioBridgeTest : public ::testing::Test {
 protected:
  StdioBridgeTest() {
    EXPECT_EQ(::pipe2(in_.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out_.data(), O_CLOEXEC), 0);
  }
  ~StdioBridgeTest() override {
    for (const int descriptor : {in_[0], in_[1], out_[0], out_[1]}) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }

  void type(std::string_view text) {
    ASSERT_EQ(::write(in_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void line(std::string_view text) { type(std::string(text) + "\n"); }

  /// Ends the input, runs the bridge to its end, and reads what it wrote.
  std::vector<std::string> answers() {
    ::close(std::exchange(in_[1], -1));
    bool ended = false;
    asio::co_spawn(time_.context(),
                   run_stdio_bridge({.executor = time_.context().get_executor(),
                                     .client = server_,
                                     .time = time_,
                                     .log = Log(),
                                     .find_server = [this] { return target_; },
                                     .input = in_[0],
                                     .output = out_[1]},
                                    options_),
                   [&ended](std::exception_ptr broken, Result<>) {
                     EXPECT_FALSE(broken);
                     ended = true;
                   });
    for (int turns = 0; !ended && turns < 10'000; ++turns) {
      if (time_.context().stopped()) time_.context().restart();
      // Pipes are ready at once; when nothing is, only time is left to pass.
      if (time_.context().run_one_for(std::chrono::milliseconds(2)) == 0) time_.run_for(milliseconds(1000));
    }
    EXPECT_TRUE(ended);
    ::close(std::exchange(out_[1], -1));
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t got = 0; (got = ::read(out_[0], piece.data(), piece.size())) > 0;) {
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
    std::vector<std::string> lines;
    for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
      lines.push_back(text.substr(at, end - at));
    }
    return lines;
  }

  void script_handshake(const char* session) {
    server_.script.push_back(
        {.headers = {{"Content-Type", "application/json"}, {"Mcp-Session-Id", session}},
         .pieces = {R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05"}})"}});
  }

  std::array<int, 2> in_{-1, -1};
  std::array<int, 2> out_{-1, -1};
  net::VirtualTime time_;
  ScriptedServer server_{time_};
  Result<BridgeTarget> target_ = BridgeTarget{"http://127.0.0.1:3099", "made-up"};
  BridgeOptions options_;
};

TEST_F(StdioBridgeTest, CarriesTheSessionOfTheHandshakeAndEndsIt) {
  script_handshake("s1");
  server_.script.push_back({.pieces = {R"({"jsonrpc":"2.0",)", R"("id":1,"result":{}})"}});
  line(k_initialize);
  line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  line(k_ping);
  const auto said = answers();
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[1], k_pong);
  ASSERT_EQ(server_.requests.size(), 3u);
  EXPECT_EQ(server_.requests[0].headers.get("InstantStart-Transport"), "stdio");
  EXPECT_EQ(server_.requests[0].headers.get("Authorization"), "Bearer made-up");
  EXPECT_EQ(server_.requests[1].headers.get("Mcp-Session-Id"), "s1");
  EXPECT_EQ(server_.requests[1].headers.get("MCP-Protocol-Version"), "2024-11-05");
  EXPECT_EQ(server_.requests[2].method, "DELETE");
}

TEST_F(StdioBridgeTest, RepeatsTheEnvelopeOfAModernRequestInItsHeaders) {
  server_.script.push_back({.pieces = {k_pong}});
  line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zone_list",)"
       R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  EXPECT_EQ(answers(), std::vector<std::string>{k_pong});
  const auto& headers = server_.requests.at(0).headers;
  EXPECT_EQ(headers.get("MCP-Protocol-Version"), "2026-07-28");
  EXPECT_EQ(headers.get("Mcp-Method"), "tools/call");
  EXPECT_EQ(headers.get("Mcp-Name"), "zone_list");
}

TEST_F(StdioBridgeTest, WithoutAServerEachCallSaysHowToStartOne) {
  target_ = fail("server_not_running", "Start one with: instantstart serve");
  line(k_ping);
  line(R"({"jsonrpc":"2.0","id":"two","method":"tools/list"})");
  const auto said = answers();
  ASSERT_EQ(said.size(), 2u);
  for (const auto& text : said) {
    EXPECT_NE(text.find("instantstart serve"), std::string::npos);
    EXPECT_NE(text.find("server_not_running"), std::string::npos);
  }
  EXPECT_EQ(parse_json(said[1])->at("id"), "two");
}

TEST_F(StdioBridgeTest, ASessionThatTheServerForgotIsBegunAgain) {
  script_handshake("s1");
  server_.script.push_back(
      {.status = 404, .pieces = {R"({"jsonrpc":"2.0","error":{"code":-32600,"message":""}})"}});
  script_handshake("s2");
  server_.script.push_back({.pieces = {k_pong}});
  line(k_initialize);
  line(k_ping);
  const auto said = answers();
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[1], k_pong);
  EXPECT_EQ(server_.requests.at(3).headers.get("Mcp-Session-Id"), "s2");
}

TEST_F(StdioBridgeTest, EventsBecomeLines) {
  server_.script.push_back(
      {.headers = {{"Content-Type", "text/event-stream"}},
       .pieces = {"event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/pro",
                  "gress\"}\n\n: waiting\n\n", std::string("data: ") + k_pong + "\n\n"}});
  line(k_ping);
  EXPECT_EQ(answers(),
            (std::vector<std::string>{R"({"jsonrpc":"2.0","method":"notifications/progress"})", k_pong}));
}

TEST_F(StdioBridgeTest, AStreamThatBreaksIsAnErrorForItsCall) {
  server_.script.push_back({.headers = {{"Content-Type", "text/event-stream"}}, .pieces = {"data: {"}});
  line(k_ping);
  const auto said = answers();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("unknown_outcome"), std::string::npos);
}

TEST_F(StdioBridgeTest, ARequestThatWasCancelledIsNeverAnswered) {
  server_.script.push_back({.for_ever = true});
  server_.script.push_back({.pieces = {R"({"jsonrpc":"2.0","id":2,"result":{}})"}});
  line(k_ping);
  line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  line(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  EXPECT_EQ(answers(), std::vector<std::string>{R"({"jsonrpc":"2.0","id":2,"result":{}})"});
}

TEST_F(StdioBridgeTest, WhatIsStillUnderWayAtTheEndIsWaitedForAWhileAndThenGivenUp) {
  server_.script.push_back({.for_ever = true});
  line(k_ping);
  const auto said = answers();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("cancelled"), std::string::npos);
}

TEST_F(StdioBridgeTest, LinesThatAreNoMessagesAreRefusedAndTheNextIsRead) {
  options_.max_line_bytes = 100;
  server_.script.push_back({.pieces = {k_pong}});
  line("nonsense");
  line(std::string(1000, 'x'));
  line("");
  type(std::string(k_ping) + "\r\n");
  const auto said = answers();
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(parse_json(said[0])->at("error").at("code"), rpc::parse_error);
  EXPECT_EQ(parse_json(said[1])->at("error").at("code"), rpc::invalid_request);
  EXPECT_EQ(said[2], k_pong);
}

TEST_F(StdioBridgeTest, ProblemsOfTheFrontDoorBecomeErrorsOfTheCall) {
  server_.script.push_back(
      {.status = 401,
       .headers = {{"Content-Type", "application/problem+json"}},
       .pieces = {R"({"type":"urn:instantstart:error:unauthenticated","title":"t","status":401,)"
                  R"("detail":"Send a token.","code":"unauthenticated","retryable":false})"}});
  line(k_ping);
  const auto said = answers();
  ASSERT_EQ(said.size(), 1u);
  const auto error = parse_json(said[0])->at("error");
  EXPECT_EQ(error.at("message"), "Send a token.");
  EXPECT_EQ(error.at("data").at("code"), "unauthenticated");
}

}  // namespace
}  // namespace instantstart::faces
