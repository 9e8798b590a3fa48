#include "net/http_response.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace instantstart::net {
namespace {

using namespace std::string_literals;

class NoPieces final : public BodyStream {
 public:
  asio::awaitable<std::optional<std::string>> next() override { co_return std::nullopt; }
};

constexpr std::string_view k_date = "Sun, 06 Nov 1994 08:49:37 GMT";

ResponseHead head_of(const Response& response, ResponseContext context = {}) {
  context.date = k_date;
  auto head = make_response_head(response, context);
  EXPECT_TRUE(head.has_value());
  return head ? std::move(*head) : ResponseHead{};
}

Response streaming() { return {.body = std::make_unique<NoPieces>()}; }

TEST(ResponseHeadTest, ASizedBody) {
  const auto head = head_of({.status = 201, .headers = {{"X-A", "1"}, {"X-A", "2"}}, .body = "hello"});
  EXPECT_EQ(head.text,
            "HTTP/1.1 201 Created\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 5\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
  EXPECT_EQ(head.framing, BodyFraming::sized);
  EXPECT_TRUE(head.keep_alive);
}

TEST(ResponseHeadTest, AStreamIsChunkedOrEndsWithTheConnection) {
  const auto modern = head_of(streaming());
  EXPECT_EQ(modern.framing, BodyFraming::chunked);
  EXPECT_TRUE(modern.text.contains("Transfer-Encoding: chunked\r\n"));
  EXPECT_FALSE(modern.text.contains("Content-Length"));
  const auto old = head_of(streaming(), {.http_1_0 = true});
  EXPECT_EQ(old.framing, BodyFraming::until_close);
  EXPECT_FALSE(old.text.contains("Transfer-Encoding"));
  EXPECT_TRUE(old.text.contains("Connection: close\r\n"));
  EXPECT_FALSE(old.keep_alive);
}

TEST(ResponseHeadTest, HeadHasTheHeaderOfGet) {
  const auto sized = head_of({.body = "hello"}, {.head = true});
  EXPECT_EQ(sized.framing, BodyFraming::none);
  EXPECT_TRUE(sized.text.contains("Content-Length: 5\r\n"));
  const auto stream = head_of(streaming(), {.head = true});
  EXPECT_EQ(stream.framing, BodyFraming::none);
  EXPECT_TRUE(stream.text.contains("Transfer-Encoding: chunked\r\n"));
  const auto own = head_of({.headers = {{"Content-Length", "99"}}}, {.head = true});
  EXPECT_TRUE(own.text.contains("Content-Length: 99\r\n"));
}

TEST(ResponseHeadTest, SomeStatusesEndWithTheirHeader) {
  for (const int status : {204, 304}) {
    const auto head = head_of({.status = status, .body = "ignored"});
    EXPECT_EQ(head.framing, BodyFraming::none) << status;
    EXPECT_FALSE(head.text.contains("Content-Length")) << status;
  }
}

TEST(ResponseHeadTest, FramingIsTheServersBusiness) {
  const auto head = head_of({.headers = {{"content-length", "1"},
                                         {"Transfer-Encoding", "chunked"},
                                         {"Keep-Alive", "timeout=5"},
                                         {"Connection", "keep-alive"}},
                             .body = "hello"});
  EXPECT_EQ(head.text, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
}

TEST(ResponseHeadTest, TheConnectionClosesWhenEitherSideWantsThat) {
  EXPECT_FALSE(head_of({.headers = {{"connection", "x, Close"}}}).keep_alive);
  EXPECT_FALSE(head_of({}, {.keep_alive = false}).keep_alive);
  EXPECT_TRUE(head_of({}, {.keep_alive = false}).text.contains("Connection: close\r\n"));
  EXPECT_TRUE(head_of({}, {.http_1_0 = true}).text.contains("Connection: keep-alive\r\n"));
}

TEST(ResponseHeadTest, ADateOfTheHandlerIsKept) {
  const auto head = head_of({.headers = {{"Date", "Mon, 07 Nov 1994 08:49:37 GMT"}}});
  EXPECT_TRUE(head.text.contains("Date: Mon"));
  EXPECT_FALSE(head.text.contains("Date: Sun"));
}

TEST(ResponseHeadTest, AHeaderThatWouldSplitIsAnError) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"X", "a\r\nSet-Cookie: b"},
      {"X", "a\nb"},
      {"X", "a\rb"},
      {"X", "a\0b"s},
      {"X", "\x1b[31m"},
      {"X\r\nY", "a"},
      {"X Y", "a"},
      {"X:", "a"},
      {"", "a"},
      {"Content-Length", "1\r\nX: y"},
      {"Connection", "close\r\nX: y"},
  };
  for (const auto& [name, value] : table) {
    const auto head = make_response_head({.headers = {{name, value}}}, {.date = k_date});
    ASSERT_FALSE(head.has_value()) << name << ": " << value;
    EXPECT_EQ(head.error().code, codes::internal);
    EXPECT_FALSE(head.error().message.contains("Set-Cookie")) << "the value may be a secret";
  }
}

TEST(ResponseHeadTest, OnlyFinalStatusesCanBeSent) {
  for (const int status : {0, 100, 101, 199, 600, -200, 1000}) {
    EXPECT_FALSE(make_response_head({.status = status}, {.date = k_date}).has_value()) << status;
  }
  EXPECT_TRUE(head_of({.status = 299}).text.starts_with("HTTP/1.1 299 \r\n"));
}

TEST(HttpDateTest, IsAnImfFixdate) {
  using namespace std::chrono;
  EXPECT_EQ(http_date(sys_days(year(1994) / 11 / 6) + hours(8) + minutes(49) + seconds(37)), k_date);
  EXPECT_EQ(http_date(sys_days(year(2026) / 1 / 1) + milliseconds(999)), "Thu, 01 Jan 2026 00:00:00 GMT");
}

TEST(HttpDateTest, IsMadeAnewEachSecond) {
  using namespace std::chrono;
  HttpDate date;
  const WallTime noon = sys_days(year(2026) / 1 / 1) + hours(12);
  EXPECT_EQ(date.text(noon), "Thu, 01 Jan 2026 12:00:00 GMT");
  EXPECT_EQ(date.text(noon + milliseconds(999)), "Thu, 01 Jan 2026 12:00:00 GMT");
  EXPECT_EQ(date.text(noon + milliseconds(1'000)), "Thu, 01 Jan 2026 12:00:01 GMT");
  EXPECT_EQ(date.text(noon), "Thu, 01 Jan 2026 12:00:00 GMT");
}

}  // namespace
}  // namespace instantstart::net
