// A request that is answered piece by piece: messages on the way, questions back to the client, then the
// answer. One side is whoever answers; the other is a stream of server-sent events, which may break off and
// be taken up again (2025-11-25).
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faces/mcp/json_rpc.h"
#include "net/http.h"
#include "net/signal.h"
#include "net/task.h"
#include "net/time.h"

namespace instantstart::faces {

using McpOutcome = std::expected<json::object, RpcError>;

/// Loop thread only. Owned by a shared_ptr: who answers and who streams end at different times.
class Exchange {
 public:
  /// `id` is unguessable. A resumable one numbers its events, so that a client can come back for the rest.
  Exchange(net::Timekeeper& time, std::string id, bool resumable);

  // --- For whoever answers.
  void notify(std::string_view method, json::object params);
  /// The client's answer to a request of the server's own: sessions of the handshake revisions only. Error
  /// `internal_error` when nobody is there to answer.
  asio::awaitable<McpOutcome> ask(std::string method, json::object params);
  /// Ends the connection, not the exchange: the client comes back with Last-Event-ID.
  void hang_up();
  /// Returns when the client has left.
  asio::awaitable<void> wait_until_gone();

  // --- For the transport.
  /// The last message, a JSON-RPC response. Returns when it has been delivered or nobody fetches it.
  asio::awaitable<void> finish(json::object message);
  /// Returns when there is something to send: a message, or the answer.
  asio::awaitable<void> wait_until_begun();
  /// The answer, when nothing was said before it.
  std::optional<json::object> sole_answer() const;
  /// The client's answer to question `number`; false when that isn't open.
  bool reply(std::size_t number, McpOutcome outcome);

  const std::string& id() const { return id_; }

 private:
  friend class ExchangeStream;

  std::string event_text(std::size_t number) const;

  net::Timekeeper& time_;
  std::string id_;
  bool resumable_;
  net::Signal changed_;
  std::vector<json::object> messages_;
  bool answered_ = false;
  std::size_t readers_ = 0;
  bool was_read_ = false;
  std::size_t delivered_ = 0;
  std::size_t hang_ups_ = 0;
  std::size_t asked_ = 0;
  std::map<std::size_t, std::optional<McpOutcome>> questions_;  ///< Open ones; the outcome once it is there.
};

/// The events of an exchange after number `seen`; 0 for all.
std::unique_ptr<net::BodyStream> exchange_stream(std::shared_ptr<Exchange> exchange, std::size_t seen);

/// "ID.NUMBER": the id of an event, and of a question.
struct ExchangePoint {
  std::string exchange;
  std::size_t number = 0;
};
std::optional<ExchangePoint> parse_exchange_point(std::string_view text);

}  // namespace instantstart::faces
