#include "faces/http/front_door.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "contract/problem.h"
#include "contract/schema.h"
#include "faces/http/answer.h"
#include "faces/http/credential.h"

namespace instantstart::faces {
namespace {

/// "/mcp" covers "/mcp" and "/mcp/x", not "/mcpx".
bool covers(std::string_view prefix, std::string_view path) {
  if (!path.starts_with(prefix)) return false;
  return path.size() == prefix.size() || prefix.ends_with('/') || path[prefix.size()] == '/';
}

std::string_view code_for_status(int status) {
  switch (status) {
    case 405: return codes::method_not_allowed;
    case 413: return codes::body_too_large;
    case 408: return codes::deadline_exceeded;
    default: return codes::bad_request;
  }
}

}  // namespace

FrontDoor::FrontDoor(access::CredentialStore& credentials, net::Timekeeper& time, Random& random, Log log,
                     FrontDoorOptions options)
    : credentials_(credentials),
      time_(time),
      random_(random),
      log_(std::move(log)),
      options_(std::move(options)) {}

void FrontDoor::mount(std::string prefix, contract::Face face, bool cookie_allowed,
                      AuthenticatedHandler handler) {
  mounts_.push_back({std::move(prefix), face, cookie_allowed, std::move(handler)});
  std::ranges::sort(mounts_, std::ranges::greater(), [](const Mount& mount) { return mount.prefix.size(); });
}

void FrontDoor::mount_public(std::string path, PublicHandler handler) {
  public_.emplace_back(std::move(path), std::move(handler));
}

asio::awaitable<net::Response> FrontDoor::handle(net::Request request) {
  const std::string request_id = make_uuid7(time_, random_);
  const std::string method = request.method;
  const std::string path(request.path());  // never the query: a careless client may have put a secret there
  const SteadyTime begin = time_.steady();

  net::Response response;
  if (auto admitted = admit(options_.admission, request); !admitted) {
    response = problem_response(admitted.error(), request_id);
  } else {
    response = co_await route(std::move(request), request_id);
  }
  log_.debug("request", {{"request_id", request_id},
                         {"method", shortened(method, 16)},
                         {"path", shortened(without_controls(path), 200)},
                         {"status", response.status},
                         {"milliseconds", (time_.steady() - begin).count()}});
  co_return response;
}

asio::awaitable<net::Response> FrontDoor::route(net::Request request, std::string request_id) {
  const std::string path(request.path());
  for (const auto& [public_path, handler] : public_) {
    if (path == public_path) co_return co_await handler(std::move(request), std::move(request_id));
  }
  const auto mount = std::ranges::find_if(mounts_, [&](const Mount& m) { return covers(m.prefix, path); });
  if (mount == mounts_.end()) {
    const Error error{.code = std::string(codes::not_found), .message = "Nothing is served at this path."};
    co_return problem_response(error, request_id);
  }
  auto principal = co_await authenticate(request, mount->cookie_allowed);
  if (!principal) co_return problem_response(principal.error(), request_id);
  contract::Caller caller{.principal = principal->id,
                          .kind = principal->kind,
                          .role = principal->role,
                          .face = mount->face,
                          .request_id = request_id,
                          .deadline = net::Deadline::in(time_, options_.request_deadline)};
  co_return co_await mount->handler(std::move(request), std::move(caller));
}

Task<access::Principal> FrontDoor::authenticate(const net::Request& request, bool cookie_allowed) {
  auto credential = credential_of(request, cookie_allowed);
  if (!credential) co_return std::unexpected(credential.error());
  co_return co_await principal_of(credentials_, std::move(*credential));
}

net::Response FrontDoor::refuse(int status, std::string_view reason) {
  const Error error{.code = std::string(code_for_status(status)), .message = std::string(reason)};
  const std::string request_id = make_uuid7(time_, random_);
  contract::Problem problem = contract::to_problem(error, request_id);
  problem.status = status;  // finer than our codes: 414, 431, 505 …
  net::Response response = json_response(status, encode(problem), request_id);
  response.headers.set("Content-Type", std::string(contract::k_problem_media_type));
  return response;
}

}  // namespace instantstart::faces
