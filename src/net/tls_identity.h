// Who a TLS server is, and how to make such an identity: a self-made authority and server certificates that
// it signs. EC P-256, X.509 v3 (RFC 5280), with what strict verifiers such as Go's ask for: subject
// alternative names, basic constraints, key usage, key identifiers.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/time.h"

namespace instantstart::net {

/// The key is a secret: it goes to files of mode 0600 and nowhere else.
struct TlsIdentity {
  std::string certificate_pem;  ///< The server's own first, then what leads to a root.
  std::string key_pem;          ///< PKCS #8, not encrypted.
};

struct CertificateAuthority {
  std::string certificate_pem;  ///< What clients are told to trust.
  std::string key_pem;          ///< A secret, as above.
};

/// Both ends are included; cut to whole seconds.
struct CertificateValidity {
  WallTime not_before;
  WallTime not_after;
};

struct ServerNames {
  std::vector<std::string> dns;  ///< "localhost", "kubernetes.default.svc", "*.example".
  std::vector<std::string> ip;   ///< Literal IPv4 or IPv6 addresses.
};

/// Keys come from OpenSSL's generator; serial numbers from `random` (16 bytes, positive). Error
/// `invalid_request` when the name is empty or longer than 64 characters (RFC 5280 A.1) or the validity is
/// empty.
Result<CertificateAuthority> make_authority(const std::string& common_name,
                                            const CertificateValidity& validity, Random& random);

/// A certificate for servers only, of a key made here. Its first name is its common name too, when it fits.
/// Error `invalid_request` also when there is no name, a name is neither a host name nor an address, or the
/// authority cannot be read.
Result<TlsIdentity> issue(const CertificateAuthority& authority, const ServerNames& names,
                          const CertificateValidity& validity, Random& random);

}  // namespace instantstart::net
