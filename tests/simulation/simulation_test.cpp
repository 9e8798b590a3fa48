// Exactly once, for the operations that the product has. RUNS sets the number of schedules a kind, SEED
// repeats one of them.
#include "simulation/schedule.h"

#include <chrono>
#include <cstdlib>
#include <map>
#include <string>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "simulation/prepared.h"

namespace instantstart::simulation {
namespace {

constexpr std::uint64_t k_runs = 6;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Simulation : public ::testing::TestWithParam<std::string> {};

TEST_P(Simulation, ChangesEverythingOnce) {
  const Scenario& scenario = scenario_named(GetParam());
  const Prepared prepared = prepare(scenario);
  ASSERT_TRUE(prepared.peaceful.broken.empty())
      << fmt::format("{}", fmt::join(prepared.peaceful.broken, "\n")) << prepared.peaceful.story;
  const bool one = std::getenv("SEED") != nullptr;
  const std::uint64_t first = from_environment("SEED", 0);
  const std::uint64_t runs = one ? 1 : from_environment("RUNS", k_runs);
  std::uint64_t crashes = 0;
  std::uint64_t retries = 0;
  std::uint64_t failures = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    House house(prepared.begin, seed + 1);
    Verdict verdict = play(house, scenario.asked, drawn_plot(prepared.peaceful, seed));
    for (auto& difference : differences(prepared.peaceful, verdict)) verdict.broken.push_back(difference);
    crashes += verdict.crashes;
    retries += verdict.retries;
    if (verdict.broken.empty()) continue;
    ADD_FAILURE() << fmt::format("Repeat with: SEED={} simulation_test --gtest_filter='*{}'\n  {}\n{}", seed,
                                 scenario.name, fmt::join(verdict.broken, "\n  "),
                                 one ? verdict.story : std::string());
    if (++failures == 5) break;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{}: {} schedules, {} crashes, {} retries, {:.1f} schedules/s\n", scenario.name, runs, crashes,
             retries, static_cast<double>(runs) / seconds);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& scenario : scenarios()) all.push_back(scenario.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Schedules, Simulation, ::testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace instantstart::simulation
