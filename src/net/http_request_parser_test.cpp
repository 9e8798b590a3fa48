#include "net/http_request_parser.h"

#include <string>

#include <gtest/gtest.h>

#include "net/testing/refused_requests.h"

namespace instantstart::net {
namespace {

ParsedRequest parsed(const std::string& bytes, const RequestLimits& limits = {}) {
  auto result = parse_request(bytes, limits);
  EXPECT_TRUE(result.has_value()) << bytes << (result ? "" : result.error().reason);
  if (!result) return {};
  EXPECT_TRUE(result->has_value()) << "not complete: " << bytes;
  return *result ? std::move(**result) : ParsedRequest{};
}

int refusal(const std::string& bytes, const RequestLimits& limits = {}) {
  const auto result = parse_request(bytes, limits);
  return result ? 0 : result.error().status;
}

int refusal_byte_by_byte(const std::string& bytes) {
  RequestParser parser({});
  std::size_t taken = 0;
  for (std::size_t end = 1; end <= bytes.size() && !parser.done(); ++end) {
    const auto fed = parser.feed(std::string_view(bytes).substr(taken, end - taken));
    if (!fed) return fed.error().status;
    taken += *fed;
  }
  return 0;
}

TEST(RequestParserTest, ReadsAGet) {
  const auto result =
      parsed("GET /a/b?c=d HTTP/1.1\r\nHost: example.com:8080\r\nAccept:  x \t\r\nEmpty:\r\n\r\nrest");
  EXPECT_EQ(result.request.method, "GET");
  EXPECT_EQ(result.request.target, "/a/b?c=d");
  EXPECT_EQ(result.request.headers.get("host"), "example.com:8080");
  EXPECT_EQ(result.request.headers.get("Accept"), "x");
  EXPECT_EQ(result.request.headers.count("Empty"), 1u);
  EXPECT_EQ(result.request.headers.size(), 3u);
  EXPECT_EQ(result.request.body, "");
  EXPECT_TRUE(result.keep_alive);
  EXPECT_FALSE(result.http_1_0);
  const std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(parsed(bytes + "rest").size, bytes.size());
}

TEST(RequestParserTest, ReadsABodyByItsLength) {
  const std::string bytes = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
  const auto result = parsed(bytes + "GET");
  EXPECT_EQ(result.request.body, "hello");
  EXPECT_EQ(result.size, bytes.size());
  EXPECT_EQ(parsed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").request.body, "");
}

TEST(RequestParserTest, ReadsAChunkedBodyAndDropsTheTrailer) {
  const std::string bytes =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n5;x=\"y\"\r\nhello\r\n0\r\nHost: "
      "evil\r\n\r\n";
  const auto result = parsed(bytes + "GET");
  EXPECT_EQ(result.request.body, "hello");
  EXPECT_EQ(result.size, bytes.size());
  EXPECT_EQ(result.request.headers.count("Host"), 1u);
  EXPECT_EQ(result.request.headers.get("Host"), "a");
}

TEST(RequestParserTest, OneEmptyLineBeforeARequestIsSkipped) {
  const std::string bytes = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(parsed(bytes).size, bytes.size());
}

TEST(RequestParserTest, AnIncompleteRequestIsNotARefusal) {
  const std::string bytes = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto result = parse_request(std::string_view(bytes).substr(0, size), {});
    ASSERT_TRUE(result.has_value()) << size;
    EXPECT_FALSE(result->has_value()) << size;
  }
}

TEST(RequestParserTest, KeepsTheConnectionAsTheVersionAndTheClientSay) {
  const auto keeps = [](const std::string& version, const std::string& field) {
    return parsed("GET / " + version + "\r\nHost: a\r\n" + field + "\r\n").keep_alive;
  };
  EXPECT_TRUE(keeps("HTTP/1.1", ""));
  EXPECT_FALSE(keeps("HTTP/1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1", "Connection: x, Close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.0", ""));
  EXPECT_TRUE(keeps("HTTP/1.0", "Connection: Keep-Alive\r\n"));
}

TEST(RequestParserTest, KnowsWhoWaitsForContinue) {
  const auto expects = [](const std::string& version) {
    RequestParser parser({});
    const std::string head =
        "POST / " + version + "\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n";
    EXPECT_EQ(parser.feed(head), head.size());
    EXPECT_TRUE(parser.header_done());
    EXPECT_FALSE(parser.done());
    return parser.expects_continue();
  };
  EXPECT_TRUE(expects("HTTP/1.1"));
  EXPECT_FALSE(expects("HTTP/1.0")) << "RFC 9110 10.1.1";
}

TEST(RequestParserTest, RefusesWhatTwoReadersCouldReadDifferently) {
  for (const auto& [why, bytes, status] : refused_requests()) EXPECT_EQ(refusal(bytes), status) << why;
}

TEST(RequestParserTest, RefusesTheSameWhenItComesByteByByte) {
  for (const auto& [why, bytes, status] : refused_requests())
    EXPECT_EQ(refusal_byte_by_byte(bytes), status) << why;
}

TEST(RequestParserTest, AcceptsExactlyTheLimits) {
  const RequestLimits limits{.target_bytes = 10, .header_bytes = 100, .body_bytes = 5};
  const auto with_target = [](std::size_t size) {
    return "GET /" + std::string(size - 1, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  EXPECT_EQ(parsed(with_target(10), limits).request.target.size(), 10u);
  EXPECT_EQ(refusal(with_target(11), limits), 414);

  const auto with_header = [](std::size_t size) {
    const std::string start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    return start + std::string(size - start.size() - 4, 'a') + "\r\n\r\n";
  };
  EXPECT_EQ(parsed(with_header(100), limits).size, 100u);
  EXPECT_EQ(refusal(with_header(101), limits), 431);

  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(parsed(post + "Content-Length: 5\r\n\r\nhello", limits).request.body, "hello");
  EXPECT_EQ(refusal(post + "Content-Length: 6\r\n\r\n", limits), 413);
  EXPECT_EQ(parsed(post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", limits).request.body,
            "hello");
  EXPECT_EQ(refusal(post + "Transfer-Encoding: chunked\r\n\r\n4\r\nhell\r\n2\r\n", limits), 413);
}

TEST(RequestParserTest, AnEmptyChunkedBodyMayComeByteByByte) {
  const std::string bytes = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  RequestParser parser({});
  std::size_t taken = 0;
  for (std::size_t end = 1; end <= bytes.size(); ++end) {
    ASSERT_FALSE(parser.done());
    const auto fed = parser.feed(std::string_view(bytes).substr(taken, end - taken));
    ASSERT_TRUE(fed.has_value());
    taken += *fed;
  }
  EXPECT_TRUE(parser.done());
}

}  // namespace
}  // namespace instantstart::net
