// The certificates themselves: what a strict verifier looks at.
#include "net/tls_identity.h"

#include <openssl/pem.h>

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "net/openssl_handles.h"

namespace instantstart::net {
namespace {

constexpr WallTime k_from{std::chrono::sys_days(std::chrono::year(2026) / 3 / 1)};
constexpr CertificateValidity k_validity{.not_before = k_from, .not_after = k_from + std::chrono::hours(24)};

openssl::Certificate read(const std::string& pem) {
  const auto memory = openssl::reader(pem);
  return openssl::Certificate(PEM_read_bio_X509(memory.get(), nullptr, openssl::no_passphrase, nullptr));
}

std::string extension(X509* certificate, int nid) {
  const int at = X509_get_ext_by_NID(certificate, nid, -1);
  if (at < 0) return "missing";
  X509_EXTENSION* found = X509_get_ext(certificate, at);
  const openssl::Memory memory(BIO_new(BIO_s_mem()));
  X509V3_EXT_print(memory.get(), found, 0, 0);
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return (X509_EXTENSION_get_critical(found) ? "critical " : "") +
         std::string(data, static_cast<std::size_t>(size));
}

class TlsIdentityTest : public testing::Test {
 protected:
  CertificateAuthority authority() { return make_authority("Sandbox CA", k_validity, random).value(); }
  Result<TlsIdentity> issued(const ServerNames& names) {
    return issue(authority(), names, k_validity, random);
  }
  void expect_refused(const Result<TlsIdentity>& made) {
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, codes::invalid_request) << made.error().message;
  }

  SeededRandom random{7};
};

TEST_F(TlsIdentityTest, AnAuthorityMaySignAndNamesItsKey) {
  const auto own = read(authority().certificate_pem);
  ASSERT_TRUE(own);
  EXPECT_EQ(extension(own.get(), NID_basic_constraints), "critical CA:TRUE");
  EXPECT_EQ(extension(own.get(), NID_key_usage), "critical Digital Signature, Certificate Sign, CRL Sign");
  EXPECT_EQ(X509_check_ca(own.get()), 1);
  EXPECT_NE(X509_get0_subject_key_id(own.get()), nullptr);
}

TEST_F(TlsIdentityTest, AServerCertificateHasWhatStrictVerifiersAskFor) {
  const auto signer = authority();
  const auto made =
      issue(signer, {.dns = {"localhost", "*.eks.example"}, .ip = {"127.0.0.1", "::1"}}, k_validity, random);
  ASSERT_TRUE(made) << made.error().message;
  const auto own = read(made->certificate_pem);
  const auto issuer = read(signer.certificate_pem);
  EXPECT_EQ(extension(own.get(), NID_basic_constraints), "critical CA:FALSE");
  EXPECT_EQ(extension(own.get(), NID_key_usage), "critical Digital Signature");
  EXPECT_EQ(extension(own.get(), NID_ext_key_usage), "TLS Web Server Authentication");
  EXPECT_EQ(extension(own.get(), NID_subject_alt_name),
            "DNS:localhost, DNS:*.eks.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1");
  ASSERT_NE(X509_get0_authority_key_id(own.get()), nullptr);
  EXPECT_EQ(
      ASN1_OCTET_STRING_cmp(X509_get0_authority_key_id(own.get()), X509_get0_subject_key_id(issuer.get())),
      0);
  EXPECT_EQ(X509_verify(own.get(), X509_get0_pubkey(issuer.get())), 1);
  EXPECT_EQ(X509_check_ip_asc(own.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_host(own.get(), "other.example", 0, 0, nullptr), 0);
}

TEST_F(TlsIdentityTest, OpenSslBelievesItAtItsStrictest) {
  const std::string long_name = std::string(60, 'a') + ".example";
  const auto signer = authority();
  const auto issuer = read(signer.certificate_pem);
  for (const auto& name : {std::string("localhost"), long_name}) {
    const auto made = issue(signer, {.dns = {name}}, k_validity, random);
    ASSERT_TRUE(made) << made.error().message;
    const auto own = read(made->certificate_pem);
    const std::unique_ptr<X509_STORE, openssl::Free<X509_STORE_free>> store(X509_STORE_new());
    X509_STORE_add_cert(store.get(), issuer.get());
    const std::unique_ptr<X509_STORE_CTX, openssl::Free<X509_STORE_CTX_free>> check(X509_STORE_CTX_new());
    ASSERT_EQ(X509_STORE_CTX_init(check.get(), store.get(), own.get(), nullptr), 1);
    X509_VERIFY_PARAM* how = X509_STORE_CTX_get0_param(check.get());
    X509_VERIFY_PARAM_set_flags(how, X509_V_FLAG_X509_STRICT);
    X509_VERIFY_PARAM_set_purpose(how, X509_PURPOSE_SSL_SERVER);
    X509_VERIFY_PARAM_set_time(how, std::chrono::floor<seconds>(k_from).time_since_epoch().count() + 60);
    X509_VERIFY_PARAM_set1_host(how, name.c_str(), name.size());
    EXPECT_EQ(X509_verify_cert(check.get()), 1)
        << X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get()));
  }
}

TEST_F(TlsIdentityTest, ValidityIsAsGiven) {
  const auto own = read(authority().certificate_pem);
  const auto start = std::chrono::floor<seconds>(k_from).time_since_epoch().count();
  EXPECT_EQ(ASN1_TIME_cmp_time_t(X509_get0_notBefore(own.get()), start), 0);
  EXPECT_EQ(ASN1_TIME_cmp_time_t(X509_get0_notAfter(own.get()), start + 24 * 3600), 0);
}

TEST_F(TlsIdentityTest, SerialNumbersArePositiveAndDiffer) {
  const auto first = read(authority().certificate_pem);
  const auto second = read(authority().certificate_pem);
  const ASN1_INTEGER* serial = X509_get0_serialNumber(first.get());
  EXPECT_EQ(ASN1_STRING_length(serial), 16);
  EXPECT_EQ(ASN1_STRING_type(serial), V_ASN1_INTEGER) << "not a negative one";
  EXPECT_NE(ASN1_INTEGER_cmp(serial, X509_get0_serialNumber(second.get())), 0);
}

TEST_F(TlsIdentityTest, OnlyNamesAndAddressesAreNames) {
  expect_refused(issued({}));
  for (const char* name : {"", "a b", "a,IP:127.0.0.1", "a..b", ".a", "a\n", "*"}) {
    expect_refused(issued({.dns = {name}}));
  }
  for (const char* address : {"", "localhost", "1.2.3", "1.2.3.4/8"}) {
    expect_refused(issued({.ip = {address}}));
  }
}

TEST_F(TlsIdentityTest, AnAuthorityNeedsANameAndATime) {
  EXPECT_FALSE(make_authority("", k_validity, random));
  EXPECT_FALSE(make_authority(std::string(65, 'a'), k_validity, random));
  EXPECT_FALSE(make_authority("CA", {.not_before = k_from, .not_after = k_from}, random));
}

TEST_F(TlsIdentityTest, AnAuthorityThatCannotBeReadSignsNothing) {
  auto signer = authority();
  signer.key_pem = authority().key_pem;
  expect_refused(issue(signer, {.dns = {"localhost"}}, k_validity, random));
  expect_refused(issue({}, {.dns = {"localhost"}}, k_validity, random));
}

}  // namespace
}  // namespace instantstart::net
