// Amazon Resource Names: "arn:partition:service:region:account:resource".
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace instantstart::aws {

struct Arn {
  std::string
      partition;  ///< "aws", "aws-cn", "aws-us-gov" …: never written as a literal, take it from the region.
  std::string service;       ///< "iam"
  std::string region = {};   ///< Empty for global services.
  std::string account = {};  ///< Twelve digits; empty for buckets, "aws" for AWS's own managed policies.
  std::string resource;      ///< "role/path/name", "cluster/x", with slashes or colons inside.

  bool operator==(const Arn&) const = default;
};

/// Error `invalid_request` when it is not an ARN: six parts, of which partition, service and resource are not
/// empty.
Result<Arn> parse_arn(std::string_view text);

std::string to_text(const Arn& arn);

/// What stands behind the last slash or colon of the resource: the name of a role, cluster or bucket.
std::string_view arn_name(const Arn& arn);

}  // namespace instantstart::aws
