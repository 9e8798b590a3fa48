// Certificates made while a test runs, so that none is checked in and none expires.
#pragma once

#include <string>
#include <vector>

#include "net/tls_identity.h"

namespace instantstart::net {

/// An authority that nobody trusts by itself.
class TestAuthority {
 public:
  explicit TestAuthority(const std::string& common_name = "Test Authority");

  const std::string& certificate_pem() const { return authority_.certificate_pem; }

  /// A server certificate for names with their kind: "DNS:localhost", "IP:127.0.0.1". It is valid from an
  /// hour ago until `hours_left` from now.
  TlsIdentity issue(const std::vector<std::string>& names, int hours_left = 24) const;

 private:
  CertificateAuthority authority_;
};

}  // namespace instantstart::net
