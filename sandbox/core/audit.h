// The audit trail: one row a call, as CloudTrail would tell it. What tests of "exactly once" count.
#pragma once

#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

#include "base/describe.h"
#include "base/json.h"

namespace instantstart::sandbox {

struct AuditEntry {
  std::int64_t sequence = 0;  ///< In commit order, from 1, without gaps.
  std::string at;             ///< RFC 3339, wall time.
  std::string service;        ///< "ec2"
  std::string operation;      ///< "CreateSubnet"
  bool mutating = false;
  std::string principal;  ///< ARN; empty for an unsigned call.
  std::string access_key_id;
  std::string region;
  std::string request_id;
  std::string token;       ///< Idempotency token, if the call carried one.
  std::string fault;       ///< The FaultKind that hit the call, if any.
  json::object request;    ///< In API names, sensitive members hidden.
  std::string error_code;  ///< Empty: it was carried out, whether or not the answer reached the caller.
  json::object response;   ///< In API names, sensitive members hidden; of mutations that were carried out.
  std::string invoked_by;  ///< The service that called on the principal's behalf; empty for a client's call.

  bool carried_out() const { return error_code.empty(); }
};
Type describe(AuditEntry*);

/// What the audit keeps of a request or an answer: texts over 64 KiB (objects of S3) are cut, and say so.
json::object without_long_texts(json::object members);

}  // namespace instantstart::sandbox
