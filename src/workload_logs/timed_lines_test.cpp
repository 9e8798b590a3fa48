#include "workload_logs/timed_lines.h"

#include <gtest/gtest.h>

#include "workload_logs/merged_lines.h"

namespace instantstart::workload_logs {
namespace {

const std::string k_one = "2026-01-01T00:00:01.000000001Z ";
const std::string k_two = "2026-01-01T00:00:01.000000002Z ";
const std::string k_three = "2026-01-01T00:00:01.000000003Z ";

std::string take(StreamCursor from, const std::string& text) {
  TimedLines lines(std::move(from));
  return lines.take(text);
}

TEST(TimedLines, TakesTheTimesOffWhereverTheTextIsSplit) {
  const std::string text = k_one + "a b\n" + k_one + "\n" + k_two + "c\rd\n";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    TimedLines lines({});
    const std::string begin = lines.take(text.substr(0, at));
    EXPECT_EQ(begin + lines.take(text.substr(at)), "a b\n\nc\rd\n");
    EXPECT_EQ(lines.cursor(), (StreamCursor{.time = k_two.substr(0, 30), .lines = 1, .part = 0}));
  }
}

TEST(TimedLines, GoesOnFromEveryByteOfTheText) {
  const std::string text =
      k_one + "a\n" + k_one + "a\n" + k_one + "abc\n" + k_three + "d\n" + k_three + "open";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    TimedLines before({});
    std::string all = before.take(text.substr(0, at));
    TimedLines after(before.cursor());
    all += after.take(text);
    EXPECT_EQ(all, "a\na\nabc\nd\nopen") << at;
    EXPECT_FALSE(after.gap());
  }
}

TEST(TimedLines, LeavesOutTheEndOfALineThatBeganBefore) {
  EXPECT_EQ(
      take({.time = k_two.substr(0, 30), .lines = 1}, "of a long line\n" + k_two + "a\n" + k_three + "b\n"),
      "b\n");
}

TEST(TimedLines, TellsThatTheServerNoLongerHasTheNextLine) {
  TimedLines lines({.time = k_one.substr(0, 30), .lines = 2});
  EXPECT_EQ(lines.take(k_three + "c\n"), "c\n");
  EXPECT_TRUE(lines.gap());
}

TEST(TimedLines, KeepsWordsOfTheKubeletThatHaveNoTime) {
  EXPECT_EQ(take({}, k_one + "a\nfailed to watch file\n" + k_two + "b\n"), "a\nfailed to watch file\nb\n");
}

TEST(MergedLines, EndAtNewlinesAndCarriageReturns) {
  const auto merged = merged_lines("a\nb\rc\r\nd", "[p] ", false);
  EXPECT_EQ(merged.text, "[p] a\n[p] b\r[p] c\r\n");
  EXPECT_EQ(merged.used, 7U);
}

TEST(MergedLines, ACarriageReturnAtTheEndWaitsForWhatFollows) {
  EXPECT_EQ(merged_lines("a\r", "[p] ", false).used, 0U);
  EXPECT_EQ(merged_lines("a\r", "[p] ", true).text, "[p] a\r");
}

TEST(MergedLines, WhatIsLeftAtTheEndBecomesALine) {
  EXPECT_EQ(merged_lines("rest", "[p] ", true).text, "[p] rest\n");
}

TEST(MergedLines, ALongLineIsCut) {
  const auto merged = merged_lines(std::string(k_longest_merged_line + 1, 'x'), "[p] ", true);
  EXPECT_EQ(merged.text, "[p] " + std::string(k_longest_merged_line, 'x') + "\n[p] x\n");
}

}  // namespace
}  // namespace instantstart::workload_logs
