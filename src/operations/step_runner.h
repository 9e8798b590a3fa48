// Runs one step until it waits, stands still or is done: observe → decide → (make durable → act → make
// durable) → observe.
#pragma once

#include <memory>

#include <boost/asio/cancellation_signal.hpp>

#include "operations/engine_parts.h"
#include "operations/operation_runner.h"

namespace instantstart::operations {

/// Lives in the frame of one coroutine.
class StepRunner {
 public:
  StepRunner(EngineParts& parts, OperationRunner& operation, StepRecord record);

  asio::awaitable<void> run();

 private:
  struct Seen {
    json::value value;
    Looked looked;
    milliseconds settle_left{};
  };

  asio::awaitable<void> break_off();
  asio::awaitable<void> block_unknown_kind();
  Task<Seen> look(const StepKind& kind);
  asio::awaitable<void> after_failed_look(Error error);
  asio::awaitable<void> after_failed_settling(Error error);

  /// These return whether to look again at once.
  asio::awaitable<bool> follow(const StepKind& kind, Seen seen);
  asio::awaitable<bool> settle(Move move, Seen seen);
  asio::awaitable<bool> park(Park park, Looked looked);
  asio::awaitable<bool> send(const StepKind& kind, Send send, Looked looked);
  asio::awaitable<bool> after_act(Result<json::value> answer, SteadyTime sent);
  asio::awaitable<bool> commit(StepChange change);

  Decision decide(const StepKind& kind, const json::value& seen);
  template <class Begin>
  Task<json::value> call(Begin begin, milliseconds limit, bool is_look, std::string_view code_if_thrown);
  StepContext context(milliseconds limit) const;
  History history() const;
  void fault(std::string_view point) const;
  bool not_now();
  bool only_settles() const;

  EngineParts& parts_;
  OperationRunner& operation_;
  StepRecord record_;
  json::object input_;
  SteadyTime settles_;
};

}  // namespace instantstart::operations
