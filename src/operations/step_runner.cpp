#include "operations/step_runner.h"

#include <algorithm>
#include <exception>

#include <fmt/core.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "base/error_codes.h"
#include "operations/token.h"

namespace instantstart::operations {
namespace {

constexpr milliseconds k_lease_retry{5'000};

/// In the set of observes while one is under way.
class ListedLook {
 public:
  ListedLook(std::set<asio::cancellation_signal*>& looks, asio::cancellation_signal* signal)
      : looks_(looks), signal_(signal) {
    if (signal_ != nullptr) looks_.insert(signal_);
  }
  ListedLook(const ListedLook&) = delete;
  ListedLook& operator=(const ListedLook&) = delete;
  ~ListedLook() { looks_.erase(signal_); }

 private:
  std::set<asio::cancellation_signal*>& looks_;
  asio::cancellation_signal* signal_;
};

std::optional<json::value> parsed(const std::optional<std::string>& stored) {
  if (!stored) return std::nullopt;
  return parse_stored(*stored);
}

}  // namespace

StepRunner::StepRunner(EngineParts& parts, OperationRunner& operation, StepRecord record)
    : parts_(parts),
      operation_(operation),
      record_(std::move(record)),
      settles_(operation.settles(record_)) {}

void StepRunner::fault(std::string_view point) const {
  parts_.fault(point, operation_.hold().operation_id, record_.id);
}

bool StepRunner::only_settles() const {
  return operation_.operation().cancel_requested && record_.phase == Phase::forward;
}

asio::awaitable<bool> StepRunner::commit(StepChange change) {
  return operation_.commit(record_, std::move(change), settles_);
}

asio::awaitable<void> StepRunner::run() {
  if (record_.state == StepState::acting) co_return co_await break_off();
  input_ = parse_stored(record_.input).as_object();
  while (!parts_.stopping) {
    const StepKind* kind = parts_.kinds.step(record_);
    if (kind == nullptr || !operation_.kind_is_known()) co_return co_await block_unknown_kind();
    auto seen = co_await look(*kind);
    if (parts_.stopping) co_return;
    if (!seen) co_return co_await after_failed_look(std::move(seen.error()));
    const bool again = co_await follow(*kind, std::move(*seen));
    if (!again) co_return;
  }
}

/// The coroutine that was acting is gone without a word about the act.
asio::awaitable<void> StepRunner::break_off() {
  const SteadyTime now = parts_.time.steady();
  settles_ = std::max(settles_, now + record_.deadline + record_.settle);
  const Error error{.code = std::string(codes::unknown_outcome), .message = "The call was interrupted."};
  const auto wake = record_.repeat == Repeat::with_token ? milliseconds::zero() : settles_ - now;
  co_await commit(act_lost(record_, error, wake, parts_.time.wall()));
}

asio::awaitable<void> StepRunner::block_unknown_kind() {
  const Error error{
      .code = std::string(codes::blocked),
      .message = fmt::format(
          "This version of the program does not know how to run the step kind '{}' of the operation kind "
          "'{}'. Run the version that began it, or cancel the operation.",
          record_.kind, operation_.operation().kind),
      .detail = {{"step_kind", record_.kind}, {"operation_kind", operation_.operation().kind}}};
  parts_.log.error("an unknown kind", {{"operation", operation_.hold().operation_id},
                                       {"operation_kind", operation_.operation().kind},
                                       {"step_kind", record_.kind}});
  if (only_settles()) {
    if (record_.unsettled()) co_await commit(to_settle(record_, std::nullopt));
    co_return;
  }
  const Stop stop{.state = StepState::blocked, .error = error};
  co_await commit(to_stop(record_, stop, parts_.time.wall(), std::nullopt));
}

/// Runs a coroutine of the step's, cancelled a little after its deadline. Other exceptions, also from before
/// its first suspension, become an error with `code_if_thrown`.
template <class Begin>
Task<json::value> StepRunner::call(Begin begin, milliseconds limit, bool is_look,
                                   std::string_view code_if_thrown) {
  asio::cancellation_signal cancel;
  const ListedLook listed(parts_.looks, is_look ? &cancel : nullptr);
  net::Watchdog::Limit deadline(parts_.watchdog,
                                [&cancel] { cancel.emit(asio::cancellation_type::terminal); });
  deadline.set(limit + k_grace);
  Error thrown{.code = std::string(code_if_thrown)};
  try {
    co_return co_await asio::co_spawn(parts_.executor, begin(),
                                      asio::bind_cancellation_slot(cancel.slot(), asio::use_awaitable));
  } catch (const boost::system::system_error& failure) {
    const bool by_us = deadline.expired() || (is_look && parts_.stopping);
    if (failure.code() == asio::error::operation_aborted && !by_us) throw;
    if (by_us) thrown.code = std::string(codes::deadline_exceeded);
    thrown.retryable = by_us && is_look;
    thrown.message = by_us ? "The call did not end in time." : failure.what();
  } catch (const std::exception& exception) {
    thrown.message = fmt::format("The step kind '{}' broke off: {}", record_.kind, exception.what());
  }
  co_return fail(std::move(thrown));
}

Task<StepRunner::Seen> StepRunner::look(const StepKind& kind) {
  const milliseconds left = std::max(milliseconds::zero(), settles_ - parts_.time.steady());
  const StepContext where = context(k_look_deadline);
  auto value =
      co_await call([&] { return kind.observe(where, input_); }, k_look_deadline, true, codes::internal);
  if (!value) co_return fail(std::move(value.error()));
  Seen seen{.settle_left = left};
  // Only the first one is kept, and there may be much to see.
  seen.looked = {.seen = record_.before ? std::string() : to_text(*value),
                 .at = parts_.time.wall(),
                 .settled = left == milliseconds::zero()};
  seen.value = std::move(*value);
  co_return seen;
}

asio::awaitable<void> StepRunner::after_failed_look(Error error) {
  if (only_settles()) co_return co_await after_failed_settling(std::move(error));
  const auto wait = backoff(record_.failed_looks + 1, parts_.random.unit());
  if (error.retryable && record_.failed_looks + 1 < k_most_failed_looks) {
    const auto wake = parts_.pace.wait(std::max(wait, error.retry_after.value_or(milliseconds::zero())));
    co_await commit(look_failed(record_, error, wake, parts_.time.wall()));
    co_return;
  }
  const Stop stop{.state = StepState::failed, .error = std::move(error)};
  co_await commit(to_stop(record_, stop, parts_.time.wall(), std::nullopt));
}

/// What the step shows stays what it was when the operation was cancelled.
asio::awaitable<void> StepRunner::after_failed_settling(Error error) {
  const SteadyTime now = parts_.time.steady();
  if (!record_.unsettled() || settles_ > now) co_return;
  if (!error.retryable || record_.failed_looks + 1 >= k_most_failed_looks) {
    co_await commit(to_settle(record_, std::nullopt));
    co_return;
  }
  settles_ = now + parts_.pace.wait(backoff(record_.failed_looks + 1, parts_.random.unit()));
  StepChange change{.record = record_};
  ++change.record.failed_looks;
  co_await commit(std::move(change));
}

asio::awaitable<bool> StepRunner::follow(const StepKind& kind, Seen seen) {
  const Situation situation{.settle_left = seen.settle_left, .pace = parts_.options.pace};
  Move move = next_move(record_, decide(kind, seen.value), situation);
  if (only_settles()) co_return co_await settle(std::move(move), std::move(seen));
  if (auto* finish = std::get_if<Finish>(&move)) {
    fault("before_finish");
    co_await commit(to_finish(record_, std::move(finish->done), seen.looked));
    co_return false;
  }
  if (const auto* stop = std::get_if<Stop>(&move)) {
    co_await commit(to_stop(record_, *stop, parts_.time.wall(), seen.looked));
    co_return false;
  }
  if (auto* wait = std::get_if<Park>(&move)) {
    co_return co_await park(std::move(*wait), std::move(seen.looked));
  }
  co_return co_await send(kind, std::move(std::get<Send>(move)), std::move(seen.looked));
}

/// Of an operation that is being cancelled: what the lost act did is recorded, and nothing else follows from
/// the look.
asio::awaitable<bool> StepRunner::settle(Move move, Seen seen) {
  if (auto* finish = std::get_if<Finish>(&move)) {
    co_await commit(to_finish(record_, std::move(finish->done), seen.looked));
  } else if (record_.unsettled() && seen.looked.settled) {
    co_await commit(to_settle(record_, seen.looked));
  }
  co_return false;
}

asio::awaitable<bool> StepRunner::park(Park park, Looked looked) {
  if (park_is_news(record_, park, looked)) {
    co_await commit(to_park(record_, park, looked));
  } else {
    operation_.look_again_at(record_, parts_.time.steady() + park.after);
  }
  co_return false;
}

asio::awaitable<bool> StepRunner::send(const StepKind& kind, Send send, Looked looked) {
  StepChange intent = to_send(record_, send, looked, parts_.pace, parts_.options.settle);
  const milliseconds needed = intent.record.deadline + k_grace;
  auto held = co_await parts_.lease.outlives(needed);
  if (!held || !*held) co_return not_now();
  fault("before_intent");
  const bool intended = co_await commit(std::move(intent));
  if (!intended) co_return false;
  fault("after_intent");
  // Writing the intent may have taken long, or the machine was suspended. If the lease is gone the step stays
  // as it is, and its next owner takes the act for one that may have been sent.
  held = co_await parts_.lease.outlives(needed);
  if (!held || !*held) co_return not_now();
  fault("before_act");
  const SteadyTime sent = parts_.time.steady();
  const StepContext where = context(record_.deadline);
  const json::value request = parse_stored(*record_.request);
  auto answer = co_await call([&] { return kind.act(where, input_, request); }, record_.deadline, false,
                              codes::unknown_outcome);
  fault("after_act");
  const bool again = co_await after_act(std::move(answer), sent);
  fault("after_receipt");
  co_return again;
}

/// Without a lease nothing is sent.
bool StepRunner::not_now() {
  parts_.log.warning("the lease can't be held; a call was not sent",
                     {{"operation", operation_.hold().operation_id}, {"step", record_.id}});
  operation_.hold_back(record_.key(), k_lease_retry);
  return false;
}

asio::awaitable<bool> StepRunner::after_act(Result<json::value> answer, SteadyTime sent) {
  const WallTime now = parts_.time.wall();
  const SteadyTime steady = parts_.time.steady();
  if (answer) {
    settles_ = std::max(settles_, steady + record_.settle);
    co_return co_await commit(act_accepted(record_, *answer, now));
  }
  const Error& error = answer.error();
  const auto delay = backoff(record_.attempts, parts_.random.unit());
  milliseconds wake{};
  if (leaves_outcome_open(error)) {
    settles_ = std::max({settles_, steady + record_.settle, sent + record_.deadline + record_.settle});
    if (record_.repeat != Repeat::with_token) {
      wake = settles_ - steady;
    } else if (record_.attempts > 1) {
      wake = parts_.pace.wait(delay);
    }
    const bool written = co_await commit(act_lost(record_, error, wake, now));
    co_return wake > milliseconds::zero() ? false : written;
  }
  if (error.retryable) {
    wake = parts_.pace.wait(std::max(delay, error.retry_after.value_or(milliseconds::zero())));
  }
  const bool written = co_await commit(act_refused(record_, error, wake, now));
  co_return wake > milliseconds::zero() ? false : written;
}

Decision StepRunner::decide(const StepKind& kind, const json::value& seen) {
  try {
    return kind.decide(context(milliseconds::zero()), input_, seen, history());
  } catch (const std::exception& exception) {
    return Fail{{.code = std::string(codes::internal),
                 .message = fmt::format("The step kind '{}' broke off: {}", record_.kind, exception.what())}};
  }
}

StepContext StepRunner::context(milliseconds limit) const {
  StepContext context{.operation_id = operation_.hold().operation_id,
                      .step_id = record_.id,
                      .subject = operation_.operation().subject,
                      .principal = operation_.operation().principal,
                      .token = act_token(operation_.hold().operation_id, record_.key(), record_.generation),
                      .receipt = parsed(record_.receipt),
                      .deadline = net::Deadline::in(parts_.time, limit),
                      .output = [this](std::string_view id) { return operation_.output(id); }};
  if (record_.phase == Phase::undo && !context.receipt) {
    if (const StepRecord* done = operation_.forward_step(record_.id)) context.receipt = parsed(done->receipt);
  }
  return context;
}

History StepRunner::history() const {
  const WallTime now = parts_.time.wall();
  const auto since = [&](const std::optional<WallTime>& then) {
    return then ? parts_.pace.world(std::max(milliseconds::zero(), now - *then)) : milliseconds::zero();
  };
  History history{.acts = record_.acts,
                  .before = parsed(record_.before),
                  .receipt = parsed(record_.receipt),
                  .outcome_unknown = record_.outcome == Outcome::unknown,
                  .choice = record_.choice,
                  .asked_again = record_.acts > 0 && record_.attempts == 0,
                  .since_act = since(record_.sent_at),
                  .since_start = since(record_.started_at)};
  if (record_.act_error) history.act_error = error_of(*record_.act_error);
  return history;
}

}  // namespace instantstart::operations
