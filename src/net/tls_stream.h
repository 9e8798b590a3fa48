// The server's side of TLS: OpenSSL between a connection's bytes and its socket.
#pragma once

#include <memory>

#include "base/result.h"
#include "net/connection_stream.h"
#include "net/tls_identity.h"

namespace instantstart::net {

/// What all TLS connections of one server share. TLS 1.2 and 1.3, no renegotiation, no compression; ALPN
/// answers "http/1.1" to a client that offers it and refuses one that offers only others (RFC 7301 3.2).
/// Client certificates are not asked for. Loop thread only; outlives its streams.
class TlsServer {
 public:
  /// Error `invalid_request`: the certificate chain or the key cannot be read, or they don't belong together.
  static Result<TlsServer> make(const TlsIdentity& identity);

  TlsServer(TlsServer&& other) noexcept;
  TlsServer& operator=(TlsServer&& other) noexcept;
  ~TlsServer();

  std::unique_ptr<ConnectionStream> make_stream(StreamSocket socket) const;

 private:
  struct State;
  explicit TlsServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace instantstart::net
