// An audit row as CloudTrail shows it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aws/shapes/cloudtrail.h"
#include "sandbox/core/audit.h"

namespace instantstart::sandbox {

aws::cloudtrail::Event make_event(const AuditEntry& entry, std::string_view account);

/// The names, ids and ARNs that the call named or was given.
std::vector<aws::cloudtrail::Resource> resources_of(const AuditEntry& entry);

/// "ec2.amazonaws.com"
std::string event_source(const AuditEntry& entry);
/// The user, or the session of a role.
std::string username(const AuditEntry& entry);
/// A UUID that is always the same for a row.
std::string event_id(const AuditEntry& entry);

}  // namespace instantstart::sandbox
