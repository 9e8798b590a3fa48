#include "operations/engine.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "operations/engine_impl.h"
#include "operations/schema.h"

namespace instantstart::operations {
namespace {

constexpr milliseconds k_replica_poll{1'000};

Error unsound(std::string why) {
  return {.code = std::string(codes::internal), .message = "The plan can't be run: " + std::move(why)};
}

/// Two replicas took the same token at the same moment; the second one finds the operation of the first.
bool lost_a_race(const Error& error) {
  const auto* kind = error.detail.if_contains("kind");
  return error.code == codes::conflict && kind != nullptr && *kind == json::value("unique");
}

}  // namespace

bool is_refusal(const Error& error) {
  constexpr std::array k_refusals{codes::operation_conflict, codes::token_reused, codes::cancelled,
                                  codes::conflict,           codes::not_found,    codes::invalid_request};
  return std::ranges::find(k_refusals, error.code) != k_refusals.end();
}

void Engine::Impl::note_failure(const Error& error) {
  if (!is_refusal(error)) store_failed();
}

Engine::Impl::Impl(asio::any_io_executor executor, net::Timekeeper& time, Random& random, Log log,
                   store::Database& database, const KindRegistry& kinds, EngineOptions options,
                   FaultPoint fault_point)
    : child_kinds(child_step_kinds(*this, kinds)),
      parts{.executor = executor,
            .time = time,
            .random = random,
            .log = log,
            .database = database,
            .kinds = StepKinds(kinds, child_kinds),
            .options = options,
            .pace = {options.pace, options.least_deadline},
            .fault_point = std::move(fault_point),
            .lease = Lease(time, database, options.lease, options.sole_owner),
            .notices = Notices(time),
            .watchdog = net::Watchdog(time),
            .group = net::TaskGroup(executor, time, log),
            .wake = [this](const std::vector<std::string>& ids) { scheduler.wake(ids); },
            .store_failed = [this] { store_failed(); }},
      scheduler(parts) {}

Result<journal::NewOperation> Engine::Impl::new_operation(contract::Plan plan, json::object input,
                                                          std::string principal) const {
  if (const auto faults = contract::plan_faults(plan); !faults.empty()) return fail(unsound(faults.front()));
  const OperationKind* kind = parts.kinds.operation(plan.kind);
  if (kind == nullptr)
    return fail(unsound(fmt::format("nothing is known of the operation kind '{}'.", plan.kind)));
  for (const auto& step : plan.steps) {
    if (parts.kinds.step(step.kind) == nullptr) {
      return fail(unsound(fmt::format("nothing is known of the step kind '{}'.", step.kind)));
    }
  }
  return journal::NewOperation{.id = make_uuid7(parts.time, parts.random),
                               .plan = std::move(plan),
                               .input = std::move(input),
                               .principal = std::move(principal),
                               .scope = kind->scope,
                               .removes = kind->removes,
                               .owner = owner()};
}

Task<Started> Engine::Impl::accept(journal::NewOperation wanted) {
  Result<journal::Accepted> accepted;
  for (int tries = 0; tries < 2; ++tries) {
    const WallTime now = parts.time.wall();
    accepted = co_await parts.database.write<journal::Accepted>(
        [&](store::Transaction& transaction) { return journal::accept(transaction, wanted, now); });
    if (accepted || !lost_a_race(accepted.error())) break;
  }
  if (!accepted) {
    note_failure(accepted.error());
    co_return fail(std::move(accepted.error()));
  }
  parts.fault("after_accept", accepted->started.operation_id, "");
  if (accepted->created) {
    if (wanted.owner) scheduler.adopt({wanted.id, accepted->epoch}, parts.time.steady());
    parts.notices.changed(wanted.id, true);
  }
  co_return std::move(accepted->started);
}

Task<OperationView> Engine::Impl::view(std::string id) {
  auto source =
      co_await parts.database.read<ViewSource>([&](store::Transaction& transaction) -> Result<ViewSource> {
        auto loaded = journal::load(transaction, id);
        if (!loaded) return fail(std::move(loaded.error()));
        auto resources = journal::resources(transaction, id);
        if (!resources) return fail(std::move(resources.error()));
        auto children = journal::children(transaction, id);
        if (!children) return fail(std::move(children.error()));
        return ViewSource{std::move(*loaded), std::move(*resources), std::move(*children)};
      });
  if (!source) co_return fail(std::move(source.error()));
  std::set<std::string> with_undo;
  for (const auto& step : source->loaded.steps) {
    const StepKind* kind = parts.kinds.step(step.kind);
    if (kind != nullptr && kind->undo() != nullptr) with_undo.insert(step.kind);
  }
  co_return view_of(*source, with_undo);
}

void Engine::Impl::take(const journal::Requested& made) {
  for (const auto& hold : made.taken) scheduler.adopt(hold, parts.time.steady());
  scheduler.wake(made.woken);
}

Task<OperationView> Engine::Impl::after_request(Result<journal::Requested> made, std::string id) {
  if (!made) {
    note_failure(made.error());
    co_return fail(std::move(made.error()));
  }
  take(*made);
  co_return co_await view(std::move(id));
}

net::Deadline Engine::Impl::poll(net::Deadline deadline) const {
  if (parts.options.sole_owner) return deadline;
  return deadline.sooner(net::Deadline::in(parts.time, k_replica_poll));
}

Engine::Engine(asio::any_io_executor executor, net::Timekeeper& time, Random& random, Log log,
               store::Database& database, const KindRegistry& kinds, EngineOptions options,
               FaultPoint fault_point)
    : impl_(std::make_unique<Impl>(std::move(executor), time, random, std::move(log), database, kinds,
                                   options, std::move(fault_point))) {}

Engine::~Engine() = default;

std::span<const store::Migration> Engine::migrations() { return journal_migrations(); }

Task<> Engine::run() { return impl_->begin(); }

asio::awaitable<void> Engine::stop() { return impl_->end(); }

Task<Started> Engine::start(StartRequest request) {
  auto wanted =
      impl_->new_operation(std::move(request.plan), std::move(request.input), std::move(request.principal));
  if (!wanted) co_return fail(std::move(wanted.error()));
  wanted->client_token = std::move(request.client_token);
  co_return co_await impl_->accept(std::move(*wanted));
}

Task<std::optional<Started>> Engine::find_asked(AskedRequest request) {
  const journal::AskedFor asked{.kind = std::move(request.kind),
                                .input = std::move(request.input),
                                .principal = std::move(request.principal),
                                .client_token = std::move(request.client_token)};
  co_return co_await impl_->parts.database.read<std::optional<Started>>(
      [&](store::Transaction& transaction) { return journal::find_asked(transaction, asked); });
}

Task<std::optional<Started>> Engine::find_running(StartRequest request) {
  journal::NewOperation wanted{
      .input = request.input, .principal = request.principal, .client_token = request.client_token};
  wanted.plan.kind = request.plan.kind;
  wanted.plan.subject = request.plan.subject;
  if (const OperationKind* kind = impl_->parts.kinds.operation(request.plan.kind)) {
    wanted.scope = kind->scope;
    wanted.removes = kind->removes;
  }
  co_return co_await impl_->parts.database.read<std::optional<Started>>(
      [&](store::Transaction& transaction) { return journal::find_equal(transaction, wanted); });
}

Task<OperationView> Engine::get(std::string id, milliseconds wait) {
  const auto deadline = net::Deadline::in(impl_->parts.time, wait);
  const auto signal = impl_->parts.notices.of(id);
  while (true) {
    const auto seen = signal->generation();
    auto view = co_await impl_->view(id);
    if (!view || is_at_rest(view->state) || deadline.passed(impl_->parts.time)) co_return view;
    co_await signal->wait_after(seen, impl_->poll(deadline));
  }
}

Task<OperationPage> Engine::list(ListFilter filter) {
  co_return co_await impl_->parts.database.read<OperationPage>(
      [&](store::Transaction& transaction) { return journal::list(transaction, filter); });
}

Task<OperationView> Engine::retry(std::string id, std::optional<std::string> step_id,
                                  std::optional<std::string> choice) {
  const auto owner = impl_->owner();
  const WallTime now = impl_->parts.time.wall();
  auto made = co_await impl_->parts.database.write<journal::Requested>([&](store::Transaction& transaction) {
    return journal::retry(transaction, id, step_id, choice, owner, now);
  });
  co_return co_await impl_->after_request(std::move(made), std::move(id));
}

Task<OperationView> Engine::cancel(std::string id, bool rollback) {
  const auto owner = impl_->owner();
  const WallTime now = impl_->parts.time.wall();
  auto made = co_await impl_->parts.database.write<journal::Requested>([&](store::Transaction& transaction) {
    return journal::cancel(transaction, id, rollback, owner, now);
  });
  co_return co_await impl_->after_request(std::move(made), std::move(id));
}

Task<std::vector<Event>> Engine::events(std::int64_t cursor, std::optional<std::string> operation_id,
                                        std::int32_t limit, milliseconds wait) {
  const auto deadline = net::Deadline::in(impl_->parts.time, wait);
  net::Signal& signal = impl_->parts.notices.events();
  while (true) {
    const auto seen = signal.generation();
    auto found =
        co_await impl_->parts.database.read<std::vector<Event>>([&](store::Transaction& transaction) {
          return journal::events(transaction, cursor, operation_id, limit);
        });
    if (!found || !found->empty() || deadline.passed(impl_->parts.time)) co_return found;
    co_await signal.wait_after(seen, impl_->poll(deadline));
  }
}

Task<std::int64_t> Engine::newest_event() {
  co_return co_await impl_->parts.database.read<std::int64_t>(
      [](store::Transaction& transaction) { return journal::newest_event(transaction); });
}

}  // namespace instantstart::operations
