#include "faces/mcp/exchange.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/core.h>

namespace instantstart::faces {
namespace {

constexpr milliseconds k_quiet{15'000};
/// How long an answer waits for a client that was hung up on, and a question for its answer.
constexpr milliseconds k_patience{60'000};
constexpr int k_retry_ms = 500;

std::string point(std::string_view id, std::size_t number) { return fmt::format("{}.{}", id, number); }

}  // namespace

Exchange::Exchange(net::Timekeeper& time, std::string id, bool resumable)
    : time_(time), id_(std::move(id)), resumable_(resumable), changed_(time) {}

void Exchange::notify(std::string_view method, json::object params) {
  messages_.push_back(rpc_notification(method, std::move(params)));
  changed_.notify();
}

asio::awaitable<McpOutcome> Exchange::ask(std::string method, json::object params) {
  const std::size_t number = ++asked_;
  questions_.emplace(number, std::nullopt);
  json::object message = rpc_notification(method, std::move(params));
  message["id"] = point(id_, number);
  messages_.push_back(std::move(message));
  changed_.notify();
  const net::Deadline deadline = net::Deadline::in(time_, k_patience);
  while (!questions_.at(number) && !deadline.passed(time_)) co_await changed_.wait(deadline);
  auto outcome = std::move(questions_.at(number));
  questions_.erase(number);
  if (outcome) co_return std::move(*outcome);
  co_return std::unexpected(RpcError{
      .code = rpc::internal_error, .message = "The client did not answer in time.", .data = nullptr});
}

void Exchange::hang_up() {
  ++hang_ups_;
  changed_.notify();
}

asio::awaitable<void> Exchange::wait_until_gone() {
  // Nobody reads before the first message has made a stream of the answer.
  while (readers_ > 0 || !was_read_) co_await changed_.wait(net::Deadline::never());
}

asio::awaitable<void> Exchange::finish(json::object message) {
  messages_.push_back(std::move(message));
  answered_ = true;
  changed_.notify();
  const net::Deadline deadline = net::Deadline::in(time_, k_patience);
  while (hang_ups_ > 0 && delivered_ < messages_.size() && !deadline.passed(time_)) {
    co_await changed_.wait(deadline);
  }
}

asio::awaitable<void> Exchange::wait_until_begun() {
  while (messages_.empty() && hang_ups_ == 0) co_await changed_.wait(net::Deadline::never());
}

std::optional<json::object> Exchange::sole_answer() const {
  if (!answered_ || messages_.size() != 1) return std::nullopt;
  return messages_.front();
}

bool Exchange::reply(std::size_t number, McpOutcome outcome) {
  const auto question = questions_.find(number);
  if (question == questions_.end() || question->second) return false;
  question->second = std::move(outcome);
  changed_.notify();
  return true;
}

std::string Exchange::event_text(std::size_t number) const {
  const std::string id = resumable_ ? fmt::format("id: {}\n", point(id_, number)) : std::string();
  // The first is empty: it gives the client an id to come back with, and says how soon.
  if (number == 0) return fmt::format("{}retry: {}\ndata: \n\n", id, k_retry_ms);
  return fmt::format("event: message\n{}data: {}\n\n", id, to_text(messages_[number - 1]));
}

class ExchangeStream final : public net::BodyStream {
 public:
  ExchangeStream(std::shared_ptr<Exchange> exchange, std::size_t seen)
      : exchange_(std::move(exchange)),
        next_(seen + 1),
        hang_ups_(exchange_->hang_ups_),
        primed_(!exchange_->resumable_ || seen > 0) {
    ++exchange_->readers_;
    exchange_->was_read_ = true;
  }

  ~ExchangeStream() override {
    --exchange_->readers_;
    exchange_->changed_.notify();
  }

  asio::awaitable<std::optional<std::string>> next() override {
    if (!primed_) {
      primed_ = true;
      co_return exchange_->event_text(0);
    }
    while (true) {
      const auto generation = exchange_->changed_.generation();
      if (next_ <= exchange_->messages_.size()) {
        exchange_->delivered_ = std::max(exchange_->delivered_, next_);
        co_return exchange_->event_text(next_++);
      }
      if (exchange_->answered_ || exchange_->hang_ups_ != hang_ups_) co_return std::nullopt;
      const net::Deadline quiet = net::Deadline::in(exchange_->time_, k_quiet);
      const bool changed = co_await exchange_->changed_.wait_after(generation, quiet);
      if (!changed) co_return std::string(": waiting\n\n");
    }
  }

 private:
  std::shared_ptr<Exchange> exchange_;
  std::size_t next_;
  std::size_t hang_ups_;
  bool primed_;
};

std::unique_ptr<net::BodyStream> exchange_stream(std::shared_ptr<Exchange> exchange, std::size_t seen) {
  return std::make_unique<ExchangeStream>(std::move(exchange), seen);
}

std::optional<ExchangePoint> parse_exchange_point(std::string_view text) {
  const auto dot = text.rfind('.');
  if (dot == text.npos) return std::nullopt;
  ExchangePoint result{.exchange = std::string(text.substr(0, dot))};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data() + dot + 1, end, result.number);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return result;
}

}  // namespace instantstart::faces
