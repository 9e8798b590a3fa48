#include "sandbox/app/kubernetes_identity.h"

#include <chrono>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/json.h"
#include "net/tls_identity.h"

namespace instantstart::sandbox {
namespace {

constexpr std::chrono::days k_lifetime{3650};

Result<KubernetesIdentity> make_identity(const Clock& clock, Random& random) {
  const net::CertificateValidity validity{.not_before = clock.wall() - std::chrono::hours(1),
                                          .not_after = clock.wall() + k_lifetime};
  const auto authority = net::make_authority("InstantStart sandbox", validity, random);
  if (!authority) return fail(within("Make the sandbox's authority", authority.error()));
  auto server = net::issue(
      *authority, {.dns = {"localhost", "kubernetes", "kubernetes.default.svc"}, .ip = {"127.0.0.1", "::1"}},
      validity, random);
  if (!server) return fail(within("Make the API servers' certificate", server.error()));
  return KubernetesIdentity{.authority_pem = authority->certificate_pem,
                            .certificate_pem = std::move(server->certificate_pem),
                            .key_pem = std::move(server->key_pem)};
}

}  // namespace

Type describe(KubernetesIdentity*) {
  using I = KubernetesIdentity;
  return object_type<I>("KubernetesIdentity", "Who the API servers are.",
                        {field<&I::authority_pem>("authority", "A PEM certificate."),
                         field<&I::certificate_pem>("certificate", "The server's, as PEM."),
                         field<&I::key_pem>("key", "The server's, as PEM.")});
}

Result<KubernetesIdentity> kubernetes_identity(const store::StateDirectory& state, const Clock& clock,
                                               Random& random) {
  const auto text = store::read_private_file(state.path(), k_identity_file);
  if (text) {
    auto value = parse_json(*text);
    if (!value) return fail(codes::state_unusable, "The file of the API servers' certificate is damaged.");
    return decode<KubernetesIdentity>(*value);
  }
  if (text.error().code != codes::not_found) return fail(text.error());
  auto made = make_identity(clock, random);
  if (!made) return made;
  const std::string written = to_text(encode(*made));
  if (auto kept = state.write_private_file(k_identity_file, written); !kept) return fail(kept.error());
  return made;
}

}  // namespace instantstart::sandbox
