// Which requests are let in at all, before anybody asks who sent them. Pure.
//
// A page in a browser can reach a loopback port: by a name that resolves to it (DNS rebinding), by a form, by
// a script of another origin. So host names are an allow-list, foreign origins are refused on every method,
// and nothing but JSON is read.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "net/http.h"

namespace instantstart::faces {

struct AdmissionRules {
  /// Host header values, with port, that are served beside loopback names: "console.example.com:443".
  std::vector<std::string> allowed_hosts;
};

/// Errors: `bad_host` (not loopback from a loopback peer, not in the list), `bad_origin` (Origin other than
/// our own, or a browser that says the request is cross-site), `unsupported_media_type` (a body that is not
/// application/json), `method_not_allowed` for OPTIONS: there is no cross-origin use to allow.
Result<> admit(const AdmissionRules& rules, const net::Request& request);

/// True for "localhost", "127.0.0.1" and "[::1]" with or without a port, exactly spelt.
bool is_loopback_host(std::string_view host);

}  // namespace instantstart::faces
