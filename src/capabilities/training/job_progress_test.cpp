#include "capabilities/training/job_progress.h"

#include <gtest/gtest.h>

namespace instantstart::capabilities {
namespace {

TEST(JobProgress, OfABarIsThatOfItsLastDrawing) {
  EXPECT_EQ(
      progress_in(
          "\r 10%|█         | 50/500 [01:48<16:15,  2.17s/it]\r 12%|█▏        | 60/500 [02:10<1:15:55,  "
          "2.17s/it]"),
      (JobProgress{.step = 60,
                   .total_steps = 500,
                   .throughput = 2.17,
                   .throughput_unit = "s/it",
                   .eta_seconds = 4'555,
                   .format = "tqdm"}));
}

TEST(JobProgress, OfHuggingFaceJoinsTheBarAndTheLoss) {
  const auto progress = progress_in(
      "[pod-0] [rank0]: Training:  12%|█▏        | 60/500 [02:10<15:55,  2.17s/it]\r"
      "{'loss': '1.342', 'grad_norm': '0.871', 'learning_rate': '1.98e-05', 'epoch': '0.05'}\n");
  ASSERT_TRUE(progress.has_value());
  EXPECT_EQ(progress->step, 60);
  EXPECT_EQ(progress->loss, 1.342);
  EXPECT_EQ(progress->format, "huggingface");
}

TEST(JobProgress, OfHuggingFaceMayHaveNumbersWithoutQuotes) {
  EXPECT_EQ(progress_in("{'loss': 1.5e-2, 'epoch': 1}\n")->loss, 0.015);
}

TEST(JobProgress, OfAnEvaluationIsNotItsLoss) {
  EXPECT_FALSE(progress_in("{'eval_loss': '2.0', 'epoch': '1'}\n").has_value());
}

TEST(JobProgress, OfMsSwiftTellsStepsAndTime) {
  EXPECT_EQ(
      progress_in(
          "{'loss': '1.12', 'token_acc': '0.71', 'grad_norm': '0.6', 'learning_rate': '9.9e-05', 'epoch': "
          "'0.1', 'global_step/max_steps': '10/935', 'elapsed_time': '52s', 'remaining_time': '1h 20m 3s', "
          "'memory(GiB)': '61.2', 'train_speed(s/it)': '5.2'}\n"),
      (JobProgress{.step = 10,
                   .total_steps = 935,
                   .loss = 1.12,
                   .throughput = 5.2,
                   .throughput_unit = "s/it",
                   .eta_seconds = 4'803,
                   .format = "ms_swift"}));
}

TEST(JobProgress, OfMegatronSwiftIsReckonedFromTheSpeed) {
  const auto progress = progress_in(
      "{'loss': 1.1, 'grad_norm': 0.5, 'learning_rate': 9e-06, 'iteration': '20/500', 'train_speed(s/it)': "
      "9.1}\n");
  ASSERT_TRUE(progress.has_value());
  EXPECT_EQ(progress->step, 20);
  EXPECT_EQ(progress->eta_seconds, 4'368);
}

TEST(JobProgress, OfTorchtitanIsReadThroughItsColours) {
  const auto progress = progress_in(
      "[titan] 2026-11-30 10:00:00,001 - root - INFO - \x1b[31mstep: 20  \x1b[32mloss:  7.81234  "
      "\x1b[38;2;180;60;0mgrad_norm:  1.2345  \x1b[36mmemory: 41.20GiB(51.80%)  \x1b[34mtps: 7,412  tflops: "
      "311.20  "
      "mfu: 31.47%\x1b[39m\n");
  EXPECT_EQ(progress, (JobProgress{.step = 20,
                                   .loss = 7.81234,
                                   .throughput = 7'412,
                                   .throughput_unit = "tokens/s/gpu",
                                   .format = "torchtitan"}));
}

TEST(JobProgress, OfMegatronHasItsPace) {
  const auto progress = progress_in(
      "[train-3] [default7]: [2026-11-30 10:00:00] iteration       20/     500 | consumed samples:         "
      "2560 | elapsed "
      "time per iteration (ms): 4120.3 | throughput per GPU (TFLOP/s/GPU): 402.1 | learning rate: "
      "1.000000E-05 | lm "
      "loss: 2.123456E+00 | loss scale: 1.0 | grad norm: 0.912 |\n");
  EXPECT_EQ(progress, (JobProgress{.step = 20,
                                   .total_steps = 500,
                                   .loss = 2.123456,
                                   .throughput = 402.1,
                                   .throughput_unit = "tflops/gpu",
                                   .eta_seconds = 1'978,
                                   .format = "megatron"}));
}

TEST(JobProgress, TellsThatTheLossIsNoNumber) {
  const auto progress = progress_in("{'loss': 'nan', 'epoch': '1'}\n");
  ASSERT_TRUE(progress.has_value());
  EXPECT_FALSE(progress->loss_is_finite);
  EXPECT_FALSE(progress->loss.has_value());
}

TEST(JobProgress, IsAbsentWhereNothingIsTold) {
  EXPECT_FALSE(progress_in("Loading checkpoint shards\nNCCL INFO\n").has_value());
  EXPECT_FALSE(progress_in("").has_value());
}

}  // namespace
}  // namespace instantstart::capabilities
