// What tests of the HTTP client share: a loop with virtual time, the client, and ways to run things on them.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include "net/http_client.h"
#include "net/testing/raw_server.h"
#include "net/testing/virtual_time.h"

namespace instantstart::net {

/// Sockets are real and time is not: deadlines pass only where a test says so.
class ClientFixture : public testing::Test {
 protected:
  /// Runs the loop until `done`; throws when nothing happens for a long while.
  void run_until(const std::function<bool()>& done) {
    while (!done()) {
      time.context().restart();
      if (time.context().run_one_for(std::chrono::seconds(20)) == 0) {
        throw std::runtime_error("nothing happens any more");
      }
    }
  }

  /// Runs the loop until nothing has happened for a moment: every buffer is full or empty.
  void settle() {
    time.context().restart();
    while (time.context().run_one_for(std::chrono::milliseconds(50)) > 0) {
    }
  }

  template <class T>
  T run(asio::awaitable<T> task) {
    std::optional<T> value;
    std::exception_ptr thrown;
    asio::co_spawn(time.context(), std::move(task), [&](std::exception_ptr error, T result) {
      thrown = error;
      value = std::move(result);
    });
    run_until([&] { return value.has_value(); });
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*value);
  }

  Result<ClientResponse> send(ClientRequest request, Deadline deadline = Deadline::never()) {
    return run(client->send(std::move(request), deadline));
  }

  /// The client's options may be changed by making it anew.
  void make_client(CurlClientOptions options = {}) {
    client = make_curl_client(time.context().get_executor(), time, Log(), options);
  }

  VirtualTime time;
  std::unique_ptr<HttpClient> client =
      make_curl_client(time.context().get_executor(), time, Log(), CurlClientOptions{});
};

/// A complete answer with a length.
inline std::string answer(const std::string& body = "", const std::string& more_headers = "") {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + more_headers +
         "\r\n" + body;
}

/// Answers every request alike, and keeps what came.
inline RawServer::Script always(std::string reply, std::vector<std::string>& requests) {
  return [reply = std::move(reply), &requests](RawConnection& peer) -> asio::awaitable<void> {
    while (true) {
      auto request = co_await peer.read_request();
      if (request.empty()) co_return;
      requests.push_back(std::move(request));
      const bool written = co_await peer.write(reply);
      if (!written) co_return;
    }
  };
}

}  // namespace instantstart::net
