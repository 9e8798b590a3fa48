// Exactly once, whatever happens: see testing/simulation.h. RUNS sets the number of schedules a scenario,
// SEED repeats one.
#include "operations/testing/simulation.h"

#include <cstdlib>
#include <map>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace instantstart::operations::testing {
namespace {

// A sanitizer makes each schedule several times slower; it looks for other faults than the schedules do.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::uint64_t k_runs = 100;
#else
constexpr std::uint64_t k_runs = 1'000;
#endif

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string how_to_repeat(const Scenario& scenario, std::uint64_t seed, const Verdict& verdict) {
  std::string text = fmt::format("Repeat with: SEED={} operations_test --gtest_filter='*Simulation*{}'", seed,
                                 scenario.name);
  for (const auto& broken : verdict.broken) text += "\n  " + broken;
  if (std::getenv("SEED") == nullptr) return text;
  for (const auto& line : verdict.story) text += "\n" + line;
  return text;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& scenario : scenarios()) all.push_back(scenario.name);
  return all;
}

Scenario named(const std::string& name) {
  for (auto& scenario : scenarios()) {
    if (scenario.name == name) return scenario;
  }
  return {};
}

class Simulation : public ::testing::TestWithParam<std::string> {};

TEST_P(Simulation, KeepsItsPromises) {
  const Scenario scenario = named(GetParam());
  const char* one = std::getenv("SEED");
  const std::uint64_t first = one == nullptr ? 0 : from_environment("SEED", 0);
  const std::uint64_t runs = one == nullptr ? from_environment("RUNS", k_runs) : 1;
  Log::Sink sink;
  if (one != nullptr) sink = [](std::string_view line) { fmt::print("{}", line); };
  Simulator simulator(sink);
  Verdict sum;
  std::map<std::string, std::uint64_t> ends;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    const Verdict verdict = simulator.run(scenario, seed);
    ASSERT_TRUE(verdict.broken.empty()) << how_to_repeat(scenario, seed, verdict);
    sum.commits += verdict.commits;
    sum.crashes += verdict.crashes;
    sum.sends += verdict.sends;
    sum.mutations += verdict.mutations;
    ++ends[verdict.final_state];
  }
  std::string text = fmt::format("{}: {} schedules, {} commits, {} crashes, {} calls, {} changes;",
                                 scenario.name, runs, sum.commits, sum.crashes, sum.sends, sum.mutations);
  for (const auto& [state, count] : ends) text += fmt::format(" {} {}", count, state);
  fmt::print("{}\n", text);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Simulation, ::testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

TEST(SimulationOfALie, IsCaught) {
  const Scenario scenario = lying_scenario();
  Simulator simulator;
  std::uint64_t caught = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    caught += simulator.run(scenario, seed).broken.empty() ? 0 : 1;
  EXPECT_GT(caught, 20U);
}

}  // namespace
}  // namespace instantstart::operations::testing
