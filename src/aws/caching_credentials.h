// Credentials kept until they are nearly used up, and renewed once for everybody who waits.
#pragma once

#include <memory>
#include <optional>

#include "aws/credentials.h"
#include "base/log.h"
#include "net/signal.h"

namespace instantstart::aws {

/// With less left one caller renews and the others go on with the old ones; it does not matter if that fails.
inline constexpr std::chrono::minutes k_advisory_refresh{15};
/// With less left everybody waits for new ones. Both are botocore's (RefreshableCredentials).
inline constexpr std::chrono::minutes k_mandatory_refresh{10};

/// Loop thread only.
class CachingCredentials final : public CredentialsProvider {
 public:
  CachingCredentials(std::unique_ptr<CredentialsProvider> inner, net::Timekeeper& time, Log log)
      : inner_(std::move(inner)), time_(time), log_(std::move(log)), ended_(time) {}

  /// Errors beside the inner provider's: `credentials_expired` when even new ones have expired;
  /// `deadline_exceeded`.
  Task<Credentials> get(net::Deadline deadline) override;
  void refused(const Credentials& credentials) override;

 private:
  enum class Need { none, advisory, mandatory };

  Need need() const;
  /// Renews; the caller has made sure that nobody else does.
  Task<> refresh(net::Deadline deadline);
  /// What stays usable when renewing failed.
  Result<> without_new(Error error, Need need);

  std::unique_ptr<CredentialsProvider> inner_;
  net::Timekeeper& time_;
  Log log_;
  std::optional<Credentials> current_;
  bool refreshing_ = false;
  net::Signal ended_;                  ///< A refresh ended, in whatever way.
  std::uint64_t results_ = 0;          ///< Refreshes that ended with a result for everybody.
  std::optional<Error> last_failure_;  ///< Of the last result.
};

}  // namespace instantstart::aws
