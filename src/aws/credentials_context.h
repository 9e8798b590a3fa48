// What the credential sources work with. References: all of it outlives them.
#pragma once

#include "aws/environment.h"
#include "aws/role_assumer.h"
#include "base/log.h"
#include "base/random.h"
#include "net/http_client.h"
#include "net/time.h"

namespace instantstart::aws {

struct CredentialsContext {
  const Environment& environment;
  net::HttpClient& http;
  RoleAssumer& roles;
  net::Timekeeper& time;
  Random& random;
  Log log = {};
};

}  // namespace instantstart::aws
