// STS as far as roles go: gives credentials that name the role and who assumed it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aws/role_assumer.h"

namespace instantstart::aws {

class FakeRoles final : public RoleAssumer {
 public:
  struct Assumed {
    RoleRequest request;
    std::string by;  ///< The access key, or "web:" and the token.
  };
  std::vector<Assumed> assumed;
  std::optional<Error> failure;
  std::optional<WallTime> expiry;

  Task<Credentials> assume_role(RoleRequest request, Credentials source, net::Deadline) override {
    co_return answer(std::move(request), source.access_key_id);
  }
  Task<Credentials> assume_role_with_web_identity(RoleRequest request, Secret token, net::Deadline) override {
    co_return answer(std::move(request), "web:" + token.reveal());
  }

 private:
  Result<Credentials> answer(RoleRequest request, std::string by) {
    Credentials credentials{.access_key_id = "ASIA(" + request.role_arn + ")",
                            .secret_access_key = Secret("of " + by),
                            .session_token = Secret("session"),
                            .expiry = expiry};
    assumed.push_back({.request = std::move(request), .by = std::move(by)});
    if (failure) return fail(*failure);
    return credentials;
  }
};

}  // namespace instantstart::aws
