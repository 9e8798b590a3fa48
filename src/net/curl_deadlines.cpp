#include "net/curl_deadlines.h"

#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

namespace instantstart::net {

struct CurlDeadlines::State : std::enable_shared_from_this<State> {
  State(asio::any_io_executor loop, Timekeeper& keeper)
      : executor(std::move(loop)), time(keeper), dog(keeper) {}

  void entered() {
    ++entries;
    if (!running) start();
  }

  /// Requests often follow each other without a pause, so the dog goes to rest one turn of the loop later.
  void left() {
    if (--entries > 0 || std::exchange(rest_posted, true)) return;
    asio::post(executor, [self = shared_from_this()] {
      self->rest_posted = false;
      if (self->entries == 0 && self->running) self->cancel.emit(asio::cancellation_type::terminal);
    });
  }

  void start() {
    running = true;
    // It ends by cancellation alone, which is no news.
    auto ended = [self = shared_from_this()](const std::exception_ptr&) {
      self->running = false;
      if (self->entries > 0) self->start();
    };
    asio::co_spawn(executor, dog.run(), asio::bind_cancellation_slot(cancel.slot(), std::move(ended)));
  }

  asio::any_io_executor executor;
  Timekeeper& time;
  Watchdog dog;
  asio::cancellation_signal cancel;
  std::size_t entries = 0;
  bool running = false;
  bool rest_posted = false;
};

CurlDeadlines::CurlDeadlines(asio::any_io_executor executor, Timekeeper& time)
    : state_(std::make_shared<State>(std::move(executor), time)) {}

CurlDeadlines::Entry::Entry(const CurlDeadlines& watch, Deadline deadline, std::function<void()> passed)
    : state_(watch.state_), limit_(state_->dog, std::move(passed)) {
  if (deadline.at != SteadyTime::max()) limit_.set(deadline.left(state_->time));
  state_->entered();
}

CurlDeadlines::Entry::~Entry() { state_->left(); }

}  // namespace instantstart::net
