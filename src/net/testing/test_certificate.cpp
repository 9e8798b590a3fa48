#include "net/testing/test_certificate.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <stdexcept>

#include "base/text.h"

namespace instantstart::net {

namespace {

template <auto free>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Memory = std::unique_ptr<BIO, Free<BIO_free_all>>;

constexpr long k_hour_seconds = 3600;
constexpr long k_version_3 = 2;  // RFC 5280 4.1.2.1 counts from 0.

void check(bool good) {
  if (!good) throw std::runtime_error("OpenSSL failed to make a test certificate");
}

Key make_key() {
  Key key(EVP_EC_gen("P-256"));
  check(key != nullptr);
  return key;
}

std::string text_of(const Memory& memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  Memory memory(BIO_new(BIO_s_mem()));
  check(PEM_write_bio_X509(memory.get(), certificate) == 1);
  return text_of(memory);
}

std::string pem_of(EVP_PKEY* key) {
  Memory memory(BIO_new(BIO_s_mem()));
  check(PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return text_of(memory);
}

void add_extension(X509* certificate, int nid, const std::string& value) {
  Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str()));
  check(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

void set_name(X509_NAME* name, const std::string& common_name) {
  check(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                                   0) == 1);
}

/// Everything but issuer, extensions and signature.
Certificate draft(EVP_PKEY* key, const std::string& common_name, long serial, int hours_left) {
  Certificate made(X509_new());
  check(made != nullptr);
  check(X509_set_version(made.get(), k_version_3) == 1);
  check(ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial) == 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -k_hour_seconds);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), hours_left * k_hour_seconds);
  check(X509_set_pubkey(made.get(), key) == 1);
  set_name(X509_get_subject_name(made.get()), common_name);
  return made;
}

}  // namespace

struct TestAuthority::State {
  Key key = make_key();
  Certificate certificate;
};

TestAuthority::TestAuthority(const std::string& common_name) : state_(std::make_unique<State>()) {
  state_->certificate = draft(state_->key.get(), common_name, 1, 24);
  X509* own = state_->certificate.get();
  check(X509_set_issuer_name(own, X509_get_subject_name(own)) == 1);
  add_extension(own, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(own, NID_key_usage, "critical,keyCertSign,cRLSign");
  check(X509_sign(own, state_->key.get(), EVP_sha256()) > 0);
  pem_ = pem_of(own);
}

TestAuthority::~TestAuthority() = default;

TestCertificate TestAuthority::issue(const std::vector<std::string>& names, int hours_left) const {
  const Key key = make_key();
  const Certificate made = draft(key.get(), "test server", 2, hours_left);
  check(X509_set_issuer_name(made.get(), X509_get_subject_name(state_->certificate.get())) == 1);
  add_extension(made.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(made.get(), NID_subject_alt_name, join(names, ","));
  check(X509_sign(made.get(), state_->key.get(), EVP_sha256()) > 0);
  return {.certificate_pem = pem_of(made.get()), .key_pem = pem_of(key.get())};
}

}  // namespace instantstart::net
