#include "faces/web/web.h"

#include <algorithm>
#include <array>
#include <set>

#include <gtest/gtest.h>

namespace instantstart::faces {
namespace {

constexpr std::array<unsigned char, 2> k_bytes{'h', 'i'};
constexpr EmbeddedFile k_document{"/", k_bytes, "\"d\""};
constexpr EmbeddedFile k_script{"/main.js", k_bytes, "\"s\""};

net::Request request(std::string method, net::Headers headers = {}) {
  return {.method = std::move(method), .target = "/", .headers = std::move(headers)};
}

std::string body_of(const net::Response& response) { return std::get<std::string>(response.body); }

TEST(ServeFile, TheDocumentIsKeptByNobody) {
  const auto response = serve_file(k_document, request("GET", {{"If-None-Match", "*"}}), "id");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("Cache-Control"), "no-store");
  EXPECT_EQ(response.headers.get("Content-Type"), "text/html; charset=utf-8");
  EXPECT_FALSE(response.headers.contains("ETag"));
  EXPECT_EQ(body_of(response), "hi");
}

TEST(ServeFile, WhatTheBrowserHasIsNotSentAgain) {
  for (const char* known : {"\"s\"", "W/\"s\"", "\"a\", \"s\"", "*"}) {
    const auto response = serve_file(k_script, request("GET", {{"If-None-Match", known}}), "id");
    EXPECT_EQ(response.status, 304) << known;
    EXPECT_EQ(body_of(response), "");
    EXPECT_EQ(response.headers.get("ETag"), "\"s\"");
  }
  for (const char* known : {"\"t\"", "s", ""}) {
    const auto response = serve_file(k_script, request("GET", {{"If-None-Match", known}}), "id");
    EXPECT_EQ(response.status, 200) << known;
    EXPECT_EQ(response.headers.get("Cache-Control"), "no-cache");
    EXPECT_EQ(response.headers.get("Content-Type"), "text/javascript; charset=utf-8");
  }
}

TEST(ServeFile, EveryAnswerAllowsNothingButOurOwn) {
  for (const auto& file : {k_document, k_script}) {
    const auto response = serve_file(file, request("GET"), "id");
    const std::string policy(response.headers.get("Content-Security-Policy"));
    EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'self'"));
    EXPECT_FALSE(policy.contains("unsafe"));
    EXPECT_TRUE(policy.contains("require-trusted-types-for 'script'"));
    EXPECT_EQ(response.headers.get("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(response.headers.get("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(response.headers.count("Content-Security-Policy"), 1U);
  }
}

TEST(ServeFile, OtherMethodsAreRefused) {
  const auto response = serve_file(k_script, request("POST"), "id");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.get("Allow"), "GET, HEAD");
}

TEST(ContentType, FollowsTheEnding) {
  EXPECT_EQ(content_type_of("/a.css"), "text/css; charset=utf-8");
  EXPECT_EQ(content_type_of("/a.svg"), "image/svg+xml");
  EXPECT_EQ(content_type_of("/a.exe"), "application/octet-stream");
}

TEST(EmbeddedFiles, AreThePageWithNothingInline) {
  std::set<std::string_view> paths;
  for (const auto& file : embedded_files()) {
    EXPECT_TRUE(paths.insert(file.path).second) << file.path;
    EXPECT_NE(content_type_of(file.path), "application/octet-stream") << file.path;
    const std::string text(file.bytes.begin(), file.bytes.end());
    // What a strict policy refuses, and what would make markup of a text.
    for (const char* unwanted : {"<style", " style=", " onclick=", "javascript:", "innerHTML",
                                 "insertAdjacentHTML", "document.write", "eval(", "https://"}) {
      EXPECT_FALSE(text.contains(unwanted)) << file.path << " has " << unwanted;
    }
    if (file.path == "/") EXPECT_FALSE(text.contains("<script>"));
  }
  EXPECT_TRUE(paths.contains("/"));
  EXPECT_TRUE(paths.contains("/main.js"));
  EXPECT_TRUE(paths.contains("/style.css"));
}

}  // namespace
}  // namespace instantstart::faces
