#include "base/log.h"

#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/text.h"

namespace instantstart {
namespace {

class FixedClock final : public Clock {
 public:
  WallTime wall() const override { return *parse_rfc3339("2026-11-30T19:35:29.125Z"); }
  SteadyTime steady() const override { return {}; }
};

struct Captured {
  FixedClock clock;
  std::string text;

  Log log(LogLevel least = LogLevel::debug) {
    return {clock, least, [this](std::string_view line) { text += line; }};
  }
};

TEST(Log, WritesOneJsonObjectALine) {
  Captured captured;
  captured.log().info("cluster created", {{"cluster", "a"}, {"nodes", 8}});
  EXPECT_EQ(captured.text,
            "{\"time\":\"2026-11-30T19:35:29.125Z\",\"level\":\"info\",\"message\":\"cluster created\","
            "\"cluster\":\"a\",\"nodes\":8}\n");
}

TEST(Log, NamesTheLevels) {
  Captured captured;
  const Log log = captured.log();
  log.debug("1");
  log.info("2");
  log.warning("3");
  log.error("4");
  for (const std::string_view level : {"debug", "info", "warning", "error"}) {
    EXPECT_NE(captured.text.find("\"level\":\"" + std::string(level) + "\""), std::string::npos);
  }
}

TEST(Log, DropsWhatIsBelowTheLevel) {
  Captured captured;
  const Log log = captured.log(LogLevel::warning);
  log.debug("a");
  log.info("b");
  EXPECT_EQ(captured.text, "");
  log.warning("c");
  EXPECT_NE(captured.text, "");
}

TEST(Log, AddedFieldsAreOnEveryLineOfTheCopyOnly) {
  Captured captured;
  const Log log = captured.log();
  const Log child = log.with({{"request_id", std::string("r1")}, {"step", "x"}});
  child.info("one", {{"step", "y"}});
  EXPECT_NE(captured.text.find(R"("request_id":"r1","step":"y")"), std::string::npos);
  captured.text.clear();
  log.info("two");
  EXPECT_EQ(captured.text.find("request_id"), std::string::npos);
}

TEST(Log, AFieldCannotForgeWhatEveryLineHas) {
  Captured captured;
  captured.log().info("real", {{"message", "forged"}, {"level", "error"}});
  const auto line = parse_json(trim(captured.text));
  ASSERT_TRUE(line);
  EXPECT_EQ(line->at("message"), "real");
  EXPECT_EQ(line->at("level"), "info");
  EXPECT_EQ(line->at("message_"), "forged");
}

TEST(Log, ForeignTextCannotStartALineOrSteerATerminal) {
  Captured captured;
  captured.log().info("a\n{\"level\":\"error\"}\x1b[2J\u009b2J\xff", {{"k\n", "v\r\n"}});
  EXPECT_EQ(captured.text.find('\n'), captured.text.size() - 1);
  EXPECT_EQ(captured.text.find('\x1b'), std::string::npos);
  EXPECT_EQ(captured.text.find("\u009b"), std::string::npos);
  EXPECT_TRUE(parse_json(captured.text));
}

TEST(Log, TheDefaultOneDropsEverything) {
  const Log log;
  log.with({{"a", 1}}).error("nobody hears");
}

TEST(Log, LinesOfThreadsStayWhole) {
  Captured captured;
  const Log log = captured.log();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&log, i] {
        for (int n = 0; n < 250; ++n) log.info("tick", {{"thread", i}});
      });
    }
  }
  const auto lines = split(captured.text, '\n');
  ASSERT_EQ(lines.size(), 1001u);
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_TRUE(parse_json(lines[i]));
}

TEST(LogToDescriptor, WritesAllOfAnyLineToASlowReader) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(::fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  const std::string line(300'000, 'x');  // more than a pipe holds
  std::string read;
  {
    const std::jthread writer([&] {
      log_to_descriptor(ends[1])(line);
      ::close(ends[1]);
    });
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
      read.append(buffer, static_cast<std::size_t>(got));
    }
  }
  ::close(ends[0]);
  EXPECT_EQ(read, line);
}

TEST(LogToDescriptor, ABadDescriptorIsNoReasonToStop) { log_to_descriptor(-1)("line\n"); }

}  // namespace
}  // namespace instantstart
