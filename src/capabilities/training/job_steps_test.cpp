#include "capabilities/training/job_steps.h"

#include <gtest/gtest.h>

#include "base/decode.h"
#include "base/error_codes.h"

namespace instantstart::capabilities {
namespace {

using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::History;
using operations::Wait;

const JobSpec k_spec{
    .cluster = {.name = "demo", .region = "us-west-2", .account = "123456789012", .profile = {}},
    .name = "sft",
    .space = "default"};

std::string text_of(const Decision& decision) {
  struct Visitor {
    std::string operator()(const Done&) { return "done"; }
    std::string operator()(const Act& act) {
      return "act " + std::string(act.request.at("call").as_string().c_str());
    }
    std::string operator()(const Wait& wait) { return "wait " + wait.progress; }
    std::string operator()(const Blocked& blocked) { return "blocked " + blocked.error.code; }
    std::string operator()(const Fail& failed) { return "fail " + failed.error.code; }
    std::string operator()(const operations::Ask&) { return "ask"; }
  };
  return std::visit(Visitor{}, decision);
}

JobSeen there(std::optional<std::string> maker = "op") {
  return {.served = true, .exists = true, .uid = "u", .maker = std::move(maker), .state = JobState::pending};
}

TEST(JobStep, IsMadeOnceTheOperatorIsThere) {
  EXPECT_EQ(text_of(choose_job("op", k_spec, {}, {})), "wait Waiting for the training operator");
  EXPECT_EQ(text_of(choose_job("op", k_spec, {}, {.since_start = std::chrono::minutes(31)})),
            "blocked unavailable");
  const auto act = choose_job("op", k_spec, {.served = true}, {});
  EXPECT_EQ(text_of(act), "act create");
  EXPECT_EQ(std::get<Act>(act).makes.at(0).name, "hyperpodpytorchjobs/default/sft");
  EXPECT_EQ(std::get<Done>(choose_job("op", k_spec, there(), {})).owned.size(), 1U);
}

TEST(JobStep, WhatOthersMadeIsNeverTouched) {
  EXPECT_EQ(text_of(choose_job("op", k_spec, there(std::nullopt), {})), "blocked name_taken");
  auto other = there("earlier");
  EXPECT_TRUE(std::get<Done>(choose_job("op", k_spec, other, {})).owned.empty());
  other.differences = {"/spec"};
  EXPECT_EQ(text_of(choose_job("op", k_spec, other, {})), "blocked name_taken");
  auto going = there("earlier");
  going.going = true;
  EXPECT_EQ(text_of(choose_job("op", k_spec, going, {})), "wait A job of this name is being deleted");
}

TEST(JobStep, AJobThatWasDeletedIsNotMadeAgain) {
  EXPECT_EQ(text_of(choose_job("op", k_spec, {.served = true}, {.receipt = json::object{{"uid", "u"}}})),
            "fail conflict");
  EXPECT_EQ(text_of(choose_job_start(k_spec, {.served = true})), "fail conflict");
}

TEST(JobStart, WaitsInWordsUntilPodsRunOrItHasEnded) {
  auto seen = there();
  seen.reasons = {"2 pods pending: Insufficient nvidia.com/gpu"};
  EXPECT_EQ(text_of(choose_job_start(k_spec, seen)), "wait 2 pods pending: Insufficient nvidia.com/gpu");
  for (const auto state :
       {JobState::starting, JobState::running, JobState::restarting, JobState::succeeded}) {
    seen.state = state;
    EXPECT_EQ(text_of(choose_job_start(k_spec, seen)), "done");
  }
  seen.state = JobState::failed;
  EXPECT_EQ(text_of(choose_job_start(k_spec, seen)), "fail conflict") << "nothing of it ever ran";
  seen.has_run = true;
  EXPECT_EQ(std::get<Done>(choose_job_start(k_spec, seen)).output.at("state"), "failed");
  seen.state = JobState::suspended;
  seen.reasons.clear();
  EXPECT_EQ(text_of(choose_job_start(k_spec, seen)), "wait The job is suspended");
}

TEST(JobRemoval, TakesTheVeryJobAndWaitsForItsPods) {
  const JobRemovalInput input{.cluster = k_spec.cluster, .space = "default", .name = "sft", .uid = "u"};
  const auto act = choose_job_removal(std::nullopt, input, there(), {});
  EXPECT_EQ(text_of(act), "act delete");
  EXPECT_EQ(std::get<Act>(act).request.at("uid"), "u");
  auto seen = there();
  seen.going = true;
  EXPECT_EQ(text_of(choose_job_removal(std::nullopt, input, seen, {})), "wait The job is being deleted");
  seen = {.served = true, .pods = 2};
  EXPECT_EQ(text_of(choose_job_removal(std::nullopt, input, seen, {})), "wait 2 pods are still ending");
  EXPECT_EQ(std::get<Done>(choose_job_removal(std::nullopt, input, {.served = true}, {})).removed.size(), 1U);
  seen = there("later");
  seen.uid = "another";
  EXPECT_EQ(text_of(choose_job_removal(std::nullopt, input, seen, {})), "done") << "it took the name";
}

TEST(JobRemoval, OfOthersOnlyWhenThatIsWanted) {
  JobRemovalInput input{.cluster = k_spec.cluster, .space = "default", .name = "sft", .uid = "u"};
  EXPECT_EQ(text_of(choose_job_removal(std::nullopt, input, there(std::nullopt), {})), "blocked blocked");
  input.foreign = true;
  EXPECT_EQ(text_of(choose_job_removal(std::nullopt, input, there(std::nullopt), {})), "act delete");
  EXPECT_EQ(text_of(choose_job_removal("op", input, there("earlier"), {})), "done")
      << "an undo takes its own";
  EXPECT_EQ(text_of(choose_job_removal("op", input, there("op"), {})), "act delete");
}

}  // namespace
}  // namespace instantstart::capabilities
