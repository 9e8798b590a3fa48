// ARNs of IAM principals, taken apart. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace instantstart::sandbox::eks {

enum class PrincipalKind { user, role, session, root };

struct Principal {
  PrincipalKind kind = PrincipalKind::user;
  std::string partition;
  std::string account;
  std::string path;     ///< "/team/" of users and roles; "/" of the rest.
  std::string name;     ///< Of the user or role; of the role behind a session.
  std::string session;  ///< Of a session.
};

/// nullopt for what is no ARN of a principal.
std::optional<Principal> parse_principal(std::string_view arn);

/// The username that EKS gives an entry without one: "Create access entries" in the EKS user guide. The ARN's
/// own for users; "arn:aws:sts::123456789012:assumed-role/dev/{{SessionName}}" for roles.
std::string default_username(const Principal& principal, std::string_view arn, std::string_view entry_type);

/// Fills in {{SessionName}}, {{SessionNameRaw}}, {{AccountID}} and {{EC2PrivateDNSName}}; the last is the
/// session's name too, since EC2 names sessions of nodes after the instance.
std::string expand_username(std::string_view username, const Principal& caller);

}  // namespace instantstart::sandbox::eks
