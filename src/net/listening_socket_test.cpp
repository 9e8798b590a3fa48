#include "net/listening_socket.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "net/testing/raw_client.h"

namespace instantstart::net {
namespace {

namespace fs = std::filesystem;

struct ListeningSocketTest : testing::Test {
  ListeningSocketTest() {
    std::string name = (fs::temp_directory_path() / "listening_XXXXXX").string();
    folder = ::mkdtemp(name.data());
    path = (folder / "socket").string();
  }
  ~ListeningSocketTest() override { fs::remove_all(folder); }

  std::string code_of(const std::string& address, std::uint16_t port = 0) {
    const auto opened = ListeningSocket::open(address, port);
    return opened ? "" : opened.error().code;
  }

  fs::path folder;
  std::string path;
};

TEST_F(ListeningSocketTest, AUnixSocketIsForItsOwnerAlone) {
  const mode_t before = ::umask(0);
  const auto socket = ListeningSocket::open(path, 0);
  ::umask(before);
  ASSERT_TRUE(socket.has_value());
  struct stat found{};
  ASSERT_EQ(::lstat(path.c_str(), &found), 0);
  EXPECT_TRUE(S_ISSOCK(found.st_mode));
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  EXPECT_TRUE(socket->is_unix());
  EXPECT_EQ(socket->port(), 0);
}

TEST_F(ListeningSocketTest, TheUnixSocketGoesWithItsOwner) {
  {
    const auto socket = ListeningSocket::open(path, 0);
    ASSERT_TRUE(socket.has_value());
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ListeningSocketTest, AFileThatIsNotASocketIsNotReplaced) {
  std::ofstream(path) << "precious";
  EXPECT_EQ(code_of(path), codes::unavailable);
  std::string content;
  std::ifstream(path) >> content;
  EXPECT_EQ(content, "precious");
  fs::remove(path);
  fs::create_symlink(folder / "elsewhere", path);
  EXPECT_EQ(code_of(path), codes::unavailable);
  EXPECT_TRUE(fs::is_symlink(path));
}

TEST_F(ListeningSocketTest, ASocketThatSomebodyAnswersOnIsNotReplaced) {
  const auto first = ListeningSocket::open(path, 0);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(code_of(path), codes::unavailable);
  EXPECT_NO_THROW(RawClient::to_path(path)) << "the first must still be reachable";
}

TEST_F(ListeningSocketTest, ADeadSocketIsReplaced) {
  {
    auto crashed = ListeningSocket::open(path, 0);
    ASSERT_TRUE(crashed.has_value());
    fs::rename(path, path + ".kept");  // So that closing does not remove it, as in a crash.
  }
  fs::rename(path + ".kept", path);
  EXPECT_THROW(RawClient::to_path(path), std::runtime_error);
  const auto again = ListeningSocket::open(path, 0);
  ASSERT_TRUE(again.has_value());
  EXPECT_NO_THROW(RawClient::to_path(path));
}

TEST_F(ListeningSocketTest, ASocketThatTookItsPlaceIsNotRemoved) {
  auto first = ListeningSocket::open(path, 0);
  ASSERT_TRUE(first.has_value());
  fs::remove(path);
  const auto second = ListeningSocket::open(path, 0);
  ASSERT_TRUE(second.has_value());
  first->remove_path();
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(ListeningSocketTest, AFreePortIsFoundAndATakenOneIsReported) {
  const auto first = ListeningSocket::open("127.0.0.1", 0);
  ASSERT_TRUE(first.has_value());
  EXPECT_NE(first->port(), 0);
  const auto second = ListeningSocket::open("127.0.0.1", first->port());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, codes::unavailable);
  EXPECT_TRUE(second.error().message.contains("127.0.0.1 port " + std::to_string(first->port())));
}

TEST_F(ListeningSocketTest, OnlyLiteralAddressesAndPathsAreTaken) {
  for (const std::string& address : {"localhost", "", "127.0.0.1:80", "999.0.0.1", "relative/path"}) {
    EXPECT_EQ(code_of(address), codes::invalid_request) << address;
  }
  EXPECT_EQ(code_of("/" + std::string(200, 'a')), codes::invalid_request);
  EXPECT_EQ(code_of((folder / "missing" / "socket").string()), codes::unavailable);
}

TEST_F(ListeningSocketTest, DescriptorsAreClosedOnExecAndDoNotBlock) {
  auto socket = ListeningSocket::open("127.0.0.1", 0);
  ASSERT_TRUE(socket.has_value());
  const int descriptor = socket->release();
  EXPECT_EQ(::accept4(descriptor, nullptr, nullptr, 0), -1);
  EXPECT_EQ(errno, EAGAIN);
  ::close(descriptor);
}

TEST_F(ListeningSocketTest, ThePeerIsNamed) {
  auto tcp = ListeningSocket::open("127.0.0.1", 0);
  ASSERT_TRUE(tcp.has_value());
  const auto client = RawClient::to_port(tcp->port());
  const int listening = tcp->release();
  const int accepted = ::accept(listening, nullptr, nullptr);
  const Peer peer = peer_of(accepted);
  EXPECT_EQ(peer.address, "127.0.0.1");
  EXPECT_NE(peer.port, 0);
  EXPECT_TRUE(peer.loopback);
  ::close(accepted);
  ::close(listening);

  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  EXPECT_EQ(peer_of(pair[0]).address, "unix");
  EXPECT_TRUE(peer_of(pair[0]).loopback);
  ::close(pair[0]);
  ::close(pair[1]);
}

TEST_F(ListeningSocketTest, APeerInIPv6FormIsGivenAsIPv4) {
  auto both = ListeningSocket::open("::", 0);
  if (!both) GTEST_SKIP() << "no IPv6 here";
  const auto client = RawClient::to_port(both->port());
  const int listening = both->release();
  const int accepted = ::accept(listening, nullptr, nullptr);
  EXPECT_EQ(peer_of(accepted).address, "127.0.0.1");
  EXPECT_TRUE(peer_of(accepted).loopback);
  ::close(accepted);
  ::close(listening);
}

}  // namespace
}  // namespace instantstart::net
