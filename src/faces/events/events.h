// The events face: one WebSocket at /ws, subprotocol instantstart.v1 (control_frames.h has its words).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "access/credential_store.h"
#include "base/log.h"
#include "faces/events/byte_source.h"
#include "faces/events/event_socket.h"
#include "faces/events/operation_feed.h"
#include "net/http.h"

namespace instantstart::faces {

struct EventsOptions {
  FeedOptions feed;
  SocketLimits socket;
  /// Leaves room for other requests below the server's limit of connections.
  std::size_t sockets = 1'536;
};

/// Loop thread only. Await `stop`, after the server's, before it is destroyed.
class EventsFace {
 public:
  /// All that is given must outlive this.
  EventsFace(asio::any_io_executor executor, net::Timekeeper& time, Log log, operations::Engine& engine,
             access::CredentialStore& credentials, EventsOptions options);

  /// Topics that begin with `prefix` ("log/") carry bytes. Before `start` only.
  void add_source(std::string prefix, contract::Role least_role, ByteSourceOpener open);

  /// The engine's store must be migrated.
  Task<> start() { return feed_.start(); }
  asio::awaitable<void> stop() { return feed_.stop(); }

  /// An admitted and authenticated request.
  asio::awaitable<net::Response> handle(net::Request request, contract::Caller caller);

 private:
  Result<net::Response> upgrade(const net::Request& request, contract::Caller caller);
  asio::awaitable<void> serve(net::WebSocket& socket, contract::Caller caller, Credential credential);

  EventsOptions options_;
  OperationFeed feed_;
  std::vector<SourceKind> sources_;
  SocketParts parts_;
  std::size_t open_ = 0;
};

}  // namespace instantstart::faces
