// A listening socket for an address: TCP, or a Unix socket that only its owner may use.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "net/http.h"

namespace instantstart::net {

/// Owns the descriptor, and the path of a Unix socket, which it removes.
class ListeningSocket {
 public:
  /// `address` is a literal IPv4 or IPv6 address, or a path that starts with "/". Errors: `invalid_request`
  /// when it is neither, `unavailable` when it cannot be bound: the port is taken, or the path is a file that
  /// is not ours to replace. A Unix socket that nobody answers on is the remainder of a crash and is
  /// replaced; two processes that start at one time must be kept apart by a lock of their own.
  static Result<ListeningSocket> open(const std::string& address, std::uint16_t port);

  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&& other) noexcept;
  ~ListeningSocket();

  std::uint16_t port() const { return port_; }  ///< 0 for a Unix socket.
  bool is_unix() const { return !path_.empty(); }

  /// Hands over the descriptor, non-blocking and close-on-exec. The path stays ours.
  int release();
  /// Removes the path, if the socket there is still the one that was bound.
  void remove_path();

 private:
  ListeningSocket() = default;
  Result<> bind_tcp(const std::string& address, std::uint16_t port);
  Result<> bind_unix(const std::string& path);

  int descriptor_ = -1;
  std::uint16_t port_ = 0;
  std::string path_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};

/// Who is at the other end of a connected socket. IPv4 in IPv6 form is given as IPv4.
Peer peer_of(int descriptor);

}  // namespace instantstart::net
