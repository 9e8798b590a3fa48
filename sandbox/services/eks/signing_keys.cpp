#include "sandbox/services/eks/signing_keys.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <memory>

#include "base/digest.h"
#include "base/error_codes.h"

namespace instantstart::sandbox::eks {
namespace {

template <auto free>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Digest = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using Memory = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;

constexpr unsigned k_bits = 2048;

std::unexpected<Error> broken(std::string what) {
  return fail(codes::internal, "OpenSSL could not " + std::move(what) + ".");
}

Key parse(const std::string& pem) {
  const Memory memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return memory ? Key(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr)) : nullptr;
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// A number of the key, big-endian, as base64url.
Result<std::string> number_of(const Key& key, const char* name) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key.get(), name, &raw) != 1) return broken("read a key's number");
  const Number number(raw);
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number.get())), '\0');
  BN_bn2bin(number.get(), reinterpret_cast<unsigned char*>(bytes.data()));
  return to_base64url(bytes);
}

}  // namespace

Result<std::string> make_signing_key() {
  const Key key(EVP_RSA_gen(k_bits));
  const Memory memory(BIO_new(BIO_s_mem()));
  if (!key || !memory ||
      PEM_write_bio_PrivateKey(memory.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return broken("make a signing key");
  }
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

Result<std::string> sign_rs256(const std::string& private_key_pem, std::string_view text) {
  const Key key = parse(private_key_pem);
  const Digest digest(EVP_MD_CTX_new());
  std::size_t size = 0;
  if (!key || !digest || EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_DigestSign(digest.get(), nullptr, &size, bytes_of(text), text.size()) != 1) {
    return broken("sign a token");
  }
  std::string signature(size, '\0');
  auto* out = reinterpret_cast<unsigned char*>(signature.data());
  if (EVP_DigestSign(digest.get(), out, &size, bytes_of(text), text.size()) != 1) {
    return broken("sign a token");
  }
  signature.resize(size);
  return signature;
}

bool verify_rs256(const std::string& private_key_pem, std::string_view text, std::string_view signature) {
  const Key key = parse(private_key_pem);
  const Digest digest(EVP_MD_CTX_new());
  return key && digest &&
         EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
         EVP_DigestVerify(digest.get(), bytes_of(signature), signature.size(), bytes_of(text), text.size()) ==
             1;
}

Result<json::object> public_jwk(const std::string& private_key_pem) {
  const Key key = parse(private_key_pem);
  if (!key) return broken("read a signing key");
  const auto modulus = number_of(key, OSSL_PKEY_PARAM_RSA_N);
  if (!modulus) return std::unexpected(modulus.error());
  const auto exponent = number_of(key, OSSL_PKEY_PARAM_RSA_E);
  if (!exponent) return std::unexpected(exponent.error());
  return json::object{{"kty", "RSA"},  {"use", "sig"},  {"alg", "RS256"}, {"kid", to_hex(sha256(*modulus))},
                      {"n", *modulus}, {"e", *exponent}};
}

}  // namespace instantstart::sandbox::eks
