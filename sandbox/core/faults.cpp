#include "sandbox/core/faults.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/random.h"

namespace instantstart::sandbox {
namespace {

bool matches(std::string_view wanted, std::string_view name) { return wanted == "*" || wanted == name; }

/// The request is written as text only when a rule asks for it: it may hold an object of S3.
bool matches(const FaultRule& rule, std::string_view service, std::string_view operation,
             const json::object& request, std::string_view invoked_by) {
  return rule.invoked_by.value_or("") == invoked_by && matches(rule.service, service) &&
         matches(rule.operation, operation) && (!rule.contains || to_text(request).contains(*rule.contains));
}

void check_rule(const FaultRule& rule, std::vector<FieldProblem>& problems) {
  const auto require = [&](bool present, std::string_view name) {
    if (present) return;
    problems.push_back({fmt::format("/{}", name),
                        "required",
                        fmt::format("is required by a fault of kind {}", fault_kind_name(rule.kind)),
                        "",
                        {}});
  };
  if (rule.kind == FaultKind::error || rule.kind == FaultKind::resource_failure) {
    require(rule.code.has_value(), "code");
  }
  if (rule.kind == FaultKind::late_reply || rule.kind == FaultKind::slow) {
    require(rule.delay_ms.has_value(), "delay_ms");
  }
  const bool works_inside = rule.kind == FaultKind::error || rule.kind == FaultKind::access_denied ||
                            rule.kind == FaultKind::resource_failure;
  if (rule.invoked_by && !works_inside) {
    problems.push_back({"/kind",
                        "meaningless",
                        "must be error, access_denied or resource_failure where invoked_by is given",
                        std::string(fault_kind_name(rule.kind)),
                        {}});
  }
}

}  // namespace

Type describe(FaultKind*) {
  using enum FaultKind;
  return enum_type<FaultKind>(
      "FaultKind", "What goes wrong.",
      {{error, {"error", "Answers `code` with `status`; nothing is carried out."}},
       {throttle, {"throttle", "The service's throttling error; nothing is carried out."}},
       {server_error, {"server_error", "The service's status 500; nothing is carried out."}},
       {drop_request, {"drop_request", "Closes the connection without carrying it out."}},
       {drop_reply, {"drop_reply", "Carries it out and closes the connection without an answer."}},
       {late_reply, {"late_reply", "Carries it out at once, answers after `delay_ms`."}},
       {slow, {"slow", "Waits `delay_ms`, then carries it out."}},
       {expired_credentials, {"expired_credentials", "The caller's token has expired."}},
       {access_denied, {"access_denied", "The caller may not do this."}},
       {resource_failure,
        {"resource_failure", "The call succeeds; what it makes fails later, with `code` as the reason."}}});
}

std::string_view fault_kind_name(FaultKind kind) {
  const auto& values = type_of<FaultKind>().values;
  return std::ranges::find(values, static_cast<std::int64_t>(kind), &EnumValue::value)->name;
}

Type describe(FaultRule*) {
  using R = FaultRule;
  return object_type<R>(
      "FaultRule", "What shall become of some calls.",
      {field<&R::service>("service", "As botocore names it; * is any."),
       field<&R::operation>("operation", "The API's name; * is any."),
       field<&R::kind>("kind", "What goes wrong."), field<&R::code>("code", "The error code."),
       field<&R::message>("message", "The error message."),
       field<&R::status>("status", "The HTTP status of an error.", {.rule = {.min = 400, .max = 599}}),
       field<&R::delay_ms>("delay_ms", "Milliseconds of wall time.", {.rule = {.min = 0, .max = 600'000}}),
       field<&R::skip>("skip", "So many matching calls pass first.", {.defaulted = true, .rule = {.min = 0}}),
       field<&R::times>("times", "Then so many are hit; 0 is all.", {.defaulted = true, .rule = {.min = 0}}),
       field<&R::contains>("contains", "Only calls whose request, as API JSON text, contains this."),
       field<&R::probability>("probability", "Of a hit, by the world's seed.",
                              {.rule = {.min = 0, .max = 1}}),
       field<&R::invoked_by>("invoked_by", "Only calls that this service makes for a client.")},
      &check_rule);
}

Type describe(PlannedFault*) {
  using P = PlannedFault;
  return object_type<P>(
      "PlannedFault", "A rule with what has become of it.",
      {field<&P::rule>("rule", "The rule."), field<&P::seen>("seen", "Matching calls so far."),
       field<&P::hits>("hits", "Calls hit so far.")});
}

FaultPlan::FaultPlan(World& world) : world_(world), planned_(world, "sandbox.fault") {}

void FaultPlan::replace(const std::vector<FaultRule>& rules) {
  while (planned_.size() > 0) planned_.erase(std::string(planned_.begin()->first));
  for (std::size_t i = 0; i < rules.size(); ++i) {
    planned_.put(fmt::format("{:06}", i), PlannedFault{.rule = rules[i]});
  }
}

std::vector<FaultRule> FaultPlan::rules() const {
  std::vector<FaultRule> rules;
  for (const auto& [id, planned] : planned_) {
    if (planned.used_up()) continue;
    FaultRule rule = planned.rule;
    rule.skip = std::max<std::int64_t>(0, rule.skip - planned.seen);
    if (rule.times > 0) rule.times -= planned.hits;
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::optional<FaultRule> FaultPlan::hit(std::string_view service, std::string_view operation,
                                        const json::object& request, std::string_view invoked_by) {
  std::size_t position = 0;
  for (const auto& [id, planned] : planned_) {
    ++position;
    if (planned.used_up() || !matches(planned.rule, service, operation, request, invoked_by)) continue;
    bool hits = false;
    planned_.edit(id, [&](PlannedFault& counted) { hits = count(position, counted); });
    if (hits) return planned.rule;
  }
  return std::nullopt;
}

bool FaultPlan::count(std::size_t position, PlannedFault& planned) const {
  ++planned.seen;
  if (planned.seen <= planned.rule.skip) return false;
  if (planned.rule.probability) {
    // By position and count, not by a running generator: a restart goes on with the same decisions.
    constexpr std::uint64_t k_spread = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
    SeededRandom chance(world_.seed() ^ (position * k_spread) ^
                        (static_cast<std::uint64_t>(planned.seen) * k_spread * k_spread));
    if (chance.unit() >= *planned.rule.probability) return false;
  }
  ++planned.hits;
  return true;
}

}  // namespace instantstart::sandbox
