// The one port: admits or refuses, finds out who calls, and hands the request to the face whose path it is.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "access/credential_store.h"
#include "base/log.h"
#include "base/random.h"
#include "contract/action.h"
#include "faces/http/admission.h"
#include "net/http_server.h"

namespace instantstart::faces {

/// A face's answer to an admitted request of a known caller.
using AuthenticatedHandler = std::function<asio::awaitable<net::Response>(net::Request, contract::Caller)>;
/// A path that shows no data and changes nothing but itself: health, the page's own files, login.
using PublicHandler = std::function<asio::awaitable<net::Response>(net::Request, std::string request_id)>;

struct FrontDoorOptions {
  AdmissionRules admission;
  milliseconds request_deadline{60'000};
};

/// Loop thread only; must outlive the server that it serves.
class FrontDoor {
 public:
  FrontDoor(access::CredentialStore& credentials, net::Timekeeper& time, Random& random, Log log,
            FrontDoorOptions options);

  /// Paths that begin with `prefix` (longest wins). `cookie_allowed`: a browser's session is good here; where
  /// it is not, only a bearer token counts.
  void mount(std::string prefix, contract::Face face, bool cookie_allowed, AuthenticatedHandler handler);
  void mount_public(std::string path, PublicHandler handler);  ///< This path exactly.

  asio::awaitable<net::Response> handle(net::Request request);

  /// For net::HttpServer: what it refuses itself, in the same words.
  net::Response refuse(int status, std::string_view reason);

 private:
  struct Mount {
    std::string prefix;
    contract::Face face;
    bool cookie_allowed;
    AuthenticatedHandler handler;
  };

  asio::awaitable<net::Response> route(net::Request request, std::string request_id);
  Task<access::Principal> authenticate(const net::Request& request, bool cookie_allowed);

  access::CredentialStore& credentials_;
  net::Timekeeper& time_;
  Random& random_;
  Log log_;
  FrontDoorOptions options_;
  std::vector<Mount> mounts_;
  std::vector<std::pair<std::string, PublicHandler>> public_;
};

}  // namespace instantstart::faces
