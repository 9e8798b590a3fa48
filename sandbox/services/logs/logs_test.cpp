#include "sandbox/services/logs/logs.h"

#include <chrono>
#include <optional>

#include "sandbox/core/testing/world_fixture.h"

namespace instantstart::sandbox::logs {
namespace {

namespace api = aws::logs;

class LogsTest : public WorldFixture {
 protected:
  LogsTest() { restart(); }
  ~LogsTest() override { logs.reset(); }
  void restart() {
    logs.reset();
    start();
    logs.emplace(process->world(), Limits{.batch_bytes = 1000, .answer_bytes = 1000, .answer_events = 100});
    EXPECT_TRUE(process->load());
  }
  template <class Op>
  Reply<typename Op::Output> ask(const typename Op::Input& input) {
    return process->ask<Op>(*logs, input);
  }
  template <class Op>
  std::string code(const typename Op::Input& input) {
    const auto reply = ask<Op>(input);
    return reply ? "" : reply.error().code;
  }
  void make_stream(const std::string& stream = "s", const std::string& group = "g") {
    ask<api::CreateLogGroup>({.log_group_name = group});
    EXPECT_TRUE(ask<api::CreateLogStream>({.log_group_name = group, .log_stream_name = stream}));
  }
  std::int64_t now() { return process->world().now().time_since_epoch().count(); }
  Reply<api::PutLogEventsResponse> put(std::vector<std::pair<std::int64_t, std::string>> events,
                                       const std::string& stream = "s") {
    api::PutLogEventsRequest request{
        .log_group_name = "g", .log_stream_name = stream, .log_events = std::vector<api::InputLogEvent>{}};
    for (auto& [offset, text] : events) {
      request.log_events->push_back({.timestamp = now() + offset, .message = std::move(text)});
    }
    return ask<api::PutLogEvents>(request);
  }
  /// Messages of a page with blanks between; remembers the tokens.
  std::string get(std::optional<std::string> token, bool from_head = true, std::int64_t limit = 2) {
    const auto page = ask<api::GetLogEvents>({.log_group_name = "g",
                                              .log_stream_name = "s",
                                              .next_token = std::move(token),
                                              .limit = limit,
                                              .start_from_head = from_head});
    if (!page) return page.error().code;
    forward = *page->next_forward_token;
    backward = *page->next_backward_token;
    std::string text;
    for (const auto& event : *page->events) text += (text.empty() ? "" : " ") + *event.message;
    return text;
  }
  std::string filter(const api::FilterLogEventsRequest& in) {
    const auto page = ask<api::FilterLogEvents>(in);
    if (!page) return page.error().code;
    next = page->next_token;
    std::string text;
    for (const auto& event : *page->events) {
      text += (text.empty() ? "" : " ") + *event.log_stream_name + "=" + *event.message;
    }
    return text;
  }

  std::optional<Logs> logs;
  std::string forward;
  std::string backward;
  std::optional<std::string> next;
};

TEST_F(LogsTest, NamesAreTakenOnce) {
  make_stream();
  EXPECT_EQ(code<api::CreateLogGroup>({.log_group_name = "g"}), "ResourceAlreadyExistsException");
  EXPECT_EQ(code<api::CreateLogStream>({.log_group_name = "g", .log_stream_name = "s"}),
            "ResourceAlreadyExistsException");
  EXPECT_EQ(code<api::CreateLogStream>({.log_group_name = "none", .log_stream_name = "s"}),
            "ResourceNotFoundException");
  EXPECT_EQ(code<api::CreateLogGroup>({.log_group_name = "aws/x"}), "InvalidParameterException");
  EXPECT_EQ(code<api::CreateLogGroup>({.log_group_name = "no blanks"}), "InvalidParameterException");
  EXPECT_EQ(code<api::CreateLogStream>({.log_group_name = "g", .log_stream_name = "a:b"}),
            "InvalidParameterException");
}

TEST_F(LogsTest, GroupsAreListedInPagesByPrefixOrPattern) {
  for (const char* name : {"/aws/sagemaker/a", "/aws/sagemaker/b", "/other"}) {
    EXPECT_TRUE(ask<api::CreateLogGroup>({.log_group_name = name}));
  }
  const auto first = ask<api::DescribeLogGroups>({.log_group_name_prefix = "/aws/", .limit = 1}).value();
  ASSERT_EQ(first.log_groups->size(), 1U);
  EXPECT_EQ(first.log_groups->at(0).arn, "arn:aws:logs:us-west-2:123456789012:log-group:/aws/sagemaker/a:*");
  const auto second = ask<api::DescribeLogGroups>(
                          {.log_group_name_prefix = "/aws/", .next_token = first.next_token, .limit = 1})
                          .value();
  EXPECT_EQ(second.log_groups->at(0).log_group_name, "/aws/sagemaker/b");
  EXPECT_FALSE(second.next_token);
  EXPECT_EQ(ask<api::DescribeLogGroups>({.log_group_name_pattern = "maker/b"}).value().log_groups->size(),
            1U);
  EXPECT_EQ(code<api::DescribeLogGroups>({.log_group_name_prefix = "a", .log_group_name_pattern = "b"}),
            "InvalidParameterException");
  EXPECT_EQ(code<api::DescribeLogGroups>({.next_token = "x"}), "InvalidParameterException");
}

TEST_F(LogsTest, StreamsAreListedByNameOrByTheirLastEvent) {
  make_stream("a");
  make_stream("b");
  EXPECT_TRUE(put({{-5, "new"}}, "a"));
  EXPECT_TRUE(put({{-50, "old"}}, "b"));
  const auto names = [this](const api::DescribeLogStreamsRequest& in) {
    std::string text;
    const auto page = ask<api::DescribeLogStreams>(in).value();
    for (const auto& stream : *page.log_streams) text += *stream.log_stream_name;
    return text;
  };
  EXPECT_EQ(names({.log_group_name = "g"}), "ab");
  EXPECT_EQ(names({.log_group_name = "g", .order_by = "LastEventTime"}), "ba");
  EXPECT_EQ(names({.log_group_name = "g", .order_by = "LastEventTime", .descending = true}), "ab");
  EXPECT_EQ(names({.log_group_identifier = "arn:aws:logs:us-west-2:123456789012:log-group:g"}), "ab");
  EXPECT_EQ(code<api::DescribeLogStreams>(
                {.log_group_name = "g", .log_stream_name_prefix = "a", .order_by = "LastEventTime"}),
            "InvalidParameterException");
  EXPECT_EQ(code<api::DescribeLogStreams>({.log_group_name = "none"}), "ResourceNotFoundException");
}

TEST_F(LogsTest, AStreamIsReadForwardUntilTheTokenRepeats) {
  make_stream();
  EXPECT_TRUE(put({{-3, "a"}, {-2, "b"}, {-1, "c"}}));
  EXPECT_EQ(get(std::nullopt), "a b");
  EXPECT_EQ(get(forward), "c");
  const std::string end = forward;
  EXPECT_EQ(get(end), "");
  EXPECT_EQ(forward, end);
  EXPECT_TRUE(put({{0, "d"}}));
  EXPECT_EQ(get(end), "d");
}

TEST_F(LogsTest, AStreamIsReadBackwardFromItsEnd) {
  make_stream();
  EXPECT_TRUE(put({{-3, "a"}, {-2, "b"}, {-1, "c"}}));
  EXPECT_EQ(get(std::nullopt, false), "b c");
  const std::string newest = forward;
  EXPECT_EQ(get(backward, false), "a");
  const std::string start = backward;
  EXPECT_EQ(get(start, false), "");
  EXPECT_EQ(backward, start);
  EXPECT_EQ(get(newest), "");
  EXPECT_EQ(get("nonsense"), "InvalidParameterException");
}

TEST_F(LogsTest, AnEmptyStreamShowsWhatComesLater) {
  make_stream();
  EXPECT_EQ(get(std::nullopt, false), "");
  EXPECT_TRUE(put({{0, "a"}}));
  EXPECT_EQ(get(forward), "a");
}

TEST_F(LogsTest, EventsOfOneMomentKeepTheirOrder) {
  make_stream();
  EXPECT_TRUE(put({{0, "a"}, {0, "b"}}));
  EXPECT_TRUE(put({{0, "c"}}));
  EXPECT_EQ(get(std::nullopt, true, 10), "a b c");
}

TEST_F(LogsTest, EventsTooOldOrTooNewAreRejectedAndTold) {
  make_stream();
  constexpr std::int64_t k_day = 24 * 3600 * 1000;
  const auto old = put({{-14 * k_day - 5, "old"}, {-14 * k_day + 5, "just"}}).value();
  EXPECT_EQ(old.rejected_log_events_info->too_old_log_event_end_index, 1);
  const auto late = put({{0, "now"}, {3 * 3600 * 1000, "late"}}).value();
  EXPECT_EQ(late.rejected_log_events_info->too_new_log_event_start_index, 1);
  EXPECT_EQ(get(std::nullopt, true, 10), "just now");
}

TEST_F(LogsTest, ABatchHasItsLimits) {
  make_stream();
  EXPECT_EQ(put({{0, "b"}, {-1, "a"}}).error().message,
            "Log events in a single PutLogEvents request must be in chronological order.");
  EXPECT_EQ(put({{0, std::string(975, 'x')}}).error().message,
            "Upload too large: 1001 bytes exceeds limit of 1000");
  EXPECT_EQ(put({{-25 * 3600 * 1000, "a"}, {0, "b"}}).error().code, "InvalidParameterException");
  EXPECT_EQ(put({{0, "a"}}, "none").error().code, "ResourceNotFoundException");
  EXPECT_TRUE(put({{0, std::string(974, 'x')}}));
}

TEST_F(LogsTest, AFilterSearchesStreamsTogetherInPages) {
  make_stream("a");
  make_stream("b");
  EXPECT_TRUE(put({{-4, "x1"}, {-2, "ERROR_2"}}, "a"));
  EXPECT_TRUE(put({{-3, "ERROR_1"}, {-1, "ERROR_3"}}, "b"));
  EXPECT_EQ(filter({.log_group_name = "g", .filter_pattern = "ERROR", .limit = 2}), "b=ERROR_1 a=ERROR_2");
  EXPECT_EQ(filter({.log_group_name = "g", .filter_pattern = "ERROR", .next_token = next, .limit = 2}),
            "b=ERROR_3");
  EXPECT_FALSE(next);
  EXPECT_EQ(filter({.log_group_name = "g", .log_stream_names = {{"a"}}}), "a=x1 a=ERROR_2");
  EXPECT_EQ(filter({.log_group_name = "g", .start_time = now() - 3, .end_time = now() - 2}),
            "b=ERROR_1 a=ERROR_2");
  EXPECT_EQ(filter({.log_group_name = "g", .limit = 1, .start_from_head = false}), "b=ERROR_3");
  EXPECT_EQ(filter({.log_group_name = "g", .log_stream_names = {{"a"}}, .log_stream_name_prefix = "b"}),
            "InvalidParameterException");
  EXPECT_EQ(filter({.log_group_name = "g", .filter_pattern = "{ $.x = 1 }"}), "InvalidParameterException");
}

TEST_F(LogsTest, OtherServicesWriteAndARestartKeepsIt) {
  logs->append("us-west-2", "g", "s", {"one", "two"});
  EXPECT_TRUE(process->run(process->world().commit()));
  restart();
  EXPECT_EQ(get(std::nullopt, true, 10), "one two");
}

}  // namespace
}  // namespace instantstart::sandbox::logs
