#include "net/listening_socket.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace instantstart::net {

namespace {

/// A socket address of any family, as the kernel wants it.
struct Address {
  sockaddr_storage bytes{};
  socklen_t size = sizeof(sockaddr_storage);

  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&bytes); }
  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&bytes); }
  template <class Kind>
  Kind as() const {
    Kind kind;
    std::memcpy(&kind, &bytes, sizeof(kind));
    return kind;
  }
  template <class Kind>
  static Address from(const Kind& kind) {
    Address address;
    std::memcpy(&address.bytes, &kind, sizeof(kind));
    address.size = sizeof(kind);
    return address;
  }
};

std::unexpected<Error> cannot_listen(const std::string& where, int error) {
  return fail(codes::unavailable,
              fmt::format("Cannot listen on {}: {}.", where, std::system_category().message(error)));
}

int open_stream(int family) { return ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

std::optional<Address> tcp_address(const std::string& text, std::uint16_t port) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) return Address::from(v4);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  if (::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) return Address::from(v6);
  return std::nullopt;
}

std::optional<Address> unix_address(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof(name.sun_path) || path.contains('\0')) return std::nullopt;
  std::memcpy(name.sun_path, path.data(), path.size());
  return Address::from(name);
}

std::uint16_t port_of(const Address& address) {
  if (address.bytes.ss_family == AF_INET) return ntohs(address.as<sockaddr_in>().sin_port);
  if (address.bytes.ss_family == AF_INET6) return ntohs(address.as<sockaddr_in6>().sin6_port);
  return 0;
}

/// Nobody listens there any more. A full queue of a living server answers EAGAIN, which is not that.
bool is_dead_socket(const Address& address) {
  const int probe = open_stream(AF_UNIX);
  if (probe < 0) return false;
  const int connected = ::connect(probe, address.raw(), address.size);
  const int error = errno;
  ::close(probe);
  return connected != 0 && error == ECONNREFUSED;
}

Result<> clear_path(const std::string& path, const Address& address) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) {
    return errno == ENOENT ? Result<>() : cannot_listen(path, errno);
  }
  if (!S_ISSOCK(found.st_mode)) {
    return fail(codes::unavailable,
                fmt::format("Cannot listen on {}: there is a file that is not a socket.", path));
  }
  if (!is_dead_socket(address)) {
    return fail(codes::unavailable, fmt::format("Cannot listen on {}: a process answers there.", path));
  }
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return cannot_listen(path, errno);
  return {};
}

}  // namespace

Result<ListeningSocket> ListeningSocket::open(const std::string& address, std::uint16_t port) {
  ListeningSocket socket;
  auto bound = address.starts_with('/') ? socket.bind_unix(address) : socket.bind_tcp(address, port);
  if (!bound) return fail(std::move(bound.error()));
  if (::listen(socket.descriptor_, SOMAXCONN) != 0) return cannot_listen(address, errno);
  return socket;
}

Result<> ListeningSocket::bind_tcp(const std::string& text, std::uint16_t port) {
  const auto address = tcp_address(text, port);
  if (!address) {
    return fail(codes::invalid_request,
                fmt::format("\"{}\" is neither a literal address nor a path that starts with \"/\".", text));
  }
  const std::string where = fmt::format("{} port {}", text, port);
  descriptor_ = open_stream(address->bytes.ss_family);
  if (descriptor_ < 0) return cannot_listen(where, errno);
  const int on = 1;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (::bind(descriptor_, address->raw(), address->size) != 0) return cannot_listen(where, errno);
  Address bound;
  if (::getsockname(descriptor_, bound.raw(), &bound.size) != 0) return cannot_listen(where, errno);
  port_ = port_of(bound);
  return {};
}

Result<> ListeningSocket::bind_unix(const std::string& path) {
  const auto address = unix_address(path);
  if (!address) {
    return fail(codes::invalid_request,
                fmt::format("The socket path is longer than {} bytes.", sizeof(sockaddr_un::sun_path) - 1));
  }
  if (auto cleared = clear_path(path, *address); !cleared) return cleared;
  descriptor_ = open_stream(AF_UNIX);
  if (descriptor_ < 0) return cannot_listen(path, errno);
  // Before bind, so that the path never exists with wider rights: Linux takes the mode from the descriptor's
  // inode.
  if (::fchmod(descriptor_, S_IRUSR | S_IWUSR) != 0) return cannot_listen(path, errno);
  if (::bind(descriptor_, address->raw(), address->size) != 0) return cannot_listen(path, errno);
  path_ = path;
  struct stat made{};
  if (::lstat(path.c_str(), &made) != 0) return cannot_listen(path, errno);
  device_ = made.st_dev;
  inode_ = made.st_ino;
  return {};
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept { *this = std::move(other); }

ListeningSocket& ListeningSocket::operator=(ListeningSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(port_, other.port_);
  std::swap(path_, other.path_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

ListeningSocket::~ListeningSocket() {
  remove_path();
  if (descriptor_ >= 0) ::close(descriptor_);
}

int ListeningSocket::release() { return std::exchange(descriptor_, -1); }

void ListeningSocket::remove_path() {
  if (path_.empty()) return;
  struct stat found{};
  if (::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_) {
    ::unlink(path_.c_str());
  }
  path_.clear();
}

Peer peer_of(int descriptor) {
  Address address;
  if (::getpeername(descriptor, address.raw(), &address.size) != 0) return Peer{.address = "unknown"};
  char text[INET6_ADDRSTRLEN] = {};
  if (address.bytes.ss_family == AF_INET) {
    const auto v4 = address.as<sockaddr_in>();
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    const bool loopback = (ntohl(v4.sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
    return Peer{.address = text, .port = port_of(address), .loopback = loopback};
  }
  if (address.bytes.ss_family == AF_INET6) {
    const auto v6 = address.as<sockaddr_in6>();
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
      const unsigned char* v4 = &v6.sin6_addr.s6_addr[12];
      ::inet_ntop(AF_INET, v4, text, sizeof(text));
      return Peer{.address = text, .port = port_of(address), .loopback = v4[0] == IN_LOOPBACKNET};
    }
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
    const bool loopback = IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) != 0;
    return Peer{.address = text, .port = port_of(address), .loopback = loopback};
  }
  return Peer{.address = "unix", .loopback = true};
}

}  // namespace instantstart::net
