#include "faces/events/operation_feed.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::faces {
namespace {

constexpr std::int32_t k_page = 500;
constexpr milliseconds k_wait{30'000};
/// After the store failed.
constexpr milliseconds k_retry_after{1'000};

bool is_about(const Topic& topic, const operations::Event& event) {
  return !topic.operation_id() || *topic.operation_id() == event.operation_id;
}

}  // namespace

OperationFeed::OperationFeed(asio::any_io_executor executor, net::Timekeeper& time, Log log,
                             operations::Engine& engine, FeedOptions options)
    : time_(time), log_(log), engine_(engine), options_(options), group_(executor, time, log) {}

Task<> OperationFeed::start() {
  const auto newest = co_await engine_.newest_event();
  if (!newest) co_return std::unexpected(newest.error());
  position_ = *newest;
  group_.spawn("operation events", read_events());
  co_return Result<>();
}

asio::awaitable<void> OperationFeed::stop() { return group_.stop(); }

asio::awaitable<void> OperationFeed::read_events() {
  while (true) {
    auto events = co_await engine_.events(position_, std::nullopt, k_page, k_wait);
    if (!events) {
      log_.warning("Events of operations can't be read.", {{"reason", events.error().message}});
      co_await time_.sleep(k_retry_after);
      continue;
    }
    if (events->empty()) continue;
    publish(*events);
    std::vector<std::shared_ptr<Topic>> moved;
    for (auto& topic : live_topics()) {
      if (!topic->operation_id()) continue;
      const auto about = [&](const auto& event) { return is_about(*topic, event); };
      if (std::ranges::any_of(*events, about)) moved.push_back(std::move(topic));
    }
    co_await refresh_views(std::move(moved));
    co_await time_.sleep(options_.window);
  }
}

void OperationFeed::publish(const std::vector<operations::Event>& events) {
  for (const auto& topic : live_topics()) publish(*topic, events);
  position_ = events.back().sequence;
}

void OperationFeed::publish(Topic& topic, const std::vector<operations::Event>& events) {
  std::vector<operations::Event> batch;
  const auto flush = [&] {
    if (batch.empty()) return;
    topic.add(batch.front().sequence, batch.back().sequence,
              std::make_shared<const std::string>(events_frame(topic.name(), batch)));
    batch.clear();
  };
  for (const auto& event : events) {
    if (!is_about(topic, event)) continue;
    batch.push_back(event);
    if (std::ssize(batch) >= options_.events_a_frame) flush();
  }
  flush();
}

asio::awaitable<void> OperationFeed::refresh_views(std::vector<std::shared_ptr<Topic>> topics) {
  for (const auto& topic : topics) {
    const std::int64_t position = position_;
    const auto view = co_await engine_.get(*topic->operation_id());
    if (!view) {
      log_.warning("An operation can't be read.", {{"reason", view.error().message}});
      continue;
    }
    topic->set_view(std::make_shared<const std::string>(view_frame(topic->name(), position, *view)));
  }
}

std::vector<std::shared_ptr<Topic>> OperationFeed::live_topics() {
  std::vector<std::shared_ptr<Topic>> live;
  std::erase_if(topics_, [&](const auto& entry) {
    auto topic = entry.second.lock();
    if (!topic) return true;
    live.push_back(std::move(topic));
    return false;
  });
  return live;
}

Task<std::shared_ptr<Topic>> OperationFeed::open(std::string name, OperationTopic wanted) {
  auto topic = topics_[name].lock();
  if (!topic) {
    const std::size_t kept = wanted.operation_id ? options_.kept_bytes_of_one : options_.kept_bytes;
    topic = std::make_shared<Topic>(name, std::move(wanted.operation_id), position_, kept);
    topics_[name] = topic;
  }
  if (!topic->operation_id() || topic->view().version > 0) co_return topic;
  // The topic is known already, so nothing that happens during the look is missed.
  const std::int64_t position = position_;
  const auto view = co_await engine_.get(*topic->operation_id());
  if (!view) co_return std::unexpected(view.error());
  if (topic->view().version == 0) {
    topic->set_view(std::make_shared<const std::string>(view_frame(name, position, *view)));
  }
  co_return topic;
}

Task<std::int64_t> OperationFeed::begin_at(std::optional<std::int64_t> cursor) {
  if (!cursor || *cursor <= position_) co_return cursor.value_or(position_);
  const auto newest = co_await engine_.newest_event();
  if (!newest) co_return std::unexpected(newest.error());
  if (*cursor <= *newest) co_return *cursor;
  Error error{.code = std::string(codes::invalid_request),
              .message = fmt::format("The newest event is {}; a cursor ahead of it belongs to another store. "
                                     "Begin without a cursor.",
                                     *newest)};
  error.problems.push_back({.pointer = "/cursor",
                            .rule = "maximum",
                            .message = fmt::format("must be at most {}", *newest),
                            .value = std::to_string(*cursor),
                            .nearest = {}});
  co_return fail(std::move(error));
}

Task<OperationFeed::Piece> OperationFeed::next(std::shared_ptr<Topic> topic, std::int64_t cursor) {
  const Topic::Next found = topic->next(cursor);
  if (found.kind != Topic::Next::Kind::read) co_return Piece{found.last, found.frame};
  auto events = co_await engine_.events(cursor, topic->operation_id(), options_.events_a_frame);
  if (!events) co_return std::unexpected(events.error());
  std::erase_if(*events, [&](const auto& event) { return event.sequence > found.last; });
  if (events->empty()) co_return Piece{found.last, nullptr};
  co_return Piece{events->back().sequence,
                  std::make_shared<const std::string>(events_frame(topic->name(), *events))};
}

}  // namespace instantstart::faces
