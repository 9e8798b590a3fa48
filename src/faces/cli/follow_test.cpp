// Following a text that grows, and what of it a terminal gets.
#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include "base/json.h"
#include "contract/testing/sample_actions.h"
#include "faces/cli/cli.h"
#include "faces/cli/terminal_text.h"
#include "net/testing/virtual_time.h"

namespace instantstart::faces {
namespace {

TEST(TerminalText, KeepsColoursAndCarriageReturns) {
  EXPECT_EQ(TerminalText().take("\x1b[1;31mred\x1b[0m\r10%\tä\n"), "\x1b[1;31mred\x1b[0m\r10%\tä\n");
}

TEST(TerminalText, LeavesOutWhatSteersTheTerminal) {
  EXPECT_EQ(TerminalText().take("a\x1b[2Jb\x1b]0;title\x07"
                                "c\x7f\x08\xc2\x9b"
                                "31md\x1b"
                                "c\x1b[?25l"),
            "ab]0;titlec31mdc");
}

TEST(TerminalText, SequencesMayBeCutAnywhere) {
  const std::string text = "a\x1b[31mb\x1b[2Kc\xc2\x9b\xc3\xa4";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    TerminalText terminal;
    const std::string begin = terminal.take(text.substr(0, at));
    EXPECT_EQ(begin + terminal.take(text.substr(at)), "a\x1b[31mbc\xc3\xa4") << at;
  }
}

/// Gives answers in turn, and remembers the targets.
class Answers final : public net::HttpClient {
 public:
  explicit Answers(std::vector<net::ClientResponse> answers) : answers_(std::move(answers)) {}

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline) override {
    urls.push_back(request.url);
    co_return answers_.at(urls.size() - 1);
  }
  Task<Stream> open(net::ClientRequest, net::Deadline) override { co_return Stream{}; }

  std::vector<std::string> urls;

 private:
  std::vector<net::ClientResponse> answers_;
};

net::ClientResponse piece(const std::string& text, int next, bool ended) {
  return {
      .status = 200,
      .body = to_text(json::object{{"text", text}, {"next_offset", next}, {"ended", ended}, {"attempt", 2}})};
}

struct Followed {
  CliOutcome outcome;
  std::string shown;
  std::vector<std::string> urls;
};

Followed follow(std::vector<net::ClientResponse> answers, bool as_json = false) {
  const contract::ActionTable actions{contract::testing::sample_actions()};
  net::VirtualTime time;
  Answers client(std::move(answers));
  Followed followed;
  ActionCall call{
      .action = actions.find("book_list"), .arguments = {{"tail_bytes", 5}}, .output_json = as_json};
  bool done = false;
  asio::co_spawn(time.context(),
                 follow_call(client, time, {.url = "http://127.0.0.1:1", .token = "t"}, std::move(call),
                             [&followed](std::string_view text) { followed.shown += text; }),
                 [&](const std::exception_ptr&, CliOutcome outcome) {
                   followed.outcome = std::move(outcome);
                   done = true;
                 });
  EXPECT_TRUE(time.run_until([&done] { return done; }));
  followed.urls = client.urls;
  return followed;
}

TEST(FollowCall, GoesOnFromWhereTheAnswerEnded) {
  const auto followed = follow({piece("a\n", 2, false), piece("", 2, false), piece("b\n", 4, true)});
  EXPECT_EQ(followed.shown, "a\nb\n");
  EXPECT_EQ(followed.outcome.exit_code, 0);
  ASSERT_EQ(followed.urls.size(), 3U);
  EXPECT_TRUE(followed.urls[0].contains("tail_bytes=5"));
  EXPECT_TRUE(followed.urls[1].ends_with("?wait_seconds=45&offset=2&attempt=2")) << followed.urls[1];
  EXPECT_FALSE(followed.urls[1].contains("tail_bytes"));
}

TEST(FollowCall, ShowsWholeAnswersAsJson) {
  EXPECT_EQ(follow({piece("\x1b[2J", 4, true)}, true).shown,
            "{\"text\":\"\\u001b[2J\",\"next_offset\":4,\"ended\":true,\"attempt\":2}\n");
}

TEST(FollowCall, EndsWithTheServersRefusal) {
  const auto followed = follow({{.status = 404, .body = R"({"code":"not_found","detail":"No such job."})"}});
  EXPECT_EQ(followed.outcome.exit_code, 1);
  EXPECT_TRUE(followed.outcome.err.contains("No such job."));
}

}  // namespace
}  // namespace instantstart::faces
