// HTTP messages as plain values: the words that server, client and faces share. RFC 9110.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "net/websocket.h"

namespace instantstart::net {

namespace asio = boost::asio;

/// Header fields in the order they came; names compare without case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  void set(std::string_view name, std::string value);
  void remove(std::string_view name);
  /// The first value, or "" when there is none.
  std::string_view get(std::string_view name) const;
  bool contains(std::string_view name) const { return count(name) > 0; }
  std::size_t count(std::string_view name) const;

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  std::size_t size() const { return fields_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Who is at the other end of a connection.
struct Peer {
  std::string address;  ///< "127.0.0.1", "::1"; "unix" for a Unix socket.
  std::uint16_t port = 0;
  bool loopback = false;  ///< On this machine: a loopback address or a Unix socket.
};

struct Request {
  std::string method;  ///< As sent; methods are case-sensitive.
  std::string target;  ///< Origin form, as sent: "/api/v1/operations?limit=5". Other forms never get here.
  Headers headers;
  std::string body;
  Peer peer;

  std::string_view path() const;   ///< The target up to "?", still percent-encoded.
  std::string_view query() const;  ///< What follows "?", still percent-encoded.
};

/// A body that is made while it is sent: server-sent events, logs, large downloads.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  /// The next piece, or nullopt at the end. Cancelled when the peer goes away. An exception cuts the
  /// connection, so that the peer sees that something is missing.
  virtual asio::awaitable<std::optional<std::string>> next() = 0;
};

struct Response {
  int status = 200;
  Headers headers;
  std::variant<std::string, std::unique_ptr<BodyStream>> body = std::string();
  bool abort = false;  ///< Closes the connection without an answer: for servers that simulate a failing one.
  /// Makes a WebSocket of the connection, if the request asked for one; otherwise the server refuses. The
  /// other members are not looked at.
  std::optional<WebSocketUpgrade> websocket = {};
};

/// Decoded name and value pairs of a query string, in order; nullopt on a bad escape. "+" is a space; "a" has
/// the value "".
std::optional<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query);

/// The pieces of a path between slashes, percent-decoded once: "/" has none, "/a/" has "a" and "". nullopt
/// without a leading "/", on a bad escape, a control character, a backslash, or a "." or ".." piece, encoded
/// once, more often or not at all: such a path is never meant well here. A piece may hold an encoded "/" (an
/// ARN does).
std::optional<std::vector<std::string>> parse_path(std::string_view path);

}  // namespace instantstart::net
