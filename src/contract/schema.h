// Walkers over the type tables and the action table that write JSON Schema 2020-12 and OpenAPI 3.1.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>

#include "base/describe.h"
#include "contract/action.h"

namespace instantstart::contract {

struct SchemaOptions {
  /// Leaves out texts, examples and the bounds that only say how wide an integer is: for faces that count
  /// bytes.
  bool terse = false;
  /// Only words that every MCP host reads: no $ref, $defs, oneOf or allOf. Named types stand in place, a type
  /// inside itself is any object, a variant is one object with the members of all its alternatives. The
  /// decoder is as strict as ever.
  bool flat = false;
};

/// A self-contained schema. Named types that it needs more than once stand in its $defs, the others in place.
boost::json::object json_schema(const Type& type, SchemaOptions options = {});

/// The schema of all that an action takes: its own members, those in its path, ChangeOptions or PageOptions.
boost::json::object request_schema(const Action& action, SchemaOptions options = {});

/// The cookie that carries a browser's login.
inline constexpr std::string_view k_session_cookie = "instantstart_session";

/// The media type of Problem (RFC 9457).
inline constexpr std::string_view k_problem_media_type = "application/problem+json";

/// OpenAPI 3.1 for the whole table: every route with parameters, bodies, answers by status, the problem type
/// of RFC 9457. `server_version` is the product's.
boost::json::object open_api(const ActionTable& table, std::string_view server_version);

}  // namespace instantstart::contract
