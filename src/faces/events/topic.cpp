#include "faces/events/topic.h"

#include <algorithm>
#include <utility>

namespace instantstart::faces {

Topic::Topic(std::string name, std::optional<std::string> operation_id, std::int64_t position,
             std::size_t kept_bytes)
    : name_(std::move(name)),
      operation_id_(std::move(operation_id)),
      floor_(position),
      kept_bytes_(kept_bytes) {}

void Topic::add(std::int64_t first, std::int64_t last, SharedFrame frame) {
  bytes_ += frame->size();
  batches_.push_back({first, last, std::move(frame)});
  while (bytes_ > kept_bytes_ && batches_.size() > 1) {
    floor_ = batches_.front().last;
    bytes_ -= batches_.front().frame->size();
    batches_.pop_front();
  }
  wake();
}

Topic::Next Topic::next(std::int64_t cursor) const {
  if (cursor < floor_) return {.kind = Next::Kind::read, .last = floor_};
  const auto batch = std::ranges::upper_bound(batches_, cursor, {}, &Batch::last);
  if (batch == batches_.end()) return {};
  // A cursor in the middle of a frame: sending all of it would double what the follower has.
  if (cursor >= batch->first) return {.kind = Next::Kind::read, .last = batch->last};
  return {.kind = Next::Kind::frame, .last = batch->last, .frame = batch->frame};
}

void Topic::set_view(SharedFrame frame) {
  view_ = {view_.version + 1, std::move(frame)};
  wake();
}

void Topic::forget(net::Signal& wake) { std::erase(followers_, &wake); }

void Topic::wake() const {
  for (net::Signal* follower : followers_) follower->notify();
}

}  // namespace instantstart::faces
