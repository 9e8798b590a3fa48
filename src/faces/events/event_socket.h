// One events socket: what its client follows, and in which order it is told. Answers come first, then events,
// then views, then bytes; a client that does not read is held back alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "access/credential_store.h"
#include "base/log.h"
#include "contract/caller.h"
#include "faces/events/byte_channel.h"
#include "faces/events/byte_source.h"
#include "faces/events/control_frames.h"
#include "faces/events/operation_feed.h"
#include "faces/http/credential.h"
#include "net/signal.h"
#include "net/task.h"
#include "net/websocket.h"

namespace instantstart::faces {

/// Close codes of our own.
inline constexpr auto k_close_unauthenticated = static_cast<net::WebSocketClose>(4401);
inline constexpr auto k_close_forbidden = static_cast<net::WebSocketClose>(4403);

struct SocketLimits {
  std::size_t channels = 32;
  milliseconds check_rights_every{5'000};
  milliseconds idle{60'000};  ///< How long a socket may follow nothing.
};

/// Topics that begin with `prefix`.
struct SourceKind {
  std::string prefix;
  contract::Role least_role;
  ByteSourceOpener open;
};

/// What all sockets share; outlives them.
struct SocketParts {
  asio::any_io_executor executor;
  net::Timekeeper& time;
  Log log;
  OperationFeed& feed;
  access::CredentialStore& credentials;
  const std::vector<SourceKind>& sources;
  SocketLimits limits;
};

struct SocketEnd {
  net::WebSocketClose code = net::WebSocketClose::normal;
  std::string reason;
};
/// Why a socket that was opened with `role` ends, if it does, now that the credential proves `now`. Pure.
std::optional<SocketEnd> end_by_rights(const contract::Caller& caller, const Result<access::Principal>& now);

/// Loop thread only.
class EventSocket {
 public:
  EventSocket(SocketParts parts, contract::Caller caller, Credential credential, net::WebSocket& socket);

  /// Until the socket is over. Must be awaited to its end, which cancellation hastens.
  asio::awaitable<void> serve();

 private:
  struct Following {
    std::int32_t channel;
    std::shared_ptr<Topic> topic;
    std::int64_t cursor;
    std::int64_t credit;
    std::uint64_t seen_view = 0;
    bool gone = false;
  };
  struct Outgoing {
    std::string frame;
    bool binary = false;
  };

  asio::awaitable<void> read();
  asio::awaitable<void> write();
  asio::awaitable<void> watch_rights();
  asio::awaitable<void> leave_all();

  Task<> take(ClientFrame frame);
  Task<> subscribe(Subscribe wanted);
  Task<> follow(Subscribe wanted, OperationTopic topic);
  Task<> unsubscribe(Unsubscribe unwanted);
  Result<> add_credit(const Credit& more);
  Result<> check_free(const Subscribe& wanted) const;
  void reply(std::string frame);
  void refuse(std::optional<std::int64_t> channel, const Error& error);

  asio::awaitable<std::optional<Outgoing>> next_frame();
  asio::awaitable<std::optional<Outgoing>> next_events();
  std::optional<Outgoing> next_view();
  std::optional<Outgoing> next_bytes();
  template <class Pred>
  std::shared_ptr<Following> pick(Pred wants);
  void drop(Following& following);
  ByteChannel& leave(std::map<std::int32_t, std::unique_ptr<ByteChannel>>::iterator channel);

  SocketParts parts_;
  contract::Caller caller_;
  Credential credential_;
  net::WebSocket& socket_;
  std::map<std::int32_t, std::shared_ptr<Following>> followings_;  ///< By channel.
  std::map<std::int32_t, std::unique_ptr<ByteChannel>> bytes_;     ///< By channel.
  std::vector<std::unique_ptr<ByteChannel>> leaving_;  ///< Not wanted any more, perhaps not gone yet.
  std::deque<std::string> replies_;
  std::int32_t events_turn_ = 0;  ///< The channel that was served last.
  std::int32_t bytes_turn_ = 0;
  bool over_ = false;
  SteadyTime idle_since_;
  net::Signal wake_;  ///< Something to write.
  net::Signal room_;  ///< A reply has left.
};

}  // namespace instantstart::faces
