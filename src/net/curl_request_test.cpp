#include "net/curl_request.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace instantstart::net {
namespace {

std::vector<std::string> lines_of(CurlRequest& request) {
  std::vector<std::string> lines;
  for (const curl_slist* node = request.headers.list(); node != nullptr; node = node->next) {
    lines.emplace_back(node->data);
  }
  return lines;
}

bool url_is_good(const std::string& url) {
  const auto made = make_curl_request({.url = url});
  if (!made) {
    EXPECT_EQ(made.error().code, codes::invalid_request) << url;
    EXPECT_EQ(made.error().detail.at("sent"), false) << url;
  }
  return made.has_value();
}

TEST(CurlRequest, UrlsThatCanBeSentAsTheyAre) {
  for (const char* url : {"http://a", "https://a.example:8443/b/../c?d=e&f=%2F", "HTTP://A/",
                          "https://127.0.0.1/", "https://[::1]:6443/x", "http://a_b.example./", "https://a?x",
                          "https://a/{b}|c^d`e\"<f>\\g[h]", "https://a/b?c?d/e@f:g", "http://1a.example/"}) {
    EXPECT_TRUE(url_is_good(url)) << url;
  }
}

TEST(CurlRequest, UrlsThatMeanSomethingElseAreRefused) {
  for (const char* url : {"",
                          "a",
                          "/etc/passwd",
                          "file:///etc/passwd",
                          "ftp://a/",
                          "javascript:alert(1)",
                          "http:/a",
                          "http:a",
                          "http://",
                          "http:///a",
                          "http://?a",
                          "http://a b/",
                          "http://a/b c",
                          "http://a/\r\nX: y",
                          "http://a/\tb",
                          "http://a/\x7F",
                          "http://\xC3\xA4.example/",
                          "http://a/\xC3\xA4",
                          "http://user@a/",
                          "http://user:word@a/",
                          "http://a@127.0.0.1/",
                          "http://a/#b",
                          "http://a:/",
                          "http://a:x/",
                          "http://a:123456/",
                          "http://[::1",
                          "http://[::1]x/",
                          "http://[a]/",
                          "http://0x7f.1/",
                          "http://127.1/",
                          "http://2130706433/",
                          "http://1.2.3.4.5/",
                          "http://0177.0.0.1/",
                          "http://a../",
                          "http://a%2e/",
                          "http://a\\b/",
                          "http://[fe80::1%25eth0]/"}) {
    EXPECT_FALSE(url_is_good(url)) << url;
  }
}

TEST(CurlRequest, UrlsWithNulAreRefused) { EXPECT_FALSE(url_is_good(std::string("http://a/b\0c", 12))); }

TEST(CurlRequest, MessagesShowNeitherPathNorQuery) {
  const auto made = make_curl_request({.url = "https://a/key-of-mine?signature=secret#x"});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message.find("secret"), std::string::npos);
  EXPECT_EQ(made.error().message.find("key-of-mine"), std::string::npos);
}

TEST(CurlRequest, OnlySixMethods) {
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}) {
    EXPECT_TRUE(make_curl_request({.method = method, .url = "http://a/"})) << method;
  }
  for (const char* method : {"", "get", "CONNECT", "TRACE", "OPTIONS", "GET / HTTP/1.1\r\nX:"}) {
    EXPECT_FALSE(make_curl_request({.method = method, .url = "http://a/"})) << method;
  }
  EXPECT_FALSE(make_curl_request({.method = "HEAD", .url = "http://a/", .body = "x"}));
}

TEST(CurlRequest, HeadersThatWouldChangeTheMessageAreRefused) {
  const std::vector<std::pair<std::string, std::string>> bad = {{"", "x"},
                                                                {"A B", "x"},
                                                                {"A:", "x"},
                                                                {"A\r\nB", "x"},
                                                                {"A;", "x"},
                                                                {"A", "x\r\nB: c"},
                                                                {"A", "x\n"},
                                                                {"A", std::string("x\0y", 3)},
                                                                {"A", " x"},
                                                                {"A", "x\t"},
                                                                {"A", "\x7F"},
                                                                {"Content-Length", "3"},
                                                                {"host", ""},
                                                                {"transfer-encoding", "chunked"},
                                                                {"Connection", "close"},
                                                                {"Expect", "100-continue"},
                                                                {"Upgrade", "h2c"},
                                                                {"TE", "trailers"}};
  for (const auto& [name, value] : bad) {
    ClientRequest request{.url = "http://a/"};
    request.headers.add(name, value);
    EXPECT_FALSE(make_curl_request(request)) << name << " = " << value;
  }
  EXPECT_FALSE(make_curl_request({.url = "http://a/", .headers = {{"Host", "a"}, {"host", "b"}}}));
}

TEST(CurlRequest, MessagesDoNotShowHeaderValues) {
  const auto made =
      make_curl_request({.url = "http://a/", .headers = {{"Authorization", "Bearer secret\n"}}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message.find("secret"), std::string::npos);
}

TEST(CurlRequest, HeaderLinesAreInLibcurlsForm) {
  auto made = make_curl_request({.method = "POST",
                                 .url = "http://a/",
                                 .headers = {{"X-Two", "b  c"}, {"x-one", ""}, {"X-Two", "\xC3\xA4"}}});
  ASSERT_TRUE(made);
  EXPECT_EQ(lines_of(*made), (std::vector<std::string>{"X-Two: b  c", "x-one;", "X-Two: \xC3\xA4",
                                                       "Accept:", "Content-Type:", "Expect:"}));
}

TEST(CurlRequest, NothingIsSuppressedThatWasGiven) {
  auto made = make_curl_request({.method = "PUT",
                                 .url = "http://a/",
                                 .headers = {{"accept", "text/html"}, {"CONTENT-TYPE", "text/plain"}},
                                 .body = "x"});
  ASSERT_TRUE(made);
  EXPECT_EQ(lines_of(*made),
            (std::vector<std::string>{"accept: text/html", "CONTENT-TYPE: text/plain", "Expect:"}));
}

TEST(CurlRequest, LoopbackIsKnownByItsSpelling) {
  for (const char* url : {"http://localhost", "http://LOCALHOST:80/", "http://a.localhost./",
                          "http://127.8.9.1/", "http://[::1]/"}) {
    EXPECT_TRUE(make_curl_request({.url = url})->loopback_host) << url;
  }
  for (const char* url :
       {"http://localhost.example/", "http://128.0.0.1/", "http://[::2]/", "http://alocalhost/"}) {
    EXPECT_FALSE(make_curl_request({.url = url})->loopback_host) << url;
  }
}

TEST(CurlRequest, OnlyReadsAndMarkedRequestsMayBeRepeated) {
  EXPECT_TRUE(make_curl_request({.url = "http://a/"})->repeatable);
  EXPECT_TRUE(make_curl_request({.method = "HEAD", .url = "http://a/"})->repeatable);
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    EXPECT_FALSE(make_curl_request({.method = method, .url = "http://a/"})->repeatable) << method;
    EXPECT_TRUE(make_curl_request({.method = method, .url = "http://a/", .idempotent = true})->repeatable);
  }
}

}  // namespace
}  // namespace instantstart::net
