#include "operations/engine.h"
#include "operations/testing/simulation.h"

namespace instantstart::operations::testing {
namespace {

using contract::Plan;
using contract::PlannedStep;

/// The kind of steps that plan their child when their turn comes.
constexpr std::string_view k_late = "plan_and_run";

PlannedStep make(std::string id, std::string kind, std::vector<std::string> after = {},
                 std::int64_t build_ms = 8'000) {
  PlannedStep step{.id = id, .kind = std::move(kind), .title = "Make " + id, .after = std::move(after)};
  step.effect = contract::StepEffect::create;
  step.input = {{"name", id}, {"build_ms", build_ms}};
  return step;
}

PlannedStep remove(std::string name, std::vector<std::string> after = {}) {
  PlannedStep step{
      .id = "remove-" + name, .kind = "remove_thing", .title = "Remove " + name, .after = std::move(after)};
  step.effect = contract::StepEffect::remove;
  step.input = {{"name", name}};
  return step;
}

Plan plan_of(std::string kind, std::string subject, std::vector<PlannedStep> steps) {
  Plan plan;
  plan.kind = std::move(kind);
  plan.subject = std::move(subject);
  plan.summary = "Something made up.";
  plan.steps = std::move(steps);
  return plan;
}

PlannedStep child(std::string id, Plan plan, std::vector<std::string> after = {},
                  std::string_view kind = k_child_operation_step) {
  PlannedStep step{.id = std::move(id), .kind = std::string(kind), .title = "Run", .after = std::move(after)};
  step.effect = contract::StepEffect::create;
  step.input = {{"plan", encode(plan)}};
  return step;
}

Plan things(std::vector<PlannedStep> steps) { return plan_of("make_things", "cluster/x", std::move(steps)); }

Plan branches() {
  return things({make("a", "make_with_token"), make("b", "make_tagged", {"a"}),
                 make("c", "make_unique", {"a"}), make("d", "make_with_token", {"a"}),
                 make("e", "make_tagged", {"b", "c", "d"})});
}

Plan family(std::string_view child_kind = k_child_operation_step) {
  auto first = plan_of("make_things", "cluster/x/part/one",
                       {make("one-a", "make_with_token"), make("one-b", "make_tagged", {"one-a"})});
  auto second = plan_of("make_things", "cluster/x/part/two", {make("two-a", "make_unique")});
  return plan_of("make_family", "cluster/x",
                 {child("first", std::move(first), {}, child_kind), make("own", "make_tagged"),
                  child("second", std::move(second), {"first"}, child_kind)});
}

}  // namespace

std::vector<Scenario> scenarios() {
  const Plan chain_of_tokens = things({make("a", "make_with_token"), make("b", "make_with_token", {"a"}),
                                       make("c", "make_with_token", {"b"})});
  const Plan chain_of_names =
      things({make("a", "make_unique"), make("b", "make_unique", {"a"}), make("c", "make_tagged", {"b"})});
  const Plan long_waits =
      things({make("a", "make_with_token", {}, 40 * 60'000), make("b", "make_unique", {}, 20 * 60'000),
              make("c", "make_tagged", {"a", "b"})});
  const Plan unrepeatable = things(
      {make("a", "make_unique"), make("b", "make_unseen", {"a"}), make("c", "make_with_token", {"b"})});
  const Plan removal =
      plan_of("remove_things", "cluster/x", {remove("a"), remove("b", {"remove-a"}), remove("c")});
  return {{.name = "chain_of_tokens", .plan = chain_of_tokens},
          {.name = "chain_of_names", .plan = chain_of_names},
          {.name = "branches", .plan = branches()},
          {.name = "long_waits", .plan = long_waits},
          {.name = "family", .plan = family()},
          {.name = "late_family", .plan = family(k_late)},
          {.name = "unrepeatable", .plan = unrepeatable},
          {.name = "removal", .plan = removal, .given = {"a", "b", "c"}},
          {.name = "branches_undone", .plan = branches(), .cancelling = Cancelling::with_rollback},
          {.name = "family_undone", .plan = family(), .cancelling = Cancelling::with_rollback},
          {.name = "late_family_undone", .plan = family(k_late), .cancelling = Cancelling::with_rollback},
          {.name = "branches_of_two_owners", .plan = branches(), .two_owners = true},
          {.name = "family_of_two_owners", .plan = family(), .two_owners = true},
          {.name = "late_family_of_two_owners", .plan = family(k_late), .two_owners = true}};
}

Scenario lying_scenario() {
  return {.name = "lying",
          .plan = things({make("a", "make_lying"), make("b", "make_lying", {"a"})}),
          .cancelling = Cancelling::never};
}

}  // namespace instantstart::operations::testing
