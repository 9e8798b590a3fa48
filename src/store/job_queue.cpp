#include "store/job_queue.h"

#include <algorithm>
#include <iterator>

#include <boost/asio/append.hpp>
#include <boost/asio/post.hpp>

namespace instantstart::store {

void Job::complete() { asio::post(loop, asio::append(std::move(done), std::move(outcome))); }

void JobQueue::push(Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

std::vector<Job> JobQueue::take(std::size_t limit) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
  const auto end = jobs_.begin() + static_cast<std::ptrdiff_t>(std::min(limit, jobs_.size()));
  std::vector<Job> taken(std::make_move_iterator(jobs_.begin()), std::make_move_iterator(end));
  jobs_.erase(jobs_.begin(), end);
  return taken;
}

void JobQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

}  // namespace instantstart::store
