// What the steps decide, as tables.
#include "capabilities/storage/storage_steps.h"

#include <gtest/gtest.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/dependencies/dependency_steps.h"
#include "capabilities/storage/bucket_access.h"

namespace instantstart::capabilities {
namespace {

using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::Wait;

constexpr const char* k_me = "op-1";
const BucketInput k_bucket{{"demo", "us-west-2", "1", std::nullopt}, "data"};
const Mount k_mount{
    .cluster = k_bucket.cluster, .name = "n", .space = "s", .bucket = "data", .path = "/data"};
const AccessInput k_access{k_mount, "role"};

/// "act create", "done 1" (resources owned), "blocked name_taken" …
std::string words(const Decision& decision) {
  struct {
    std::string operator()(const Done& done) const {
      return "done " + std::to_string(done.owned.size()) + " " + std::to_string(done.removed.size());
    }
    std::string operator()(const Act& act) const {
      const auto& request = act.request.as_object();
      const auto* what = request.if_contains("call");
      if (!what) what = request.if_contains("ref");
      if (!what) what = request.if_contains("mark");
      return "act " + std::string(what->as_string()) + (act.makes.empty() ? "" : " makes");
    }
    std::string operator()(const Wait&) const { return "wait"; }
    std::string operator()(const Blocked& blocked) const { return "blocked " + blocked.error.code; }
    std::string operator()(const Fail& failed) const { return "fail " + failed.error.code; }
    std::string operator()(const operations::Ask&) const { return "ask"; }
  } visitor;
  return std::visit(visitor, decision);
}

BucketSeen bucket(std::optional<std::string> maker, bool closed = true, bool empty = true) {
  return {.exists = true,
          .accessible = true,
          .region = "us-west-2",
          .maker = std::move(maker),
          .public_blocked = closed,
          .empty = empty};
}

TEST(BucketStep, IsMadeOnceClosedAndNeverTaken) {
  EXPECT_EQ(words(choose_bucket(k_me, k_bucket, {})), "act create makes");
  EXPECT_EQ(words(choose_bucket(k_me, k_bucket, bucket(k_me, false))), "act block_public_access");
  EXPECT_EQ(words(choose_bucket(k_me, k_bucket, bucket(k_me))), "done 1 0");
  EXPECT_EQ(words(choose_bucket(k_me, k_bucket, bucket("op-0"))), "done 0 0");
  EXPECT_EQ(words(choose_bucket(k_me, k_bucket, bucket(std::nullopt))), "blocked name_taken");
  EXPECT_EQ(words(choose_bucket(k_me, k_bucket, {.exists = true})), "blocked name_taken");
}

TEST(BucketStep, AnUndoDeletesOnlyItsOwnAndOnlyWhileItIsEmpty) {
  EXPECT_EQ(words(choose_bucket_undo(k_me, k_bucket, bucket(k_me))), "act delete");
  EXPECT_EQ(words(choose_bucket_undo(k_me, k_bucket, bucket(k_me, true, false))), "fail conflict");
  EXPECT_EQ(words(choose_bucket_undo(k_me, k_bucket, bucket("op-0"))), "done 0 0");
  EXPECT_EQ(words(choose_bucket_undo(k_me, k_bucket, bucket(std::nullopt))), "done 0 0");
  EXPECT_EQ(words(choose_bucket_undo(k_me, k_bucket, {})), "done 0 1");
}

AccessSeen policy(std::optional<std::string> mark, bool as_wanted = true) {
  return {.exists = true, .mark = std::move(mark), .as_wanted = as_wanted};
}

TEST(AccessStep, APolicyKeepsItsMakerWhenItIsSetBack) {
  const std::string mine = policy_mark(k_me);
  EXPECT_EQ(words(choose_access(k_me, k_access, {})), "act " + mine + " makes");
  EXPECT_EQ(words(choose_access(k_me, k_access, policy(mine))), "done 1 0");
  EXPECT_EQ(words(choose_access(k_me, k_access, policy("Operation0"))), "done 0 0");
  EXPECT_EQ(words(choose_access(k_me, k_access, policy("Operation0", false))), "act Operation0");
  EXPECT_EQ(words(choose_access(k_me, k_access, policy(std::nullopt, false))), "blocked name_taken");
}

TEST(AccessStep, AnUndoTakesOnlyItsOwnAndAnUnmountOnlyOurs) {
  const std::string mine = policy_mark(k_me);
  EXPECT_EQ(words(choose_access_removal(k_me, k_access, policy(mine))), "act " + mine);
  EXPECT_EQ(words(choose_access_removal(k_me, k_access, policy("Operation0"))), "done 0 0");
  EXPECT_EQ(words(choose_access_removal({}, k_access, policy("Operation0"))), "act Operation0");
  EXPECT_EQ(words(choose_access_removal({}, k_access, policy(std::nullopt))), "blocked name_taken");
  EXPECT_EQ(words(choose_access_removal({}, k_access, {})), "done 0 1");
}

MountSeen objects(std::optional<std::string> volume, std::optional<std::string> claim, std::string phase) {
  MountSeen seen{.phase = std::move(phase)};
  seen.objects.push_back({.ref = "persistentvolumes/s.n", .exists = volume.has_value(), .maker = volume});
  seen.objects.push_back({.ref = "persistentvolumeclaims/s/n", .exists = claim.has_value(), .maker = claim});
  return seen;
}

TEST(VolumeStep, TheVolumeComesBeforeTheClaimAndBothMustBeBound) {
  const auto choose = [](const MountSeen& seen, milliseconds since = {}) {
    return words(choose_volume(k_me, k_mount, seen, {.since_start = since}));
  };
  EXPECT_EQ(choose(objects({}, {}, "")), "act persistentvolumes/s.n makes");
  EXPECT_EQ(choose(objects(k_me, {}, "")), "act persistentvolumeclaims/s/n makes");
  EXPECT_EQ(choose(objects(k_me, k_me, "Pending")), "wait");
  EXPECT_EQ(choose(objects(k_me, k_me, "Pending"), std::chrono::minutes(16)), "blocked conflict");
  EXPECT_EQ(choose(objects(k_me, k_me, "Lost")), "fail conflict");
  EXPECT_EQ(choose(objects(k_me, k_me, "Bound")), "done 2 0");
  EXPECT_EQ(choose(objects("op-0", k_me, "Bound")), "done 1 0");
  auto foreign = objects(k_me, k_me, "Bound");
  foreign.objects[0].maker.reset();
  EXPECT_EQ(choose(foreign), "blocked name_taken");
  auto other = objects(k_me, k_me, "Bound");
  other.objects[0].differences = {"/spec/csi/volumeAttributes/bucketName"};
  EXPECT_EQ(choose(other), "blocked name_taken");
  auto going = objects(k_me, k_me, "Bound");
  going.objects[1].going = true;
  EXPECT_EQ(choose(going), "wait");
}

TEST(VolumeStep, TheClaimGoesFirstAndNotWhilePodsUseIt) {
  const auto unmount = [](const MountSeen& seen) { return words(choose_volume_removal({}, seen)); };
  const auto undo = [](const MountSeen& seen) { return words(choose_volume_removal(k_me, seen)); };
  EXPECT_EQ(unmount(objects("op-0", "op-0", "Bound")), "act persistentvolumeclaims/s/n");
  EXPECT_EQ(unmount(objects("op-0", {}, "")), "act persistentvolumes/s.n");
  EXPECT_EQ(unmount(objects({}, {}, "")), "done 0 2");
  EXPECT_EQ(undo(objects("op-0", "op-0", "Bound")), "done 0 0");
  EXPECT_EQ(undo(objects("op-0", k_me, "Bound")), "act persistentvolumeclaims/s/n");
  auto used = objects("op-0", "op-0", "Bound");
  used.users = {"a"};
  used.user_count = 1;
  EXPECT_EQ(unmount(used), "blocked blocked");
  used.objects[1].going = true;
  EXPECT_EQ(unmount(used), "wait") << "a claim that is going already waits for its pods";
  auto foreign = objects("op-0", "op-0", "Bound");
  foreign.objects[1].maker.reset();
  EXPECT_EQ(unmount(foreign), "blocked name_taken");
  EXPECT_EQ(undo(foreign), "done 0 0");
}

TEST(VolumeStep, InUseNamesThePods) {
  MountSeen seen{.users = {"a", "b", "c", "d"}, .user_count = 1'000};
  const auto error = in_use(seen);
  EXPECT_EQ(error.message, "1000 pods use it: a, b, c, …. It can't go before they end.");
  EXPECT_EQ(error.detail.at("count"), 1'000);
  EXPECT_EQ(error.detail.at("pods").as_array().size(), 4U);
}

}  // namespace
}  // namespace instantstart::capabilities
