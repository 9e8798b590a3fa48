#include "net/tls_identity.h"

#include <openssl/ec.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "net/openssl_handles.h"

namespace instantstart::net {

namespace {

using openssl::Certificate;
using openssl::Key;

constexpr long k_version_3 = 2;  // RFC 5280 4.1.2.1 counts from 0.
constexpr std::size_t k_longest_common_name = 64;
constexpr std::size_t k_longest_dns_name = 253;

std::unexpected<Error> failed() {
  return fail(codes::internal, fmt::format("The certificate cannot be made: {}.", openssl::take_reason()));
}

std::string text_of(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

Result<std::string> pem_of(X509* certificate) {
  const openssl::Memory memory(BIO_new(BIO_s_mem()));
  if (!memory || PEM_write_bio_X509(memory.get(), certificate) != 1) return failed();
  return text_of(memory.get());
}

Result<std::string> pem_of(EVP_PKEY* key) {
  const openssl::Memory memory(BIO_new(BIO_s_mem()));
  if (!memory || PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return failed();
  }
  return text_of(memory.get());
}

/// Positive and never shorter than others, so that it never looks negative in DER.
bool set_serial(X509* certificate, Random& random) {
  std::array<std::uint8_t, 16> bytes{};
  random.fill(bytes);
  bytes[0] = static_cast<std::uint8_t>((bytes[0] & 0x7F) | 0x40);
  const openssl::Number number(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_validity(X509* certificate, const CertificateValidity& validity) {
  const auto in_seconds = [](WallTime time) {
    return static_cast<time_t>(std::chrono::floor<seconds>(time).time_since_epoch().count());
  };
  return ASN1_TIME_set(X509_getm_notBefore(certificate), in_seconds(validity.not_before)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), in_seconds(validity.not_after)) != nullptr;
}

bool set_common_name(X509* certificate, const std::string& name) {
  return X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), NID_commonName, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.data()),
                                    static_cast<int>(name.size()), -1, 0) == 1;
}

/// `value` is one of our constants, in the spelling of x509v3_config(5).
bool add_constant(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const openssl::Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

/// Everything but issuer, extensions and signature.
Result<Certificate> draft(EVP_PKEY* key, const std::string& common_name, const CertificateValidity& validity,
                          Random& random) {
  if (validity.not_after <= validity.not_before) {
    return fail(codes::invalid_request, "The certificate would never be valid.");
  }
  Certificate made(X509_new());
  const bool good = made && X509_set_version(made.get(), k_version_3) == 1 &&
                    set_serial(made.get(), random) && set_validity(made.get(), validity) &&
                    X509_set_pubkey(made.get(), key) == 1 &&
                    (common_name.empty() || set_common_name(made.get(), common_name));
  if (!good) return failed();
  return made;
}

bool is_dns_name(std::string_view name) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  if (name.starts_with("*.")) name.remove_prefix(2);
  return !name.empty() && name.size() <= k_longest_dns_name && !name.starts_with('.') &&
         !name.ends_with('.') && !name.contains("..") && std::ranges::all_of(name, is_good);
}

bool push(GENERAL_NAMES* all, int type, ASN1_STRING* value) {
  if (value == nullptr) return false;
  openssl::Name name(GENERAL_NAME_new());
  if (!name) {
    ASN1_STRING_free(value);
    return false;
  }
  GENERAL_NAME_set0_value(name.get(), type, value);
  if (sk_GENERAL_NAME_push(all, name.get()) <= 0) return false;
  static_cast<void>(name.release());
  return true;
}

Result<> add_names(X509* certificate, const ServerNames& names) {
  const openssl::Names all(GENERAL_NAMES_new());
  if (!all) return failed();
  for (const auto& text : names.dns) {
    if (!is_dns_name(text)) {
      return fail(codes::invalid_request, fmt::format("\"{}\" is not a host name.", text));
    }
    ASN1_STRING* value = ASN1_STRING_type_new(V_ASN1_IA5STRING);
    if (value == nullptr || ASN1_STRING_set(value, text.data(), static_cast<int>(text.size())) != 1 ||
        !push(all.get(), GEN_DNS, value)) {
      return failed();
    }
  }
  for (const auto& text : names.ip) {
    ASN1_OCTET_STRING* value = a2i_IPADDRESS(text.c_str());
    if (value == nullptr) {
      ERR_clear_error();
      return fail(codes::invalid_request, fmt::format("\"{}\" is not an IP address.", text));
    }
    if (!push(all.get(), GEN_IPADD, value)) return failed();
  }
  // RFC 5280 4.2.1.6: critical when it is the only name.
  const bool only = X509_NAME_entry_count(X509_get_subject_name(certificate)) == 0;
  if (X509_add1_ext_i2d(certificate, NID_subject_alt_name, all.get(), only ? 1 : 0, X509V3_ADD_DEFAULT) !=
      1) {
    return failed();
  }
  return {};
}

std::string common_name_of(const ServerNames& names) {
  const std::string& first = names.dns.empty() ? names.ip.front() : names.dns.front();
  return first.size() <= k_longest_common_name ? first : std::string();
}

}  // namespace

Result<CertificateAuthority> make_authority(const std::string& common_name,
                                            const CertificateValidity& validity, Random& random) {
  if (common_name.empty() || common_name.size() > k_longest_common_name) {
    return fail(codes::invalid_request, "An authority's name has 1 to 64 characters.");
  }
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return failed();
  auto made = draft(key.get(), common_name, validity, random);
  if (!made) return fail(std::move(made.error()));
  X509* own = made->get();
  const bool good = X509_set_issuer_name(own, X509_get_subject_name(own)) == 1 &&
                    add_constant(own, own, NID_basic_constraints, "critical,CA:TRUE") &&
                    add_constant(own, own, NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign") &&
                    add_constant(own, own, NID_subject_key_identifier, "hash") &&
                    X509_sign(own, key.get(), EVP_sha256()) > 0;
  if (!good) return failed();
  auto certificate_pem = pem_of(own);
  if (!certificate_pem) return fail(std::move(certificate_pem.error()));
  auto key_pem = pem_of(key.get());
  if (!key_pem) return fail(std::move(key_pem.error()));
  return CertificateAuthority{.certificate_pem = std::move(*certificate_pem), .key_pem = std::move(*key_pem)};
}

Result<TlsIdentity> issue(const CertificateAuthority& authority, const ServerNames& names,
                          const CertificateValidity& validity, Random& random) {
  if (names.dns.empty() && names.ip.empty()) {
    return fail(codes::invalid_request, "A server certificate needs a name.");
  }
  const auto certificate_text = openssl::reader(authority.certificate_pem);
  const auto key_text = openssl::reader(authority.key_pem);
  const Certificate issuer(
      PEM_read_bio_X509(certificate_text.get(), nullptr, openssl::no_passphrase, nullptr));
  const Key issuer_key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, openssl::no_passphrase, nullptr));
  if (!issuer || !issuer_key || X509_check_private_key(issuer.get(), issuer_key.get()) != 1) {
    return fail(codes::invalid_request,
                fmt::format("The authority cannot be used: {}.", openssl::take_reason()));
  }

  const Key key(EVP_EC_gen("P-256"));
  if (!key) return failed();
  auto made = draft(key.get(), common_name_of(names), validity, random);
  if (!made) return fail(std::move(made.error()));
  X509* own = made->get();
  if (auto added = add_names(own, names); !added) return fail(std::move(added.error()));
  const bool good = X509_set_issuer_name(own, X509_get_subject_name(issuer.get())) == 1 &&
                    add_constant(own, issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
                    add_constant(own, issuer.get(), NID_key_usage, "critical,digitalSignature") &&
                    add_constant(own, issuer.get(), NID_ext_key_usage, "serverAuth") &&
                    add_constant(own, issuer.get(), NID_subject_key_identifier, "hash") &&
                    add_constant(own, issuer.get(), NID_authority_key_identifier, "keyid:always") &&
                    X509_sign(own, issuer_key.get(), EVP_sha256()) > 0;
  if (!good) return failed();
  auto certificate_pem = pem_of(own);
  if (!certificate_pem) return fail(std::move(certificate_pem.error()));
  auto key_pem = pem_of(key.get());
  if (!key_pem) return fail(std::move(key_pem.error()));
  return TlsIdentity{.certificate_pem = std::move(*certificate_pem), .key_pem = std::move(*key_pem)};
}

}  // namespace instantstart::net
