// A server in virtual time on a real loopback socket, and clients that send raw bytes. Time stands still
// unless a test moves it; waiting for bytes turns the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "net/http_server.h"
#include "net/signal.h"
#include "net/testing/raw_client.h"
#include "net/testing/virtual_time.h"

namespace instantstart::net {

struct RawResponse {
  int status = 0;
  std::string head;  ///< Status line and header, with the empty line.
  std::string body;

  bool has(std::string_view text) const { return head.contains(text); }
};

class HttpServerFixture : public testing::Test {
 protected:
  void TearDown() override;  ///< Stops the server, if the test did not.

  void start(HttpHandler handler, HttpServerOptions options = {});
  /// Begins to stop; `stopped` tells when that is done.
  void begin_stop(Deadline deadline);

  RawClient connect() { return RawClient::to_port(server->port()); }

  /// Turns the loop, in frozen time, until `done`; false after some seconds of real time.
  bool turn_until(const std::function<bool()>& done);
  /// Turns the loop until nothing more happens in it: what clients sent has been dealt with.
  void settle();

  /// Sends all of `bytes`, turning the loop as far as that needs it.
  void send(RawClient& client, std::string_view bytes);
  /// The next response with a Content-Length (or none and no body), taken out of what was received.
  RawResponse next_response(RawClient& client, bool head_only = false);
  RawResponse exchange(RawClient& client, std::string_view bytes);
  /// Everything up to the end of the connection.
  std::string rest(RawClient& client);
  bool closed(RawClient& client);

  /// Answers 200 with "<method> <target>\n" and the request's body.
  static asio::awaitable<Response> echo(Request request);
  /// Notes "begin <target>" in `events`, waits for `gate`, notes "end <target>", or "cancelled <target>".
  asio::awaitable<Response> gated(Request request);

  VirtualTime time;
  std::vector<std::string> log_lines;
  std::vector<std::string> events;
  Signal gate{time};
  bool gate_open = false;
  bool stopped = false;
  std::unique_ptr<HttpServer> server;
};

}  // namespace instantstart::net
