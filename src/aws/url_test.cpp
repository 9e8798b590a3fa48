#include "aws/url.h"

#include <gtest/gtest.h>

namespace instantstart::aws {
namespace {

TEST(ParseUrl, GivesThePartsAsWritten) {
  const auto url = parse_url("https://API.example.com:8443/a%2Fb/?x=1&y");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "api.example.com");
  EXPECT_EQ(url->authority, "api.example.com:8443");
  EXPECT_EQ(url->path, "/a%2Fb/");
  EXPECT_EQ(url->query, "x=1&y");
}

TEST(ParseUrl, LeavesOutTheSchemesOwnPort) {
  EXPECT_EQ(parse_url("https://h:443")->authority, "h");
  EXPECT_EQ(parse_url("http://h:80/")->authority, "h");
  EXPECT_EQ(parse_url("http://h:443/")->authority, "h:443");
  EXPECT_EQ(parse_url("http://h?x")->path, "/");
  EXPECT_EQ(parse_url("http://h?x")->query, "x");
}

TEST(ParseUrl, KnowsAddressesOfTheLoopback) {
  for (const auto url : {"http://127.0.0.1", "http://127.255.0.3:1/", "http://[::1]/", "http://LOCALHOST/"}) {
    ASSERT_TRUE(parse_url(url)) << url;
    EXPECT_TRUE(parse_url(url)->loopback) << url;
  }
  for (const auto url : {"http://128.0.0.1", "http://127.0.0.1.evil.example/", "http://127.0.0.1x/",
                         "http://127.1/", "http://[::2]/", "http://localhost.evil.example/"}) {
    ASSERT_TRUE(parse_url(url)) << url;
    EXPECT_FALSE(parse_url(url)->loopback) << url;
  }
  EXPECT_EQ(parse_url("http://[FD00:ec2::23]:8080/v1")->host, "fd00:ec2::23");
  EXPECT_EQ(parse_url("http://[FD00:ec2::23]:8080/v1")->authority, "[fd00:ec2::23]:8080");
}

TEST(ParseUrl, RefusesWhatAnotherReaderMightUnderstandOtherwise) {
  for (const auto url : {"",
                         "http://",
                         "http:///x",
                         "ftp://h/",
                         "h/x",
                         "//h/x",
                         "http://user@h/",
                         "http://user:pw@h/",
                         "http://h/#f",
                         "http://h\\@evil/",
                         "http://h /",
                         "http://h/\r\nX: y",
                         "http://h:0/",
                         "http://h:65536/",
                         "http://h:/",
                         "http://h:x/",
                         "http://[::1/",
                         "http://[::1]x/",
                         "http://[h]/",
                         "http://%68/",
                         "http://h\xc3\xa9/"}) {
    EXPECT_FALSE(parse_url(url)) << url;
  }
}

}  // namespace
}  // namespace instantstart::aws
