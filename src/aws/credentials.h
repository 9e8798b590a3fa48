// AWS credentials as a value, and the two roles around them: a *source* is one place that may hold
// credentials, a *provider* is what the client asks and must answer. Loop thread only.
#pragma once

#include <optional>
#include <string>

#include "base/secret.h"
#include "base/time.h"
#include "net/task.h"
#include "net/time.h"

namespace instantstart::aws {

struct Credentials {
  std::string access_key_id;  ///< "AKIA…" or "ASIA…"; not a secret, it goes over the wire in clear.
  Secret secret_access_key;
  Secret session_token = {};  ///< Empty for long-term keys.
  std::optional<WallTime> expiry = {};
  std::string source = {};  ///< Where they are from, in botocore's words: "env", "assume-role", "iam-role" …
  std::string account_id = {};  ///< Where the source tells it.
  /// When these can't be renewed after their expiry they are used on, because the source (IMDS) outlives
  /// outages of what is behind it and its credentials usually still work.
  bool outlive_expiry = false;

  bool operator==(const Credentials&) const = default;
};

class CredentialsSource {
 public:
  virtual ~CredentialsSource() = default;

  /// nullopt: nothing is configured here, look elsewhere. An error: something is, and it does not work;
  /// nobody looks further, since other credentials than the configured ones would be a surprise. Errors:
  /// `credentials_invalid` (configuration, or an answer that makes no sense), and those of the calls made.
  virtual Task<std::optional<Credentials>> load(net::Deadline deadline) = 0;
};

class CredentialsProvider {
 public:
  virtual ~CredentialsProvider() = default;

  /// Error `credentials_missing` when no source has any; else as CredentialsSource::load.
  virtual Task<Credentials> get(net::Deadline deadline) = 0;

  /// AWS said that these have expired or are unknown: they are not to be handed out again without asking the
  /// source.
  virtual void refused(const Credentials& credentials) { static_cast<void>(credentials); }
};

/// Always the same ones.
class FixedCredentials final : public CredentialsProvider {
 public:
  explicit FixedCredentials(Credentials credentials) : credentials_(std::move(credentials)) {}
  Task<Credentials> get(net::Deadline) override { co_return credentials_; }

 private:
  Credentials credentials_;
};

}  // namespace instantstart::aws
