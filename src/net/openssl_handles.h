// OpenSSL's objects with owners, and its reasons as text.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

namespace instantstart::net::openssl {

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
using Names = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;
using Name = std::unique_ptr<GENERAL_NAME, Free<GENERAL_NAME_free>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;
using Memory = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Context = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Free<SSL_free>>;
using Method = std::unique_ptr<BIO_METHOD, Free<BIO_meth_free>>;

/// A view for OpenSSL to read from; `bytes` must outlive it.
inline Memory reader(std::string_view bytes) {
  return Memory(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

/// Takes the oldest reason out of the thread's error queue and empties it. Names no key and no data.
inline std::string take_reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  const std::string text = reason == nullptr ? "no reason given" : reason;
  ERR_clear_error();
  return text;
}

/// What OpenSSL asks when it meets an encrypted key: there is no passphrase. Without this it asks the
/// terminal.
inline int no_passphrase(char*, int, int, void*) { return 0; }

}  // namespace instantstart::net::openssl
