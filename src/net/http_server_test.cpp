// What the server makes of good requests: keeping, pipelining, framing, streaming, handlers that fail.
#include "net/http_server.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "net/testing/http_server_fixture.h"

namespace instantstart::net {
namespace {

std::string get(const std::string& target, const std::string& fields = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

std::string post(const std::string& body, const std::string& fields = "") {
  return "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + fields +
         "\r\n" + body;
}

/// Some pieces, then the end or an exception.
class Pieces final : public BodyStream {
 public:
  explicit Pieces(std::vector<std::string> pieces, bool fails = false)
      : pieces_(std::move(pieces)), fails_(fails) {}

  asio::awaitable<std::optional<std::string>> next() override {
    if (at_ < pieces_.size()) co_return pieces_[at_++];
    if (fails_) throw std::runtime_error("the source dried up");
    co_return std::nullopt;
  }

 private:
  std::vector<std::string> pieces_;
  bool fails_;
  std::size_t at_ = 0;
};

asio::awaitable<Response> three_pieces(Request) {
  co_return Response{
      .body = std::make_unique<Pieces>(std::vector<std::string>{"one", "", std::string(70'000, 'x')})};
}

asio::awaitable<Response> broken_pieces(Request) {
  co_return Response{.body = std::make_unique<Pieces>(std::vector<std::string>{"one"}, true)};
}

asio::awaitable<Response> large_text(Request) { co_return Response{.body = std::string(3'000'000, 'x')}; }

asio::awaitable<Response> closing(Request) {
  co_return Response{.headers = {{"Connection", "close"}}, .body = "bye"};
}

asio::awaitable<Response> throwing(Request request) {
  if (request.path() == "/bad") throw std::runtime_error("no such luck");
  co_return Response{.body = "good"};
}

asio::awaitable<Response> splitting(Request) {
  co_return Response{.headers = {{"Content-Disposition", "a\r\nSet-Cookie: b=c"}}, .body = "x"};
}

asio::awaitable<Response> aborting(Request) { co_return Response{.body = "never sent", .abort = true}; }

asio::awaitable<Response> peer_name(Request request) {
  co_return Response{.body = request.peer.address + (request.peer.loopback ? " here" : " there")};
}

class HttpServerTest : public HttpServerFixture {
 protected:
  HttpHandler gated_handler() {
    return [this](Request request) { return gated(std::move(request)); };
  }
  void open_gate() {
    gate_open = true;
    gate.notify();
  }
};

TEST_F(HttpServerTest, AnswersAndKeepsTheConnection) {
  start(echo);
  auto client = connect();
  const auto first = exchange(client, get("/a?b=c"));
  EXPECT_EQ(first.head,
            "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n");
  EXPECT_EQ(first.body, "GET /a?b=c\n");
  const auto second = exchange(client, post("hello"));
  EXPECT_EQ(second.body, "POST /p\nhello");
}

TEST_F(HttpServerTest, ARequestMayComeByteByByte) {
  start(echo);
  auto client = connect();
  for (const char c : post("hello")) {
    send(client, std::string(1, c));
    settle();
  }
  EXPECT_EQ(next_response(client).body, "POST /p\nhello");
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredOneAfterTheOther) {
  start(gated_handler());
  auto client = connect();
  send(client, get("/1") + post("body") + get("/3"));
  settle();
  EXPECT_EQ(events, (std::vector<std::string>{"begin /1"}));
  open_gate();
  EXPECT_EQ(next_response(client).body, "/1");
  EXPECT_EQ(next_response(client).body, "/p");
  EXPECT_EQ(next_response(client).body, "/3");
  EXPECT_EQ(events,
            (std::vector<std::string>{"begin /1", "end /1", "begin /p", "end /p", "begin /3", "end /3"}));
}

TEST_F(HttpServerTest, BytesThatComeWhileAHandlerRunsAreNotLost) {
  start(gated_handler());
  auto client = connect();
  send(client, get("/1"));
  settle();
  const std::string second = post(std::string(300'000, 'b'));  // More than it reads ahead.
  std::size_t sent = 0;
  turn_until([&] {
    const std::size_t now = client.send(std::string_view(second).substr(sent));
    sent += now;
    return now == 0 || sent == second.size();
  });
  settle();
  EXPECT_EQ(events, (std::vector<std::string>{"begin /1"}));
  open_gate();
  send(client, std::string_view(second).substr(sent));
  EXPECT_EQ(next_response(client).body, "/1");
  EXPECT_EQ(next_response(client).body, "/p");
}

TEST_F(HttpServerTest, HeadHasTheHeaderOfGetAndNoBody) {
  start(echo);
  auto client = connect();
  send(client, "HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n" + get("/b"));
  const auto head = next_response(client, true);
  EXPECT_TRUE(head.has("Content-Length: 8\r\n"));
  EXPECT_EQ(next_response(client).body, "GET /b\n");
}

TEST_F(HttpServerTest, Http10ClosesUnlessAskedToStay) {
  start(echo);
  auto client = connect();
  const auto kept = exchange(client, "GET /a HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(kept.has("Connection: keep-alive\r\n"));
  const auto last = exchange(client, "GET /b HTTP/1.0\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(last.has("Connection: close\r\n"));
  EXPECT_EQ(last.body, "GET /b\n");
  EXPECT_TRUE(closed(client));
}

TEST_F(HttpServerTest, ConnectionCloseIsObeyedFromBothSides) {
  start(closing);
  auto by_server = connect();
  EXPECT_TRUE(exchange(by_server, get("/")).has("Connection: close\r\n"));
  EXPECT_TRUE(closed(by_server));
  auto by_client = connect();
  EXPECT_EQ(exchange(by_client, get("/", "Connection: close\r\n")).body, "bye");
  EXPECT_TRUE(closed(by_client));
}

TEST_F(HttpServerTest, ContinueIsSentToWhoWaitsForIt) {
  start(echo);
  auto client = connect();
  const std::string request = post("hello", "Expect: 100-continue\r\n");
  const std::size_t head = request.find("\r\n\r\n") + 4;
  EXPECT_EQ(exchange(client, request.substr(0, head)).head, "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(exchange(client, request.substr(head)).body, "POST /p\nhello");
  EXPECT_EQ(exchange(client, request).status, 200) << "the body was already there";
}

TEST_F(HttpServerTest, ContinueIsNotSentForABodyThatIsTooLarge) {
  start(echo);
  auto client = connect();
  const auto answer = exchange(
      client, "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 104857600\r\n\r\n");
  EXPECT_EQ(answer.status, 413);
}

TEST_F(HttpServerTest, AChunkedBodyIsReadWhole) {
  start(echo);
  auto client = connect();
  const std::string request =
      "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;extension=\"x\"\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer: x\r\n\r\n";
  EXPECT_EQ(exchange(client, request + get("/next")).body, "POST /p\nhello, world");
  EXPECT_EQ(next_response(client).body, "GET /next\n");
}

TEST_F(HttpServerTest, ABodyOfExactlyTheLimitIsRead) {
  start(echo);
  auto client = connect();
  EXPECT_EQ(exchange(client, post(std::string(1024 * 1024, 'x'))).body.size(), 1024u * 1024 + 8);
}

TEST_F(HttpServerTest, ALargeAnswerArrivesWhole) {
  start(large_text);
  auto client = connect();
  EXPECT_EQ(exchange(client, get("/")).body, std::string(3'000'000, 'x'));
  EXPECT_EQ(exchange(client, get("/")).body.size(), 3'000'000u);
}

TEST_F(HttpServerTest, AStreamIsSentInChunks) {
  start(three_pieces);
  auto client = connect();
  send(client, get("/", "Connection: close\r\n"));
  const std::string all = rest(client);
  const std::string body = all.substr(all.find("\r\n\r\n") + 4);
  EXPECT_TRUE(all.contains("Transfer-Encoding: chunked\r\n"));
  EXPECT_EQ(body, "3\r\none\r\n10000\r\n" + std::string(65'536, 'x') + "\r\n1170\r\n" +
                      std::string(4'464, 'x') + "\r\n0\r\n\r\n");
}

TEST_F(HttpServerTest, AStreamToHttp10EndsWithTheConnection) {
  start(three_pieces);
  auto client = connect();
  send(client, "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
  const std::string all = rest(client);
  EXPECT_FALSE(all.contains("Transfer-Encoding"));
  EXPECT_EQ(all.substr(all.find("\r\n\r\n") + 4), "one" + std::string(70'000, 'x'));
}

TEST_F(HttpServerTest, AConnectionGoesOnAfterAStream) {
  start(three_pieces);
  auto client = connect();
  send(client, get("/1") + "HEAD /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(turn_until([&] {
    client.look();
    return client.received().ends_with("\r\n\r\n") &&
           client.received().contains("\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n");
  }));
}

TEST_F(HttpServerTest, AStreamThatFailsIsCutSoThatThePeerSeesIt) {
  start(broken_pieces);
  auto client = connect();
  send(client, get("/"));
  const std::string all = rest(client);
  EXPECT_TRUE(all.ends_with("3\r\none\r\n")) << all;
  ASSERT_EQ(log_lines.size(), 1u);
  EXPECT_TRUE(log_lines[0].contains("the source dried up"));
}

TEST_F(HttpServerTest, AHandlerThatThrowsIsAnsweredWith500AndTheConnectionGoesOn) {
  start(throwing);
  auto client = connect();
  const auto bad = exchange(client, get("/bad"));
  EXPECT_EQ(bad.status, 500);
  EXPECT_EQ(bad.body, "refused: The request could not be answered.");
  ASSERT_EQ(log_lines.size(), 1u);
  EXPECT_TRUE(log_lines[0].contains("no such luck"));
  EXPECT_EQ(exchange(client, get("/good")).body, "good");
}

TEST_F(HttpServerTest, AHeaderThatWouldSplitIsA500AndIsLogged) {
  start(splitting);
  auto client = connect();
  send(client, get("/"));
  const std::string all = rest(client);
  EXPECT_TRUE(all.starts_with("HTTP/1.1 500 ")) << all;
  EXPECT_FALSE(all.contains("Set-Cookie"));
  ASSERT_EQ(log_lines.size(), 1u);
  EXPECT_TRUE(log_lines[0].contains("Content-Disposition"));
}

TEST_F(HttpServerTest, AnAbortedAnswerClosesWithoutAWord) {
  start(aborting);
  auto client = connect();
  send(client, get("/"));
  EXPECT_EQ(rest(client), "");
}

TEST_F(HttpServerTest, ServesAUnixSocket) {
  std::string folder = (std::filesystem::temp_directory_path() / "http_server_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/socket";
  start(peer_name, {.address = path});
  EXPECT_EQ(server->port(), 0);
  auto client = RawClient::to_path(path);
  EXPECT_EQ(exchange(client, get("/")).body, "unix here");
  begin_stop(Deadline::never());
  EXPECT_TRUE(turn_until([this] { return stopped; }));
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::remove_all(folder);
}

TEST_F(HttpServerTest, NamesThePeer) {
  start(peer_name);
  auto client = connect();
  EXPECT_EQ(exchange(client, get("/")).body, "127.0.0.1 here");
}

}  // namespace
}  // namespace instantstart::net
