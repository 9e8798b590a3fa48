#include "sandbox/kubernetes/training/log_rules.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

std::optional<seconds> seconds_at(const json::object& rule, std::string_view member) {
  if (!rule.contains(member)) return std::nullopt;
  return seconds(number_at(rule, member));
}

std::optional<LogRule> read_rule(const json::object& text) {
  auto pattern = UntrustedPattern::compile(member_text(text, "logPattern"));
  if (!pattern) return std::nullopt;
  LogRule rule{.name = std::string(member_text(text, "name")),
               .pattern = std::move(*pattern),
               .stop = std::nullopt,
               .start_within = seconds_at(text, "expectedStartCutOffInSeconds"),
               .again_within = seconds_at(text, "expectedRecurringFrequencyInSeconds"),
               .comparison = std::string(member_text(text, "operator")),
               .threshold = number_at(text, "metricThreshold"),
               .data_points = std::max<std::int64_t>(1, number_at(text, "metricEvaluationDataPoints", 1))};
  if (const auto stop = member_text(text, "stopPattern"); !stop.empty()) {
    auto compiled = UntrustedPattern::compile(stop);
    if (!compiled) return std::nullopt;
    rule.stop = std::move(*compiled);
  }
  if (!text.contains("metricThreshold")) rule.comparison.clear();
  return rule;
}

bool is_bad(const LogRule& rule, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return false;
  const auto limit = static_cast<double>(rule.threshold);
  if (rule.comparison == "gt") return value > limit;
  if (rule.comparison == "lt") return value < limit;
  if (rule.comparison == "gteq") return value >= limit;
  if (rule.comparison == "lteq") return value <= limit;
  return rule.comparison == "eq" && value == limit;
}

}  // namespace

Type describe(RuleWatch*) {
  using W = RuleWatch;
  return object_type<W>("RuleWatch", "What was seen of a log rule.",
                        {field<&W::rule>("rule", "Its name."), field<&W::matches>("matches", "So far."),
                         field<&W::bad_in_a_row>("bad_in_a_row", "Of its metric."),
                         field<&W::last_match>("last_match", "RFC 3339.", {.defaulted = true}),
                         field<&W::retired>("retired", "Not looked at any more.")});
}

std::vector<LogRule> log_rules_of(const json::object& job) {
  std::vector<LogRule> rules;
  const json::object& policy = member_object(member_object(job, "spec"), "runPolicy");
  for (const auto& value : member_array(policy, "logMonitoringConfiguration")) {
    auto rule = value.is_object() ? read_rule(value.get_object()) : std::nullopt;
    if (!rule) return {};
    rules.push_back(std::move(*rule));
  }
  return rules;
}

std::vector<RuleWatch> fresh_watches(const std::vector<LogRule>& rules) {
  std::vector<RuleWatch> watches;
  for (const auto& rule : rules) watches.push_back({.rule = rule.name});
  return watches;
}

std::optional<std::string> watch_line(const std::vector<LogRule>& rules, std::vector<RuleWatch>& watches,
                                      std::string_view line, WallTime now) {
  std::optional<std::string> slow;
  for (std::size_t i = 0; i < std::min(rules.size(), watches.size()); ++i) {
    const LogRule& rule = rules[i];
    RuleWatch& watch = watches[i];
    if (watch.retired) continue;
    if (rule.stop && rule.stop->match_at_start(line)) {
      watch.retired = true;
      continue;
    }
    const auto match = rule.pattern.match_at_start(line);
    if (!match) continue;
    ++watch.matches;
    watch.last_match = to_rfc3339(now);
    if (rule.comparison.empty()) continue;
    watch.bad_in_a_row = is_bad(rule, *match) ? watch.bad_in_a_row + 1 : 0;
    if (watch.bad_in_a_row >= rule.data_points && !slow) slow = rule.name;
  }
  return slow;
}

Silence silence_of(const std::vector<LogRule>& rules, const std::vector<RuleWatch>& watches, WallTime begun,
                   WallTime now, std::int64_t scale) {
  Silence found;
  for (std::size_t i = 0; i < std::min(rules.size(), watches.size()); ++i) {
    const auto& limit =
        watches[i].matches == 0 && rules[i].start_within ? rules[i].start_within : rules[i].again_within;
    if (watches[i].retired || !limit) continue;
    const auto last = parse_rfc3339(watches[i].last_match);
    const milliseconds left = *limit - (now - (last ? *last : begun)) * scale;
    if (left <= milliseconds(0)) return {.rule = rules[i].name, .until = std::nullopt};
    if (!found.until || left < *found.until) found.until = left;
  }
  return found;
}

}  // namespace instantstart::sandbox::kubernetes
