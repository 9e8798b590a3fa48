// Certificates made while a test runs, so that none is checked in and none expires.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace instantstart::net {

struct TestCertificate {
  std::string certificate_pem;
  std::string key_pem;
};

/// An authority that nobody trusts by itself.
class TestAuthority {
 public:
  explicit TestAuthority(const std::string& common_name = "Test Authority");
  ~TestAuthority();

  const std::string& certificate_pem() const { return pem_; }

  /// A server certificate for subject alternative names in OpenSSL's spelling: "DNS:localhost",
  /// "IP:127.0.0.1". It is valid from an hour ago until `hours_left` from now.
  TestCertificate issue(const std::vector<std::string>& names, int hours_left = 24) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string pem_;
};

}  // namespace instantstart::net
