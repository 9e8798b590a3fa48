// How answers of the HTTP faces look: JSON, problem details, and the headers that every one of them carries.
#pragma once

#include <string>

#include <boost/json/value.hpp>

#include "base/error.h"
#include "net/http.h"

namespace instantstart::faces {

net::Response json_response(int status, const boost::json::value& body, const std::string& request_id);

/// RFC 9457, with Retry-After and WWW-Authenticate where the status wants them.
net::Response problem_response(const Error& error, const std::string& request_id);

/// Adds nosniff, no-store, no-referrer and the content security policy: nothing but our own scripts and
/// styles.
void add_common_headers(net::Headers& headers, const std::string& request_id);

}  // namespace instantstart::faces
