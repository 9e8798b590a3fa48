#include "faces/http/credential.h"

#include <gtest/gtest.h>

namespace instantstart::faces {
namespace {

net::Request request(std::string method, net::Headers headers) {
  return {.method = std::move(method), .target = "/", .headers = std::move(headers)};
}

std::string code_of(const net::Request& asked, bool cookie_allowed = true) {
  const auto credential = credential_of(asked, cookie_allowed);
  return credential ? "" : credential.error().code;
}

TEST(CredentialOf, ATokenWinsOverACookie) {
  const auto found = credential_of(
      request("POST", {{"Authorization", "Bearer  t "}, {"Cookie", "instantstart_session=s"}}), true);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Credential::Kind::token);
  EXPECT_EQ(found->secret, "t");
}

TEST(CredentialOf, ACookieReadsWithoutProofOfItsPage) {
  const auto found = credential_of(request("GET", {{"Cookie", "a=b; instantstart_session=s"}}), true);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Credential::Kind::session);
  EXPECT_EQ(found->secret, "s");
}

TEST(CredentialOf, ACookieChangesAndStaysConnectedOnlyFromOurOwnPage) {
  const net::Headers cookie{{"Cookie", "instantstart_session=s"}};
  net::Headers socket = cookie;
  socket.add("Upgrade", "websocket");
  EXPECT_EQ(code_of(request("POST", cookie)), "bad_origin");
  EXPECT_EQ(code_of(request("GET", socket)), "bad_origin");
  for (auto headers : {cookie, socket}) {
    net::Headers with_site = headers;
    with_site.add("Sec-Fetch-Site", "same-origin");
    headers.add("Origin", "http://localhost");
    EXPECT_EQ(code_of(request("POST", headers)), "");
    EXPECT_EQ(code_of(request("GET", with_site)), "");
  }
}

TEST(CredentialOf, WhereCookiesAreNotAllowedTheyProveNothing) {
  EXPECT_EQ(code_of(request("GET", {{"Cookie", "instantstart_session=s"}}), false), "unauthenticated");
  EXPECT_EQ(code_of(request("GET", {})), "unauthenticated");
  EXPECT_EQ(code_of(request("GET", {{"Authorization", "Basic dDp0"}})), "unauthenticated");
}

}  // namespace
}  // namespace instantstart::faces
