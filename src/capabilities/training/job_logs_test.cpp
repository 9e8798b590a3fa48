#include "capabilities/training/job_logs.h"

#include <gtest/gtest.h>

#include "base/decode.h"

namespace instantstart::capabilities {
namespace {

TEST(ReadableLog, IsValidUtf8AndKeepsWhatIs) {
  EXPECT_EQ(readable("a\r\x1b[31mä\n", false, 100).text, "a\r\x1b[31mä\n");
  EXPECT_EQ(readable("a\xff"
                     "b\xc3(",
                     false, 100)
                .text,
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd(");
}

TEST(ReadableLog, ACharacterThatIsCutOffWaitsForItsEnd) {
  const std::string text = "ä█😀";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const auto begin = readable(text.substr(0, at), false, 100);
    EXPECT_EQ(begin.text + readable(text.substr(begin.used), true, 100).text, text) << at;
  }
  EXPECT_EQ(readable("a\xe2\x96", true, 100).text, "a\xef\xbf\xbd");
}

TEST(ReadableLog, BrokenBytesAtTheEndAreNotWaitedFor) {
  EXPECT_EQ(readable("a\xff", false, 100).used, 2U);
  EXPECT_EQ(readable("a\x80", false, 100).used, 2U);
}

TEST(ReadableLog, TakesNoMoreRoomInJsonThanThereIs) {
  const auto text = readable("a\n\x1b[0mb\n", false, 10);
  EXPECT_EQ(text.text, "a\n\x1b[");
  EXPECT_EQ(text.used, 4U);
}

TEST(JobLogsRequest, OffsetAndTailExcludeEachOther) {
  const json::value both{{"cluster", "demo"}, {"name", "a"}, {"offset", 3}, {"tail_bytes", 4}};
  const auto request = decode<JobLogs>(both);
  ASSERT_FALSE(request.has_value());
  EXPECT_EQ(request.error().problems.at(0).pointer, "/tail_bytes");
}

TEST(LogSubjectOf, OursIsFoundByOurLabelAndAnothersByItsJob) {
  const fleet::ClusterRecord cluster{
      .key = {.name = "demo", .region = "us-west-2", .account = "123456789012"}};
  EXPECT_EQ(log_subject_of(cluster, "default", "a").selector, "instantstart/job=a");
  EXPECT_EQ(log_subject_of(cluster, "default", "a").owner->plural, "hyperpodpytorchjobs");
  EXPECT_EQ(foreign_log_subject_of(cluster, "default", "a").selector, "");
}

}  // namespace
}  // namespace instantstart::capabilities
