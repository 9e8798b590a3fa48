// Outbound HTTP by libcurl on the same loop: HTTP/1.1 and HTTP/2, TLS verification, proxies from the
// environment, connection reuse. Retries are the caller's: this sends once, and when that fails it says
// whether anything was sent.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/error.h"
#include "base/log.h"
#include "net/http.h"
#include "net/task.h"
#include "net/time.h"

namespace instantstart::net {

struct ClientRequest {
  std::string method = "GET";  ///< GET, HEAD, POST, PUT, PATCH or DELETE.
  /// "http://" or "https://", host, port, path and query, in printable ASCII. Path and query are sent byte
  /// for byte (a signature covers them); an empty path is sent as "/". User names and fragments are refused.
  std::string url;
  /// Exactly these, in this order and spelling (lower case on HTTP/2), after Host and before Content-Length,
  /// which are made here; a Host given here replaces the made one. Nothing else is added. What frames the
  /// message or belongs to the connection (RFC 9110 7.6.1) is refused.
  Headers headers;
  /// Sent as it is. Content-Length goes with it when it is not empty or the method is POST, PUT or PATCH.
  std::string body;
  /// What happens when the server drops a kept-alive connection on which this was sent, and no byte of an
  /// answer came. True: it may be sent again on another connection. False: it never leaves twice, the outcome
  /// is unknown; and only connections used within the last seconds are reused, so that this is rare. GET and
  /// HEAD are always idempotent.
  bool idempotent = false;
  std::size_t max_response_bytes = 32 * 1024 * 1024;  ///< Of the body; `open` has no such limit.
  milliseconds connect_timeout{5'000};                ///< Name, TCP, proxy and TLS together. Wall time.
  /// A PEM bundle that replaces the system's roots, for clusters with their own authority.
  std::string ca_bundle_pem = {};
  /// When false, only globally reachable unicast addresses are connected to (see public_address.h), judged by
  /// the address itself after the name was resolved, so that a name that changes its address gains nothing.
  /// Such a request goes past any proxy, behind which the address could not be seen.
  bool allow_private_target = true;
  /// False: the proxies of the environment are not asked, for addresses that mean something on this machine
  /// only.
  bool use_proxy = true;
};

struct ClientResponse {
  int status = 0;            ///< Redirects are answers like any other.
  Headers headers;           ///< Of the final answer; interim answers and trailers are dropped.
  std::string body;          ///< As it came: a Content-Encoding is not undone.
  std::string peer_address;  ///< The address that was really connected to; behind a proxy, the proxy's.
};

/// The body of an answer while it comes in. Destroying it closes the connection; not while a `next` is under
/// way. A `next` that was cancelled loses nothing.
class ClientBodyStream : public BodyStream {
 public:
  /// Why the stream ended, once `next` returned nullopt: nothing when the server ended it as HTTP wants.
  virtual const std::optional<Error>& error() const = 0;
};

/// Error codes, with detail "sent" true or false (whether a byte of the request may have left):
/// * `invalid_request`: nothing was tried; the message says which part of the request is wrong.
/// * `connection_failed`: provably nothing left. Detail "reason": name, connect, timeout, tls or proxy.
/// * `forbidden`: the address is not public and `allow_private_target` is false; detail "address".
/// * `unknown_outcome`: it broke after sending began; detail "status" if the answer's header had come.
/// * `deadline_exceeded`: with "sent" false nothing left.
/// * `upstream_error`: the answer is larger than allowed ("limit", "status") or not HTTP; the request did
///   arrive.
/// Cancellation throws operation_aborted, as all of Asio does; the connection is closed at once.
class HttpClient {
 public:
  virtual ~HttpClient() = default;

  virtual Task<ClientResponse> send(ClientRequest request, Deadline deadline) = 0;

  /// For watches, logs and server-sent events: returns once the header is there; pieces come by `next`, and
  /// the peer is held back (TCP back-pressure) while nobody asks. The deadline covers the header only. A
  /// stream has an HTTP/1.1 connection of its own, since holding back one HTTP/2 stream holds back its
  /// neighbours.
  struct Stream {
    int status = 0;
    Headers headers;
    std::unique_ptr<ClientBodyStream> body;
  };
  virtual Task<Stream> open(ClientRequest request, Deadline header_deadline) = 0;
};

struct CurlClientOptions {
  /// More requests to one host wait for a free connection. Streams are not counted.
  std::size_t max_connections_per_host = 32;
  std::size_t max_idle_connections = 128;  ///< Of all hosts together; the oldest is closed first.
  /// Ends a stream whose reader has waited so long for one piece; 0 never does. Its error is
  /// `deadline_exceeded`.
  milliseconds idle_stream_timeout{0};
};

/// Loop thread only; names are resolved on short-lived threads of libcurl's own. Must outlive its requests
/// and streams; those that outlive it end with an error. `time` and the executor must outlive it.
std::unique_ptr<HttpClient> make_curl_client(asio::any_io_executor executor, Timekeeper& time, Log log,
                                             CurlClientOptions options = {});

}  // namespace instantstart::net
