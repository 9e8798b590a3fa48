// RSA keys that sign JSON web tokens (RFC 7518, RS256). OpenSSL stays behind this header.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/json.h"
#include "base/result.h"

namespace instantstart::sandbox::eks {

/// 2048 bits, as PKCS #8 in PEM. Error `internal` when OpenSSL fails.
Result<std::string> make_signing_key();

/// The signature's bytes. Errors: `internal`.
Result<std::string> sign_rs256(const std::string& private_key_pem, std::string_view text);
bool verify_rs256(const std::string& private_key_pem, std::string_view text, std::string_view signature);

/// The public half as a JSON web key (RFC 7517) with its id: the SHA-256 of the key, in hex.
Result<json::object> public_jwk(const std::string& private_key_pem);

}  // namespace instantstart::sandbox::eks
