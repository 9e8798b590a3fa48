#include "net/testing/test_certificate.h"

#include <chrono>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/random.h"
#include "base/time.h"

namespace instantstart::net {

namespace {

/// Clients that are not ours look at the real clock.
CertificateValidity validity(int hours_left) {
  const auto now = SystemClock().wall();
  return {.not_before = now - std::chrono::hours(1), .not_after = now + std::chrono::hours(hours_left)};
}

template <class T>
T good(Result<T> made) {
  if (!made) throw std::runtime_error(made.error().message);
  return std::move(*made);
}

}  // namespace

TestAuthority::TestAuthority(const std::string& common_name) {
  SystemRandom random;
  authority_ = good(make_authority(common_name, validity(24), random));
}

TlsIdentity TestAuthority::issue(const std::vector<std::string>& names, int hours_left) const {
  constexpr std::string_view k_dns = "DNS:";
  constexpr std::string_view k_ip = "IP:";
  ServerNames sorted;
  for (const auto& name : names) {
    if (name.starts_with(k_dns)) sorted.dns.push_back(name.substr(k_dns.size()));
    if (name.starts_with(k_ip)) sorted.ip.push_back(name.substr(k_ip.size()));
  }
  SystemRandom random;
  return good(net::issue(authority_, sorted, validity(hours_left), random));
}

}  // namespace instantstart::net
