#include "faces/mcp/progress.h"

#include <gtest/gtest.h>

namespace instantstart::faces {
namespace {

TEST(ProgressOf, CountsStepsAndNamesTheOneThatRuns) {
  const json::object view{
      {"state", "running"},
      {"steps",
       {{{"title", "Make the VPC"}, {"state", "done"}},
        {{"title", "Make the cluster"}, {"state", "waiting"}, {"progress", "CREATING\x1b[2J"}},
        {{"title", "Make the group"}, {"state", "pending"}}}}};
  EXPECT_EQ(progress_of(view),
            (Progress{.done = 1, .total = 3, .message = "running: Make the cluster (waiting), CREATING"}));
}

TEST(ProgressOf, KnowsOnlyTheStateOfOtherAnswers) {
  EXPECT_EQ(progress_of({{"state", "running"}}), (Progress{.message = "running"}));
  EXPECT_EQ(progress_of({{"steps", 7}}), Progress{});
}

TEST(ProgressOf, IsBounded) {
  EXPECT_LE(progress_of({{"state", std::string(5000, 'x')}}).message.size(), 200u);
}

TEST(ProgressNotification, GrowsStrictlyWhateverTheStepsDo) {
  double last = -1;
  double before = -1;
  for (const double done : {0.0, 0.0, 1.0, 1.0, 0.0, 2.0}) {
    const auto note = progress_notification("t", {.done = done, .total = 3, .message = {}}, last);
    const double shown = note.at("params").at("progress").to_number<double>();
    EXPECT_GT(shown, before);
    before = shown;
  }
  EXPECT_EQ(before, 2.0);
}

TEST(ProgressNotification, LeavesOutAnUnknownTotal) {
  double last = -1;
  EXPECT_EQ(to_text(progress_notification(7, {.message = "running"}, last)),
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
            R"({"progressToken":7,"progress":0.0,"message":"running"}})");
}

}  // namespace
}  // namespace instantstart::faces
