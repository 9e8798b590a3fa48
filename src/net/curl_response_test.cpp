#include "net/curl_response.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace instantstart::net {
namespace {

using Verdict = CurlResponseHead::Verdict;

Verdict feed(CurlResponseHead& head, std::initializer_list<const char*> lines) {
  Verdict last = Verdict::more;
  for (const char* line : lines) last = head.add_line(line);
  return last;
}

std::vector<std::pair<std::string, std::string>> fields(const CurlResponseHead& head) {
  return {head.headers().begin(), head.headers().end()};
}

TEST(CurlResponseHead, KeepsOrderSpellingAndRepetition) {
  CurlResponseHead head;
  EXPECT_EQ(feed(head, {"HTTP/1.1 200 OK\r\n", "B-b:  one \r\n", "a:\r\n", "B-B: two:three\r\n", "\r\n"}),
            Verdict::complete);
  EXPECT_EQ(head.status(), 200);
  EXPECT_EQ(fields(head), (std::vector<std::pair<std::string, std::string>>{
                              {"B-b", "one"}, {"a", ""}, {"B-B", "two:three"}}));
}

TEST(CurlResponseHead, ReadsTheStatusLineOfHttp2) {
  CurlResponseHead head;
  EXPECT_EQ(feed(head, {"HTTP/2 404 \r\n", "\r\n"}), Verdict::complete);
  EXPECT_EQ(head.status(), 404);
}

TEST(CurlResponseHead, InterimAnswersAreDropped) {
  CurlResponseHead head;
  EXPECT_EQ(feed(head, {"HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n"}), Verdict::more);
  EXPECT_FALSE(head.complete());
  EXPECT_EQ(feed(head, {"HTTP/1.1 201 Created\r\n", "A: b\r\n", "\r\n"}), Verdict::complete);
  EXPECT_EQ(head.status(), 201);
  EXPECT_EQ(fields(head), (std::vector<std::pair<std::string, std::string>>{{"A", "b"}}));
}

TEST(CurlResponseHead, TrailersAreDropped) {
  CurlResponseHead head;
  feed(head, {"HTTP/1.1 200 OK\r\n", "A: b\r\n", "\r\n"});
  EXPECT_EQ(feed(head, {"A: c\r\n", "\r\n"}), Verdict::more);
  EXPECT_EQ(head.headers().size(), 1U);
}

TEST(CurlResponseHead, AFoldedValueIsJoinedByASpace) {
  CurlResponseHead head;
  feed(head, {"HTTP/1.1 200 OK\r\n", "A: one\r\n", "\t two\r\n", "B: c\r\n", "\r\n"});
  EXPECT_EQ(head.headers().get("a"), "one two");
  EXPECT_EQ(head.headers().get("b"), "c");
}

TEST(CurlResponseHead, WhatIsNotHttpIsMalformed) {
  for (const auto& lines : std::initializer_list<std::initializer_list<const char*>>{
           {"ICY 200 OK\r\n"},
           {"HTTP/1.1\r\n"},
           {"HTTP/1.1 20\r\n"},
           {"HTTP/1.1 2x0 OK\r\n"},
           {"HTTP/1.1 099 OK\r\n"},
           {"\r\n"},
           {"HTTP/1.1 200 OK\r\n", " folded first\r\n"},
           {"HTTP/1.1 200 OK\r\n", "no colon\r\n"},
           {"HTTP/1.1 200 OK\r\n", ": no name\r\n"},
           {"HTTP/1.1 101 Switching Protocols\r\n", "Upgrade: websocket\r\n", "\r\n"}}) {
    CurlResponseHead head;
    EXPECT_EQ(feed(head, lines), Verdict::malformed) << *lines.begin();
  }
}

TEST(CurlResponseHead, AllLinesTogetherAreBounded) {
  CurlResponseHead head;
  head.add_line("HTTP/1.1 200 OK\r\n");
  const std::string line = "A: " + std::string(995, 'x') + "\r\n";
  Verdict last = Verdict::more;
  int lines = 0;
  while (last == Verdict::more && lines < 1000) {
    last = head.add_line(line);
    ++lines;
  }
  EXPECT_EQ(last, Verdict::too_large);
  EXPECT_EQ(lines, 300);
}

}  // namespace
}  // namespace instantstart::net
