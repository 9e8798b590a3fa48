// A client that sends exactly the bytes a test wants and shows exactly what came back. It never blocks: a
// test turns the server's loop between two looks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace instantstart::net {

class RawClient {
 public:
  static RawClient to_port(std::uint16_t port);  ///< On 127.0.0.1. Ends the test when it cannot connect.
  static RawClient to_path(const std::string& path);

  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&& other) noexcept;
  ~RawClient();

  /// Puts as much into the kernel as it takes and returns how much that was.
  std::size_t send(std::string_view bytes);
  void close_sending();
  void close();
  void reset();  ///< Closes with a TCP reset.

  /// Takes in what has come, at most `most` bytes.
  void look(std::size_t most = 1024 * 1024);
  const std::string& received() const { return received_; }
  void forget(std::size_t count) { received_.erase(0, count); }
  bool ended() const { return ended_; }    ///< The server closed in order.
  bool broken() const { return broken_; }  ///< The connection was reset.

 private:
  explicit RawClient(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
  std::string received_;
  bool ended_ = false;
  bool broken_ = false;
};

}  // namespace instantstart::net
