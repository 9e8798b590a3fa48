// Operations that are steps of others.
#include "base/error_codes.h"
#include "operations/engine_impl.h"

namespace instantstart::operations {
namespace {

Error as_outcome(Error error) {
  if (!is_refusal(error)) error.code = std::string(codes::unknown_outcome);
  return error;
}

ChildSeen seen_of(const journal::Child& child, const LoadedOperation& loaded) {
  ChildSeen seen{.id = child.id,
                 .kind = loaded.operation.kind,
                 .token = child.token,
                 .state = child.state,
                 .rollback = child.rollback,
                 .steps_done = child.steps_done,
                 .steps_total = child.steps_total};
  if (child.state == OperationState::succeeded) seen.outputs = outputs_of(loaded);
  const StepRecord* step = step_in_question(loaded);
  if (step == nullptr) return seen;
  if (step->error) seen.error = error_of(*step->error);
  if (step->question) {
    auto question = decode<Question>(parse_stored(*step->question));
    if (question) seen.question = std::move(*question);
  }
  return seen;
}

}  // namespace

Task<std::vector<ChildSeen>> Engine::Impl::look(std::string parent_id, std::string step_id) {
  co_return co_await parts.database.read<std::vector<ChildSeen>>(
      [&](store::Transaction& transaction) -> Result<std::vector<ChildSeen>> {
        auto children = journal::children(transaction, parent_id);
        if (!children) return fail(std::move(children.error()));
        std::vector<ChildSeen> seen;
        for (const auto& child : *children) {
          if (child.step_id != step_id) continue;
          auto loaded = journal::load(transaction, child.id);
          if (!loaded) return fail(std::move(loaded.error()));
          seen.push_back(seen_of(child, *loaded));
        }
        return seen;
      });
}

Task<> Engine::Impl::start(journal::Parent parent, contract::Plan plan, json::object input,
                           std::string principal) {
  auto wanted = new_operation(std::move(plan), std::move(input), std::move(principal));
  if (!wanted) co_return fail(std::move(wanted.error()));
  wanted->parent = std::move(parent);
  auto accepted = co_await accept(std::move(*wanted));
  if (!accepted) co_return fail(as_outcome(std::move(accepted.error())));
  co_return Result<>{};
}

Task<> Engine::Impl::roll_back(std::string id) {
  const auto me = owner();
  const WallTime now = parts.time.wall();
  auto made = co_await parts.database.write<journal::Requested>(
      [&](store::Transaction& transaction) { return journal::roll_back_child(transaction, id, me, now); });
  if (!made) {
    note_failure(made.error());
    co_return fail(as_outcome(std::move(made.error())));
  }
  take(*made);
  co_return Result<>{};
}

}  // namespace instantstart::operations
