#include "net/testing/raw_client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace instantstart::net {

namespace {

/// Connects while blocking (the kernel completes it without the server), then goes on without.
template <class Address>
int connected(int family, const Address& address) {
  const int descriptor = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_storage bytes{};
  std::memcpy(&bytes, &address, sizeof(address));
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&bytes), sizeof(address)) != 0) {
    const std::string reason = std::strerror(errno);
    ::close(descriptor);
    throw std::runtime_error("RawClient cannot connect: " + reason);
  }
  ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
  return descriptor;
}

}  // namespace

RawClient RawClient::to_port(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return RawClient(connected(AF_INET, address));
}

RawClient RawClient::to_path(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return RawClient(connected(AF_UNIX, address));
}

RawClient::RawClient(RawClient&& other) noexcept { *this = std::move(other); }

RawClient& RawClient::operator=(RawClient&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(received_, other.received_);
  std::swap(ended_, other.ended_);
  std::swap(broken_, other.broken_);
  return *this;
}

RawClient::~RawClient() { close(); }

std::size_t RawClient::send(std::string_view bytes) {
  const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) return static_cast<std::size_t>(count);
  broken_ = broken_ || errno != EAGAIN;
  return 0;
}

void RawClient::close_sending() { ::shutdown(descriptor_, SHUT_WR); }

void RawClient::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void RawClient::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  close();
}

void RawClient::look(std::size_t most) {
  std::array<char, 16 * 1024> piece;
  while (most > 0 && !ended_ && !broken_) {
    const ssize_t count = ::recv(descriptor_, piece.data(), std::min(most, piece.size()), 0);
    if (count > 0) {
      received_.append(piece.data(), static_cast<std::size_t>(count));
      most -= static_cast<std::size_t>(count);
    } else if (count == 0) {
      ended_ = true;
    } else {
      broken_ = errno != EAGAIN;
      return;
    }
  }
}

}  // namespace instantstart::net
