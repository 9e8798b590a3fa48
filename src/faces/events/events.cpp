#include "faces/events/events.h"

#include <algorithm>
#include <utility>

#include "base/error_codes.h"
#include "faces/http/answer.h"
#include "net/websocket_handshake.h"

namespace instantstart::faces {

EventsFace::EventsFace(asio::any_io_executor executor, net::Timekeeper& time, Log log,
                       operations::Engine& engine, access::CredentialStore& credentials,
                       EventsOptions options)
    : options_(options),
      feed_(executor, time, log, engine, options_.feed),
      parts_{.executor = executor,
             .time = time,
             .log = log,
             .feed = feed_,
             .credentials = credentials,
             .sources = sources_,
             .limits = options_.socket} {}

void EventsFace::add_source(std::string prefix, contract::Role least_role, ByteSourceOpener open) {
  sources_.push_back({std::move(prefix), least_role, std::move(open)});
}

asio::awaitable<net::Response> EventsFace::handle(net::Request request, contract::Caller caller) {
  const std::string request_id = caller.request_id;
  auto response = upgrade(request, std::move(caller));
  if (!response) co_return problem_response(response.error(), request_id);
  co_return std::move(*response);
}

Result<net::Response> EventsFace::upgrade(const net::Request& request, contract::Caller caller) {
  if (request.path() != k_events_path) return fail(codes::not_found, "Nothing is served at this path.");
  auto credential = credential_of(request, true);
  if (!credential) return std::unexpected(credential.error());
  // What doesn't ask for a WebSocket, or asks wrongly, is refused by the server itself.
  const auto offer = net::read_websocket_offer(request);
  if (offer && std::ranges::count(offer->subprotocols, k_events_subprotocol) == 0) {
    return fail(codes::bad_request, "Offer the subprotocol instantstart.v1.");
  }
  if (open_ >= options_.sockets) {
    return fail(Error{.code = std::string(codes::unavailable),
                      .message = "Too many events sockets are open.",
                      .retryable = true,
                      .retry_after = seconds(10)});
  }
  // Sockets outlive the request's deadline.
  caller.deadline = net::Deadline::never();
  return net::Response{
      .status = 101,
      .websocket = net::WebSocketUpgrade{
          .handler = [this, caller = std::move(caller), credential = std::move(*credential)](
                         net::WebSocket& socket) { return serve(socket, caller, credential); },
          .subprotocol = std::string(k_events_subprotocol),
          .message_bytes = k_client_frame_bytes}};
}

asio::awaitable<void> EventsFace::serve(net::WebSocket& socket, contract::Caller caller,
                                        Credential credential) {
  struct Count {
    std::size_t& open;
    ~Count() { --open; }
  };
  ++open_;
  const Count count{open_};
  EventSocket events(parts_, std::move(caller), std::move(credential), socket);
  co_await events.serve();
}

}  // namespace instantstart::faces
