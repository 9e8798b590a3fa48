#include "simulation/prepared.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace instantstart::simulation {
namespace {

using sandbox::FaultKind;
using sandbox::FaultRule;

constexpr std::int64_t k_longest_trouble_ms = 60 * 60'000;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return random_.next() % std::max<std::uint64_t>(limit, 1); }
  bool chance(double probability) { return random_.unit() < probability; }
  double share(double most) { return random_.unit() * most; }

 private:
  SeededRandom random_;
};

FaultRule anything(FaultKind kind) { return {.service = "*", .operation = "*", .kind = kind}; }

/// A rule for some of all calls.
FaultRule sometimes(FaultKind kind, double probability) {
  FaultRule rule = anything(kind);
  rule.times = 0;
  rule.probability = probability;
  if (kind == FaultKind::late_reply || kind == FaultKind::slow) rule.delay_ms = 40'000;
  return rule;
}

/// `count` different places are all visited before one is visited again.
std::uint64_t place(std::uint64_t turn, std::uint64_t count) {
  constexpr std::uint64_t k_stride = 7919;  // A prime: no count divides it.
  return (turn * k_stride) % std::max<std::uint64_t>(count, 1);
}

Plot much_trouble(const Verdict& peaceful, std::uint64_t seed) {
  Dice dice(seed * 2 + 1);
  Plot plot{.seed = seed + 1};
  plot.trouble_ends = milliseconds(static_cast<std::int64_t>(dice.below(k_longest_trouble_ms)) + 1);
  for (auto crashes = dice.below(6); crashes > 0; --crashes)
    plot.crash_at_commit[1 + dice.below(2 * peaceful.commits)] = dice.chance(0.5);
  for (auto crashes = dice.below(4); crashes > 0; --crashes)
    plot.crash_at_fault_point.insert(1 + dice.below(2 * peaceful.fault_points));
  for (const auto kind : {FaultKind::throttle, FaultKind::server_error, FaultKind::drop_request,
                          FaultKind::drop_reply, FaultKind::late_reply, FaultKind::slow}) {
    if (dice.chance(0.4)) plot.rules.push_back(sometimes(kind, dice.share(0.4)));
  }
  if (dice.chance(0.4)) plot.wire.refused = dice.share(0.3);
  if (dice.chance(0.4)) plot.wire.held_up = dice.share(0.6);
  plot.asks = 1 + static_cast<int>(dice.below(3));
  return plot;
}

std::string unit_text(const Verdict& verdict) { return fmt::format("{}", fmt::join(verdict.broken, "; ")); }

}  // namespace

Prepared prepare(const Scenario& scenario) {
  Snapshot at = empty_snapshot();
  for (const auto& step : scenario.before) {
    House house(at, 1);
    const Verdict verdict = play(house, step, {});
    if (!verdict.broken.empty())
      throw std::runtime_error(fmt::format("{}: {}", step.action, unit_text(verdict)));
    at = house.snapshot();
  }
  House house(at, 1);
  Verdict peaceful = play(house, scenario.asked, {});
  return {.begin = std::move(at), .peaceful = std::move(peaceful)};
}

Plot drawn_plot(const Verdict& peaceful, std::uint64_t seed) {
  const std::uint64_t turn = seed / 3;
  if (seed % 3 == 0) {
    Plot plot{.seed = seed + 1};
    const auto instant = place(turn, 2 * peaceful.commits);
    plot.crash_at_commit[1 + instant / 2] = instant % 2 == 1;
    return plot;
  }
  if (seed % 3 == 1) {
    Plot plot{.seed = seed + 1};
    FaultRule lost = anything(FaultKind::drop_reply);
    lost.skip = static_cast<std::int64_t>(place(turn, peaceful.audit.size()));
    plot.rules.push_back(std::move(lost));
    return plot;
  }
  return much_trouble(peaceful, seed);
}

}  // namespace instantstart::simulation
