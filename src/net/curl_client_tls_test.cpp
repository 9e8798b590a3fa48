// Whom the client believes.
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "net/testing/client_fixture.h"
#include "net/testing/test_certificate.h"

namespace instantstart::net {
namespace {

/// Reading the system's roots takes a slow machine seconds.
constexpr milliseconds k_patience{100'000};

class CurlClientTls : public ClientFixture {
 protected:
  void expect_untrusted(const Result<ClientResponse>& got) {
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, codes::connection_failed) << got.error().message;
    EXPECT_EQ(got.error().detail.at("sent"), false);
    EXPECT_EQ(got.error().detail.at("reason"), "tls") << got.error().message;
  }

  TestAuthority authority;
  std::vector<std::string> requests;
};

TEST_F(CurlClientTls, AServerOfTheGivenAuthorityIsBelieved) {
  RawServer server(time.context(), always(answer("secret"), requests),
                   authority.issue({"IP:127.0.0.1", "DNS:localhost"}));
  const auto name = fmt::format("https://localhost:{}/", server.port());
  for (const auto& url : {server.url(), name, name}) {
    const auto got = send({.url = url, .ca_bundle_pem = authority.certificate_pem()});
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->body, "secret");
  }
  EXPECT_EQ(server.accepted(), 2U) << "a TLS connection is used again too";
}

TEST_F(CurlClientTls, ABundleMayHoldSeveralAuthorities) {
  const TestAuthority other("Other");
  RawServer server(time.context(), always(answer(), requests), authority.issue({"IP:127.0.0.1"}));
  const auto got =
      send({.url = server.url(), .ca_bundle_pem = other.certificate_pem() + authority.certificate_pem()});
  EXPECT_TRUE(got) << got.error().message;
}

TEST_F(CurlClientTls, AnotherNameIsNotBelieved) {
  RawServer server(time.context(), always(answer(), requests),
                   authority.issue({"DNS:other.example", "IP:127.0.0.2"}));
  expect_untrusted(send(
      {.method = "POST", .url = server.url(), .body = "x", .ca_bundle_pem = authority.certificate_pem()}));
  EXPECT_TRUE(requests.empty());
}

TEST_F(CurlClientTls, AnUnknownAuthorityIsNotBelieved) {
  RawServer server(time.context(), always(answer(), requests), authority.issue({"IP:127.0.0.1"}));
  const TestAuthority other("Test Authority");
  expect_untrusted(send({.url = server.url(), .ca_bundle_pem = other.certificate_pem()}));
  expect_untrusted(send({.url = server.url(), .connect_timeout = k_patience}));
  EXPECT_TRUE(requests.empty());
}

TEST_F(CurlClientTls, AnExpiredCertificateIsNotBelieved) {
  RawServer server(time.context(), always(answer(), requests), authority.issue({"IP:127.0.0.1"}, 0));
  expect_untrusted(send({.url = server.url(), .ca_bundle_pem = authority.certificate_pem()}));
}

TEST_F(CurlClientTls, AConnectionIsOnlySharedByThoseWhoTrustAlike) {
  RawServer server(time.context(), always(answer(), requests), authority.issue({"IP:127.0.0.1"}));
  ASSERT_TRUE(send({.url = server.url(), .ca_bundle_pem = authority.certificate_pem()}));
  expect_untrusted(send({.url = server.url(), .ca_bundle_pem = TestAuthority("Other").certificate_pem()}));
  expect_untrusted(send({.url = server.url(), .connect_timeout = k_patience}));
  EXPECT_EQ(requests.size(), 1U);
}

TEST_F(CurlClientTls, ABundleWithoutACertificateIsTheCallersMistake) {
  RawServer server(time.context(), always(answer(), requests), authority.issue({"IP:127.0.0.1"}));
  for (const char* bundle : {"nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}) {
    const auto got = send({.url = server.url(), .ca_bundle_pem = bundle});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, codes::invalid_request) << got.error().message;
    EXPECT_EQ(got.error().detail.at("sent"), false);
  }
}

TEST_F(CurlClientTls, APlainServerIsNotATlsServer) {
  RawServer server(time.context(), [](RawConnection& peer) -> asio::awaitable<void> {
    co_await peer.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    co_await peer.until_closed();
  });
  expect_untrusted(send({.method = "POST",
                         .url = fmt::format("https://127.0.0.1:{}/", server.port()),
                         .body = "x",
                         .connect_timeout = k_patience}));
}

TEST_F(CurlClientTls, AnEndWithoutGoodbyeIsABrokenBody) {
  for (const bool in_order : {true, false}) {
    RawServer server(
        time.context(),
        [in_order](RawConnection& peer) -> asio::awaitable<void> {
          co_await peer.read_request();
          co_await peer.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf of it");
          in_order ? peer.close() : peer.reset();
        },
        authority.issue({"IP:127.0.0.1"}));
    const auto got = send({.url = server.url(), .ca_bundle_pem = authority.certificate_pem()});
    ASSERT_EQ(got.has_value(), in_order);
    if (!in_order) EXPECT_EQ(got.error().code, codes::unknown_outcome);
  }
}

TEST_F(CurlClientTls, AChangeOnAReusedConnectionNeverLeavesTwice) {
  RawServer server(
      time.context(),
      [this](RawConnection& peer) -> asio::awaitable<void> {
        requests.push_back(co_await peer.read_request());
        co_await peer.write(answer());
        requests.push_back(co_await peer.read_request());
      },
      authority.issue({"IP:127.0.0.1"}));
  ASSERT_TRUE(send({.url = server.url(), .ca_bundle_pem = authority.certificate_pem()}));
  const auto got = send(
      {.method = "POST", .url = server.url(), .body = "x", .ca_bundle_pem = authority.certificate_pem()});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, codes::unknown_outcome);
  settle();
  EXPECT_EQ(server.accepted(), 1U);
  EXPECT_EQ(requests.size(), 2U);
}

}  // namespace
}  // namespace instantstart::net
