// Where the bearer token of a cluster comes from.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "aws/eks_token.h"
#include "base/secret.h"
#include "net/task.h"
#include "net/time.h"

namespace instantstart::aws {
class Account;
}

namespace instantstart::kube {

/// Loop thread only.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  /// A token that is good for some minutes yet.
  virtual Task<Secret> token(net::Deadline deadline) = 0;
  /// The server refused this one: the next is a new one, where there can be one.
  virtual void refused(const Secret& token) = 0;
};

/// The same token for ever.
std::unique_ptr<TokenSource> static_token(Secret token);

/// Renewed when less is left. A token is looked at when a call begins, and the longest call is a watch's
/// header.
inline constexpr std::chrono::minutes k_token_refresh{4};

/// Keeps a token until k_token_refresh before its end. When a new one can't be had, the old one is used as
/// long as it lives. `time` outlives it.
std::unique_ptr<TokenSource> refreshed_token(std::function<Task<aws::EksToken>(net::Deadline)> make,
                                             net::Timekeeper& time);

/// The native token of an EKS cluster in the account's region. Both outlive it.
std::unique_ptr<TokenSource> eks_token_source(aws::Account& account, std::string cluster_name,
                                              net::Timekeeper& time);

}  // namespace instantstart::kube
