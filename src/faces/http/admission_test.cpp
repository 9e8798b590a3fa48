#include "faces/http/admission.h"

#include <gtest/gtest.h>

namespace instantstart::faces {
namespace {

net::Request request(std::string method, net::Headers headers, std::string body = "") {
  return {.method = std::move(method),
          .target = "/api/v1/operations",
          .headers = std::move(headers),
          .body = std::move(body),
          .peer = {.address = "127.0.0.1", .port = 40000, .loopback = true}};
}

std::string code_of(const Result<>& result) { return result ? "" : result.error().code; }

TEST(Admission, LoopbackNamesPassWithAnyPortFromALoopbackPeer) {
  for (const char* host : {"localhost", "localhost:3099", "127.0.0.1:8080", "[::1]:3099", "[::1]"}) {
    EXPECT_EQ(code_of(admit({}, request("GET", {{"Host", host}}))), "") << host;
  }
}

TEST(Admission, LoopbackNamesFromElsewhereAreRefused) {
  auto foreign = request("GET", {{"Host", "localhost:3099"}});
  foreign.peer = {.address = "192.0.2.7", .port = 40000, .loopback = false};
  EXPECT_EQ(code_of(admit({}, foreign)), "bad_host");
}

TEST(Admission, LookAlikeHostsAreRefused) {
  for (const char* host : {"evil.example:3099", "127.0.0.1.evil.example", "localhost.:3099", "0.0.0.0:3099",
                           "localhost:", "localhost:3099x", "LOCALHOST:3099", "127.1:3099", "2130706433",
                           "[::]:3099", "", "localhost:123456", "user@localhost:3099"}) {
    EXPECT_EQ(code_of(admit({}, request("GET", {{"Host", host}}))), "bad_host") << host;
  }
}

TEST(Admission, ConfiguredHostsPassExactlyAsSpelt) {
  const AdmissionRules rules{.allowed_hosts = {"console.example.com:443"}};
  EXPECT_EQ(code_of(admit(rules, request("GET", {{"Host", "console.example.com:443"}}))), "");
  EXPECT_EQ(code_of(admit(rules, request("GET", {{"Host", "console.example.com"}}))), "bad_host");
  EXPECT_EQ(code_of(admit(rules, request("GET", {{"Host", "console.example.com:443"},
                                                 {"Origin", "https://console.example.com:443"}}))),
            "");
}

TEST(Admission, ForeignOriginsAreRefusedOnEveryMethod) {
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    for (const char* origin :
         {"http://evil.example", "null", "http://localhost:9999", "https://127.0.0.1:3099",
          "http://127.0.0.1:3099/", "HTTP://127.0.0.1:3099", ""}) {
      EXPECT_EQ(code_of(admit({}, request(method, {{"Host", "127.0.0.1:3099"}, {"Origin", origin}}))),
                "bad_origin")
          << method << " " << origin;
    }
  }
}

TEST(Admission, TheOwnOriginPasses) {
  EXPECT_EQ(
      code_of(admit({}, request("GET", {{"Host", "127.0.0.1:3099"}, {"Origin", "http://127.0.0.1:3099"}}))),
      "");
}

TEST(Admission, TwoOriginsAreRefused) {
  EXPECT_EQ(code_of(admit({}, request("GET", {{"Host", "127.0.0.1:3099"},
                                              {"Origin", "http://127.0.0.1:3099"},
                                              {"Origin", "http://evil.example"}}))),
            "bad_origin");
}

TEST(Admission, BrowsersThatSayCrossSiteAreRefused) {
  for (const char* site : {"cross-site", "same-site", "nonsense"}) {
    EXPECT_EQ(code_of(admit({}, request("GET", {{"Host", "127.0.0.1:3099"}, {"Sec-Fetch-Site", site}}))),
              "bad_origin");
  }
  for (const char* site : {"same-origin", "none"}) {
    EXPECT_EQ(code_of(admit({}, request("GET", {{"Host", "127.0.0.1:3099"}, {"Sec-Fetch-Site", site}}))), "");
  }
}

TEST(Admission, ALinkElsewhereMayOpenThePageAndNothingElse) {
  const auto from_elsewhere = [](std::string target, std::string dest) {
    auto link = request("GET", {{"Host", "127.0.0.1:3099"},
                                {"Sec-Fetch-Site", "cross-site"},
                                {"Sec-Fetch-Mode", "navigate"},
                                {"Sec-Fetch-Dest", std::move(dest)}});
    link.target = std::move(target);
    return code_of(admit({}, link));
  };
  EXPECT_EQ(from_elsewhere("/", "document"), "");
  EXPECT_EQ(from_elsewhere("/", "iframe"), "bad_origin");
  EXPECT_EQ(from_elsewhere("/api/v1/operations", "document"), "bad_origin");
  EXPECT_EQ(from_elsewhere("/ws", "document"), "bad_origin");
}

TEST(Admission, OnlyJsonBodiesAreRead) {
  for (const char* type : {"text/plain", "multipart/form-data; boundary=x",
                           "application/x-www-form-urlencoded", "application/jsonp", ""}) {
    EXPECT_EQ(code_of(admit({}, request("POST", {{"Host", "localhost"}, {"Content-Type", type}}, "{}"))),
              "unsupported_media_type")
        << type;
  }
  EXPECT_EQ(code_of(admit({}, request("POST", {{"Host", "localhost"}}, "{}"))), "unsupported_media_type");
  EXPECT_EQ(
      code_of(admit(
          {}, request("POST", {{"Host", "localhost"}, {"Content-Type", "Application/JSON; charset=utf-8"}},
                      "{}"))),
      "");
  EXPECT_EQ(code_of(admit({}, request("POST", {{"Host", "localhost"}}))), "");
}

TEST(Admission, PreflightIsNeverAnswered) {
  EXPECT_EQ(code_of(admit({}, request("OPTIONS", {{"Host", "localhost"}}))), "method_not_allowed");
}

}  // namespace
}  // namespace instantstart::faces
