#include "kube/streams.h"

#include <utility>
#include <variant>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "base/error_codes.h"

namespace instantstart::kube {
namespace {

class InPieces final : public net::ClientBodyStream {
 public:
  InPieces(std::unique_ptr<net::ClientBodyStream> body, std::size_t most, std::string first)
      : body_(std::move(body)), most_(most), held_(std::move(first)) {}

  asio::awaitable<std::optional<std::string>> next() override {
    if (held_.size() == at_) {
      auto piece = co_await body_->next();
      if (!piece) co_return std::nullopt;
      if (piece->size() <= most_) co_return piece;
      held_ = std::move(*piece);
      at_ = 0;
    }
    std::string piece = held_.substr(at_, most_);
    at_ += piece.size();
    if (at_ == held_.size()) {
      held_.clear();
      at_ = 0;
    }
    co_return piece;
  }

  const std::optional<Error>& error() const override { return body_->error(); }

 private:
  std::unique_ptr<net::ClientBodyStream> body_;
  std::size_t most_;
  std::string held_;
  std::size_t at_ = 0;  ///< What of `held_` was given out.
};

class OfText final : public net::ClientBodyStream {
 public:
  explicit OfText(std::string text) : text_(std::move(text)) {}

  asio::awaitable<std::optional<std::string>> next() override {
    co_return std::exchange(text_, std::nullopt);
  }
  const std::optional<Error>& error() const override { return error_; }

 private:
  std::optional<std::string> text_;
  std::optional<Error> error_;  ///< Never any.
};

}  // namespace

Task<std::optional<std::string>> next_piece(net::Timekeeper& time, net::ClientBodyStream& body,
                                            net::Deadline deadline) {
  if (deadline.at == SteadyTime::max()) co_return co_await body.next();
  using asio::experimental::awaitable_operators::operator||;
  auto first = co_await (body.next() || time.sleep_until(deadline.at));
  if (first.index() == 1) co_return fail(codes::deadline_exceeded, "the server stopped sending");
  co_return std::move(std::get<0>(first));
}

Task<std::string> read_body(net::Timekeeper& time, std::unique_ptr<net::ClientBodyStream> body,
                            std::size_t most, net::Deadline deadline) {
  std::string text;
  while (text.size() < most) {
    auto piece = co_await next_piece(time, *body, deadline);
    if (!piece) co_return fail(std::move(piece.error()));
    if (!*piece) {
      if (body->error()) co_return fail(*body->error());
      break;
    }
    text += (*piece)->substr(0, most - text.size());
  }
  co_return text;
}

std::unique_ptr<net::ClientBodyStream> in_pieces(std::unique_ptr<net::ClientBodyStream> body,
                                                 std::size_t most, std::string first) {
  return std::make_unique<InPieces>(std::move(body), most, std::move(first));
}

std::unique_ptr<net::ClientBodyStream> stream_of(std::string text) {
  return std::make_unique<OfText>(std::move(text));
}

}  // namespace instantstart::kube
