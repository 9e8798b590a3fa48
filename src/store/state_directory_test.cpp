#include "store/state_directory.h"

#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error_codes.h"
#include "store/testing/child.h"
#include "store/testing/file_faults.h"
#include "store/testing/temporary_directory.h"

namespace instantstart::store {
namespace {

namespace fs = std::filesystem;

mode_t mode_of(const fs::path& path) {
  struct stat facts = {};
  EXPECT_EQ(::lstat(path.c_str(), &facts), 0) << path;
  return facts.st_mode & 07777U;
}

void write_file(const fs::path& file, std::string_view content) { std::ofstream(file) << content; }

std::string content_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class StateDirectoryTest : public testing::Test {
 protected:
  Error lock_error(const fs::path& path) {
    const auto locked = StateDirectory::lock(path);
    return locked ? Error{} : locked.error();
  }

  TemporaryDirectory temporary_;
  fs::path path_ = temporary_ / "state";
};

TEST_F(StateDirectoryTest, IsMadePrivateWithItsParentsWhateverTheUmask) {
  const auto umask_before = ::umask(0);
  const auto locked = StateDirectory::lock(temporary_ / "a" / "b" / "state");
  ASSERT_TRUE(locked) << locked.error().message;
  ASSERT_TRUE(locked->write_private_file("token", "abc"));
  ::umask(umask_before);
  EXPECT_EQ(mode_of(temporary_ / "a"), 0700U);
  EXPECT_EQ(mode_of(locked->path()), 0700U);
  EXPECT_EQ(mode_of(locked->path() / "lock"), 0600U);
  EXPECT_EQ(mode_of(locked->path() / "token"), 0600U);
}

TEST_F(StateDirectoryTest, OpenToOthersIsRefused) {
  for (const mode_t mode : {0755U, 0710U, 0701U, 0770U}) {
    fs::create_directory(path_);
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_EQ(lock_error(path_).code, codes::state_unusable) << mode;
    EXPECT_EQ(read_private_file(path_, "token").error().code, codes::state_unusable) << mode;
    EXPECT_TRUE(fs::is_empty(path_));
    fs::remove(path_);
  }
}

TEST_F(StateDirectoryTest, OfAnotherUserIsRefused) {
  fs::create_directory(path_);
  ASSERT_EQ(::chmod(path_.c_str(), 0700), 0);
  // Root can give a directory away; for anybody else the root directory is one of another user.
  const auto foreign = ::geteuid() == 0 ? path_ : fs::path("/");
  if (::geteuid() == 0) ASSERT_EQ(::chown(path_.c_str(), 65534, 65534), 0);
  const auto error = lock_error(foreign);
  EXPECT_EQ(error.code, codes::state_unusable);
  EXPECT_NE(error.message.find("another user"), std::string::npos) << error.message;
  EXPECT_EQ(read_private_file(foreign, "token").error().code, codes::state_unusable);
}

TEST_F(StateDirectoryTest, AnotherUserCanNotReadIt) {
  const auto locked = StateDirectory::lock(path_);
  ASSERT_TRUE(locked->write_private_file("token", "abc"));
  // For a test that doesn't run as root, root's own directory has to do.
  const auto directory = ::geteuid() == 0 ? path_ : fs::path("/root");
  ASSERT_EQ(::chmod(temporary_.path().c_str(), 0755), 0);
  EXPECT_EQ(run_unprivileged([&] {
              return read_private_file(directory, "token").error().code == codes::state_unusable ? 0 : 1;
            }),
            0);
}

TEST_F(StateDirectoryTest, ThatIsASymbolicLinkIsRefused) {
  fs::create_directory(temporary_ / "real");
  ASSERT_EQ(::chmod((temporary_ / "real").c_str(), 0700), 0);
  fs::create_directory_symlink(temporary_ / "real", path_);
  for (const auto& path : {path_, path_ / "", path_ / "."}) {
    const auto error = lock_error(path);
    EXPECT_EQ(error.code, codes::state_unusable) << path;
    EXPECT_NE(error.message.find("symbolic link"), std::string::npos) << error.message;
    EXPECT_FALSE(read_private_file(path, "token"));
  }
  EXPECT_TRUE(fs::is_empty(temporary_ / "real"));
  EXPECT_TRUE(StateDirectory::lock(temporary_ / "real" / ""));
}

TEST_F(StateDirectoryTest, IsHeldOnce) {
  {
    auto first = StateDirectory::lock(path_);
    ASSERT_TRUE(first);
    const auto error = lock_error(path_);
    EXPECT_EQ(error.code, codes::state_unusable);
    EXPECT_EQ(error.detail.at("pid"), ::getpid());
    const auto moved = std::move(*first);
    EXPECT_EQ(lock_error(path_).code, codes::state_unusable);
  }
  EXPECT_TRUE(StateDirectory::lock(path_));
}

TEST_F(StateDirectoryTest, StaysHeldWhenTheLockFileIsDeleted) {
  const auto first = StateDirectory::lock(path_);
  fs::remove(path_ / "lock");
  EXPECT_EQ(lock_error(path_).code, codes::state_unusable);
  EXPECT_FALSE(fs::exists(path_ / "lock"));
}

TEST_F(StateDirectoryTest, HeldByAnotherProcessSaysWhichUntilThatIsDead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto child = start_child([&] {
    const auto locked = StateDirectory::lock(path_);
    if (!locked || ::write(ends[1], "x", 1) != 1) return 1;
    for (;;) ::pause();
  });
  char ready = 0;
  ASSERT_EQ(::read(ends[0], &ready, 1), 1);
  const auto error = lock_error(path_);
  EXPECT_EQ(error.code, codes::state_unusable);
  EXPECT_EQ(error.detail.at("pid"), child);
  EXPECT_NE(error.message.find(std::to_string(child)), std::string::npos);

  ::kill(child, SIGKILL);
  wait_for_child(child);
  EXPECT_TRUE(StateDirectory::lock(path_));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(StateDirectoryTest, ALockFileThatIsALinkOrOpenToOthersIsRefused) {
  fs::create_directory(path_);
  ASSERT_EQ(::chmod(path_.c_str(), 0700), 0);
  write_file(temporary_ / "victim", "precious");
  fs::create_symlink(temporary_ / "victim", path_ / "lock");
  EXPECT_EQ(lock_error(path_).code, codes::state_unusable);
  EXPECT_EQ(content_of(temporary_ / "victim"), "precious");
}

TEST_F(StateDirectoryTest, FilesAreWrittenAndReadBack) {
  const auto locked = StateDirectory::lock(path_);
  const std::string content = "a\0b\n" + std::string(50'000, 'c');
  ASSERT_TRUE(locked->write_private_file("token", "old"));
  ASSERT_TRUE(locked->write_private_file("token", content));
  EXPECT_EQ(read_private_file(path_, "token"), content);
  EXPECT_EQ(read_private_file(path_, "token", content.size()), content);
  EXPECT_EQ(read_private_file(path_, "token", content.size() - 1).error().code, codes::state_unusable);
  EXPECT_EQ(read_private_file(path_, "missing").error().code, codes::not_found);
  EXPECT_EQ(read_private_file(temporary_ / "missing", "token").error().code, codes::not_found);
  EXPECT_EQ(std::distance(fs::directory_iterator(path_), {}), 2);  // lock and token: nothing temporary.
}

TEST_F(StateDirectoryTest, NamesThatLeaveTheDirectoryAreRefused) {
  const auto locked = StateDirectory::lock(path_);
  for (const std::string& name :
       {std::string(""), std::string("."), std::string(".."), std::string("../token"), std::string("a/b"),
        std::string("/etc/passwd"), std::string("a\0b", 3), std::string("lock"), std::string(300, 'a')}) {
    EXPECT_EQ(locked->write_private_file(name, "x").error().code, codes::invalid_request) << name;
    EXPECT_EQ(read_private_file(path_, name).error().code, codes::invalid_request) << name;
  }
}

TEST_F(StateDirectoryTest, OnlyPrivateRegularFilesAreRead) {
  const auto locked = StateDirectory::lock(path_);
  write_file(temporary_ / "elsewhere", "precious");
  ASSERT_EQ(::chmod((temporary_ / "elsewhere").c_str(), 0600), 0);
  fs::create_symlink(temporary_ / "elsewhere", path_ / "link");
  ASSERT_EQ(::mkfifo((path_ / "fifo").c_str(), 0600), 0);
  fs::create_directory(path_ / "directory");
  write_file(path_ / "readable", "x");
  ASSERT_EQ(::chmod((path_ / "readable").c_str(), 0644), 0);
  for (const auto* name : {"link", "fifo", "directory", "readable"}) {
    EXPECT_EQ(read_private_file(path_, name).error().code, codes::state_unusable) << name;
  }
}

TEST_F(StateDirectoryTest, AFailedWriteLeavesTheOldContentAndNothingElse) {
  const auto locked = StateDirectory::lock(path_);
  ASSERT_TRUE(locked->write_private_file("token", "old"));
  {
    const FileFaults broken({.on_sync = [] { return EIO; }});
    EXPECT_EQ(locked->write_private_file("token", "new").error().code, codes::state_unusable);
  }
  EXPECT_EQ(read_private_file(path_, "token"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(path_), {}), 2);
}

TEST_F(StateDirectoryTest, WhatADeadProcessLeftBehindIsReplaced) {
  const auto locked = StateDirectory::lock(path_);
  write_file(path_ / ".token.new", "half");
  EXPECT_TRUE(locked->write_private_file("token", "abc"));
  EXPECT_EQ(read_private_file(path_, "token"), "abc");
  EXPECT_FALSE(fs::exists(path_ / ".token.new"));
}

/// Keeps calling `plant` on a thread of its own, as another process of the same user might, while 200 files
/// are written.
void write_while(const StateDirectory& directory, const std::function<void()>& plant,
                 const std::function<void()>& check) {
  std::atomic<bool> stop = false;
  std::thread attacker([&] {
    while (!stop) plant();
  });
  int ended = 0;
  for (int i = 0; i < 200; ++i) {
    const auto written = directory.write_private_file("token", "secret");
    EXPECT_TRUE(written || written.error().code == codes::state_unusable);
    check();
    ++ended;
  }
  stop = true;
  attacker.join();
  EXPECT_EQ(ended, 200);
}

TEST_F(StateDirectoryTest, ARaceOfSymbolicLinksNeverReachesTheirTarget) {
  const auto locked = StateDirectory::lock(path_);
  const auto victim = temporary_ / "victim";
  write_file(victim, "precious");
  ASSERT_EQ(::chmod(victim.c_str(), 0600), 0);
  const auto plant = [&] {
    for (const auto* name : {"token", ".token.new"}) {
      ::symlink(victim.c_str(), (path_ / name).c_str());
      std::error_code ignored;
      fs::create_symlink(victim, path_ / "planted", ignored);
      fs::rename(path_ / "planted", path_ / name, ignored);
    }
  };
  write_while(*locked, plant, [&] { EXPECT_NE(read_private_file(path_, "token"), "precious"); });
  EXPECT_EQ(content_of(victim), "precious");
  ASSERT_TRUE(locked->write_private_file("token", "secret"));
  EXPECT_EQ(read_private_file(path_, "token"), "secret");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path_ / "token")));
}

TEST_F(StateDirectoryTest, ARaceOfHardLinksNeverReachesTheirTarget) {
  const auto locked = StateDirectory::lock(path_);
  const auto victim = temporary_ / "victim";
  write_file(victim, "precious");
  ASSERT_EQ(::chmod(victim.c_str(), 0600), 0);
  const auto plant = [&] { ::link(victim.c_str(), (path_ / ".token.new").c_str()); };
  write_while(*locked, plant, [&] { EXPECT_EQ(content_of(victim), "precious"); });
}

TEST_F(StateDirectoryTest, FilesGoToTheDirectoryThatWasCheckedWhateverItsPathBecomes) {
  const auto locked = StateDirectory::lock(path_);
  fs::create_directory(temporary_ / "elsewhere");
  fs::rename(path_, temporary_ / "moved");
  fs::create_directory_symlink(temporary_ / "elsewhere", path_);
  ASSERT_TRUE(locked->write_private_file("token", "secret"));
  EXPECT_TRUE(fs::is_empty(temporary_ / "elsewhere"));
  EXPECT_EQ(read_private_file(temporary_ / "moved", "token"), "secret");
}

}  // namespace
}  // namespace instantstart::store
