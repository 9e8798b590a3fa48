// Who the API servers are to their clients: an authority of the sandbox's own and a certificate for this
// machine's loopback names. Kept, so that a kubeconfig stays good after a restart.
#pragma once

#include <string>

#include "base/describe.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "store/state_directory.h"

namespace instantstart::sandbox {

inline constexpr std::string_view k_identity_file = "kubernetes-tls.json";

struct KubernetesIdentity {
  std::string authority_pem;    ///< What clients are told to trust.
  std::string certificate_pem;  ///< The server's.
  std::string key_pem;          ///< A secret.
};
Type describe(KubernetesIdentity*);

/// Reads it from its file (mode 0600), or makes it at the first start. Error `state_unusable` when the file
/// can't be read or understood: another identity would break what trusts the old one.
Result<KubernetesIdentity> kubernetes_identity(const store::StateDirectory& state, const Clock& clock,
                                               Random& random);

}  // namespace instantstart::sandbox
