// What the steps decide, as tables.
#include "capabilities/inference/deployment_steps.h"

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

constexpr const char* k_me = "op-1";
const ServedModel k_model{
    .cluster = {"demo", "us-west-2", "1", std::nullopt}, .name = "n", .space = "s", .model = "m"};

/// "act deployments/s/n op-1 makes", "act pods 1", "done 1 0" (owned, removed), "fail conflict" …
std::string words(const Decision& decision) {
  struct {
    std::string operator()(const Done& done) const {
      return "done " + std::to_string(done.owned.size()) + " " + std::to_string(done.removed.size());
    }
    std::string operator()(const Act& act) const {
      const auto request = decode<DeploymentRequest>(act.request).value();
      if (request.ref.empty()) return "act pods " + std::to_string(request.pods.size());
      return "act " + request.ref + " " + request.maker + (request.force ? " force" : "") +
             (act.makes.empty() ? "" : " makes");
    }
    std::string operator()(const Wait&) const { return "wait"; }
    std::string operator()(const Blocked& blocked) const { return "blocked " + blocked.error.code; }
    std::string operator()(const Fail& failed) const { return "fail " + failed.error.code; }
    std::string operator()(const operations::Ask&) const { return "ask"; }
  } visitor;
  return std::visit(visitor, decision);
}

DeploymentSeen nothing() { return {.objects = {{.ref = "deployments/s/n"}, {.ref = "services/s/n"}}}; }

DeploymentSeen all(std::optional<std::string> maker = k_me) {
  auto seen = nothing();
  for (auto& object : seen.objects) object = {.ref = object.ref, .exists = true, .maker = maker};
  seen.rollout = {.current = true, .wanted = 1, .total = 1, .updated = 1, .available = 1};
  return seen;
}

DeploymentSeen in_trouble(const char* reason, const char* message) {
  auto seen = all();
  seen.rollout.available = 0;
  seen.rollout.pods = {{.name = "p", .uid = "u", .waiting_reason = reason, .waiting_message = message}};
  return seen;
}

std::string chosen(const DeploymentSeen& seen, const History& history = {}) {
  return words(choose_deployment(k_me, k_model, seen, history));
}

TEST(DeploymentStep, MakesTheDeploymentThenTheService) {
  EXPECT_EQ(chosen(nothing()), "act deployments/s/n op-1 makes");
  auto half = nothing();
  half.objects[0] = {.ref = "deployments/s/n", .exists = true, .maker = k_me};
  EXPECT_EQ(chosen(half), "act services/s/n op-1 makes");
  EXPECT_EQ(chosen(all()), "done 2 0");
  EXPECT_EQ(chosen(all("op-0")), "done 0 0") << "made before: not this operation's";
}

TEST(DeploymentStep, AnUpdateKeepsItsMakerAndIsNotRepeatedWithoutEnd) {
  auto seen = all("op-0");
  seen.objects[0].differences = {"/spec/replicas"};
  EXPECT_EQ(chosen(seen), "act deployments/s/n op-0 force");
  History history{.acts = 1, .receipt = json::object{{"ref", "deployments/s/n"}}};
  EXPECT_EQ(chosen(seen, history), "blocked conflict");
  history.asked_again = true;
  EXPECT_EQ(chosen(seen, history), "act deployments/s/n op-0 force");
}

TEST(DeploymentStep, NothingOfOthersIsTouched) {
  EXPECT_EQ(chosen(all(std::nullopt)), "blocked name_taken");
  auto going = all();
  going.objects[0].going = true;
  EXPECT_EQ(chosen(going), "wait");
}

TEST(DeploymentStep, WaitsForWhatMayPassAndFailsForWhatDoesNot) {
  const auto down = in_trouble("ErrImagePull", "i/o timeout");
  EXPECT_EQ(chosen(down, {.acts = 2, .since_act = std::chrono::minutes(1)}), "wait");
  EXPECT_EQ(chosen(down, {.acts = 2, .since_act = std::chrono::minutes(6)}), "fail conflict");
  EXPECT_EQ(chosen(in_trouble("ErrImagePull", "manifest unknown"), {.acts = 2}), "fail conflict");
  auto loading = all();
  loading.rollout.available = 0;
  EXPECT_EQ(chosen(loading, {.acts = 2, .since_act = std::chrono::minutes(60)}), "wait");
  EXPECT_EQ(chosen(loading, {.acts = 2, .since_act = std::chrono::hours(3)}), "blocked conflict");
}

TEST(DeploymentStep, AskedAgainThePodsInTroubleStartAnew) {
  const auto missing = in_trouble("ErrImagePull", "manifest unknown");
  EXPECT_EQ(chosen(missing), "act pods 1") << "a deployment that was there and failing";
  EXPECT_EQ(chosen(missing, {.acts = 2, .asked_again = true}), "act pods 1");
}

TEST(DeploymentRemoval, GoesFromTheServiceToThePods) {
  const auto removal = [](const DeploymentSeen& seen) {
    return words(choose_deployment_removal(std::nullopt, seen));
  };
  auto seen = all("op-0");
  seen.rollout.pods = {{.name = "p"}};
  EXPECT_EQ(removal(seen), "act services/s/n op-0");
  seen.objects[1] = {.ref = "services/s/n"};
  EXPECT_EQ(removal(seen), "act deployments/s/n op-0");
  seen.objects[0] = {.ref = "deployments/s/n"};
  EXPECT_EQ(removal(seen), "wait") << "GPUs are free when the pods are gone";
  seen.rollout.pods.clear();
  EXPECT_EQ(removal(seen), "done 0 2");
  EXPECT_EQ(removal(all(std::nullopt)), "blocked name_taken");
}

TEST(DeploymentRemoval, AnUndoLeavesWhatItDidNotMake) {
  auto seen = all("op-0");
  seen.rollout.pods = {{.name = "p"}};
  EXPECT_EQ(words(choose_deployment_removal(k_me, seen)), "done 0 0");
  seen.objects[1].maker = k_me;
  EXPECT_EQ(words(choose_deployment_removal(k_me, seen)), "act services/s/n op-1");
}

}  // namespace
}  // namespace instantstart::capabilities
