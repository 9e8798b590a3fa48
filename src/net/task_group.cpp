#include "net/task_group.h"

#include <cstdio>
#include <cstdlib>
#include <list>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "net/signal.h"

namespace instantstart::net {

namespace {

void log_escaped(const Log& log, const std::string& name, const std::exception_ptr& error) {
  if (!error) return;
  try {
    std::rethrow_exception(error);
  } catch (const boost::system::system_error& failure) {
    if (failure.code() == asio::error::operation_aborted) return;
    log.error("A background task ended by an exception.", {{"task", name}, {"reason", failure.what()}});
  } catch (const std::exception& failure) {
    log.error("A background task ended by an exception.", {{"task", name}, {"reason", failure.what()}});
  } catch (...) {
    log.error("A background task ended by an unknown exception.", {{"task", name}});
  }
}

}  // namespace

/// Shared with the members' completion handlers, which a loop that is torn down drops after the group.
struct TaskGroup::State {
  using Member = std::shared_ptr<asio::cancellation_signal>;

  State(asio::any_io_executor executor_, Timekeeper& time, Log log_)
      : executor(std::move(executor_)), log(std::move(log_)), empty(time) {}

  asio::any_io_executor executor;
  Log log;
  Signal empty;
  std::list<Member> members;
  bool stopping = false;
};

TaskGroup::TaskGroup(asio::any_io_executor executor, Timekeeper& time, Log log)
    : state_(std::make_shared<State>(std::move(executor), time, std::move(log))) {}

TaskGroup::~TaskGroup() {
  if (state_->members.empty()) return;
  std::fputs("TaskGroup destroyed with running members; stop() must be awaited first.\n", stderr);
  std::abort();
}

void TaskGroup::spawn(std::string_view name, asio::awaitable<void> task) {
  if (state_->stopping) return;
  const auto member = std::make_shared<asio::cancellation_signal>();
  // Entered before the start: the member may run at once, and even end.
  state_->members.push_back(member);
  auto ended = [state = state_, at = std::prev(state_->members.end()),
                title = std::string(name)](const std::exception_ptr& error) {
    log_escaped(state->log, title, error);
    state->members.erase(at);
    if (state->members.empty()) state->empty.notify();
  };
  asio::co_spawn(state_->executor, std::move(task),
                 asio::bind_cancellation_slot(member->slot(), std::move(ended)));
}

std::size_t TaskGroup::size() const { return state_->members.size(); }

asio::awaitable<void> TaskGroup::stop() {
  // The group itself may be destroyed as soon as it is empty, before this coroutine is resumed.
  const auto state = state_;
  state->stopping = true;
  const std::vector<State::Member> members(state->members.begin(), state->members.end());
  for (const auto& member : members) member->emit(asio::cancellation_type::all);
  while (!state->members.empty()) co_await state->empty.wait(Deadline::never());
}

}  // namespace instantstart::net
