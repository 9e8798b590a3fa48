// Who an EKS token speaks for: its presigned STS call is checked as STS would check it.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/time.h"
#include "sandbox/core/access_keys.h"

namespace instantstart::sandbox {

/// `url` is what the token holds, `cluster_name` the value that the header x-k8s-aws-id was signed with. The
/// ARN of the caller, or why it isn't believed: only GetCallerIdentity, whose signature covers that header.
/// Where the URL leads doesn't matter: it is never called.
std::expected<std::string, std::string> verify_eks_token(std::string_view url, std::string_view cluster_name,
                                                         const AccessKeys& keys, WallTime now);

}  // namespace instantstart::sandbox
