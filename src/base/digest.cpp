#include "base/digest.h"

#include <cstdio>
#include <cstdlib>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace instantstart {
namespace {

/// Fetched once: looking an algorithm up by name costs more than hashing a short text.
const EVP_MD* sha256_method() {
  static const EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return method;
}

/// OpenSSL without SHA-256, or no memory: nothing could be signed or checked any more.
void must(bool worked, const char* what) {
  if (worked) return;
  std::fprintf(stderr, "OpenSSL: %s failed\n", what);
  std::abort();
}

const unsigned char* as_bytes(std::string_view text) {
  // A null key would mean "the one from before" to HMAC.
  return reinterpret_cast<const unsigned char*>(text.empty() ? "" : text.data());
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
  Sha256 digest;
  must(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, sha256_method(), nullptr) == 1,
       "SHA-256");
  return digest;
}

Sha256 hmac_sha256(std::string_view key, std::string_view bytes) {
  Sha256 digest;
  must(HMAC(sha256_method(), as_bytes(key), static_cast<int>(key.size()), as_bytes(bytes), bytes.size(),
            digest.data(), nullptr) != nullptr,
       "HMAC-SHA-256");
  return digest;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(as_bytes(a), as_bytes(b), a.size()) == 0;
}

}  // namespace instantstart
