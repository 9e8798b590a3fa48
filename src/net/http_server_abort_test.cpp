// A server that simulates a failing one: it closes the connection without an answer.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "net/testing/http_server_fixture.h"

namespace instantstart::net {
namespace {

asio::awaitable<Response> abort_if_asked(Request request) {
  co_return Response{.body = "fine", .abort = request.target == "/abort"};
}

class HttpServerAbortTest : public HttpServerFixture {};

TEST_F(HttpServerAbortTest, NoByteOfAnAnswerIsSent) {
  start(&abort_if_asked);
  RawClient client = connect();
  send(client, "GET /abort HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(closed(client));
  EXPECT_EQ(client.received(), "");
}

TEST_F(HttpServerAbortTest, AnswersBeforeItAndOtherConnectionsAreUntouched) {
  start(&abort_if_asked);
  RawClient client = connect();
  RawClient other = connect();
  EXPECT_EQ(exchange(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").body, "fine");
  send(client, "GET /abort HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(closed(client));
  EXPECT_EQ(client.received(), "");
  EXPECT_EQ(exchange(other, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").body, "fine");
}

}  // namespace
}  // namespace instantstart::net
