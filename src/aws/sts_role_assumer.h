// Roles assumed by calls to STS.
#pragma once

#include "aws/client.h"
#include "aws/role_assumer.h"

namespace instantstart::aws {

/// Loop thread only. What it is made from outlives it.
class StsRoleAssumer final : public RoleAssumer {
 public:
  StsRoleAssumer(ClientConfig config, net::HttpClient& http, net::Timekeeper& time, Random& random, Log log)
      : config_(std::move(config)), http_(http), time_(time), random_(random), log_(std::move(log)) {}

  Task<Credentials> assume_role(RoleRequest request, Credentials source, net::Deadline deadline) override;
  Task<Credentials> assume_role_with_web_identity(RoleRequest request, Secret token,
                                                  net::Deadline deadline) override;

 private:
  ClientConfig config_;
  net::HttpClient& http_;
  net::Timekeeper& time_;
  Random& random_;
  Log log_;
};

}  // namespace instantstart::aws
