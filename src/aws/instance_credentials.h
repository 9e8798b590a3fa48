// The role of an EC2 instance, from its metadata service.
#pragma once

#include <string_view>

#include "aws/credentials.h"
#include "aws/credentials_context.h"
#include "aws/instance_metadata.h"
#include "aws/shared_config.h"

namespace instantstart::aws {

class InstanceCredentials final : public CredentialsSource {
 public:
  /// The config outlives this.
  InstanceCredentials(CredentialsContext context, const SharedConfig& config)
      : context_(std::move(context)), config_(config) {}

  /// nullopt also when there is no metadata service, no role, or an answer that is incomplete: this is the
  /// last place that is looked at, whether it was meant or not.
  Task<std::optional<Credentials>> load(net::Deadline deadline) override;

 private:
  CredentialsContext context_;
  const SharedConfig& config_;
};

/// The expiry that is believed. Credentials that the service could not renew in time are used on: they are
/// asked for again after the refresh window and 2 to 10 minutes (`spread` in [0, 1) chooses; AWS's static
/// stability).
WallTime stretched_expiry(WallTime expiry, WallTime now, double spread);

}  // namespace instantstart::aws
