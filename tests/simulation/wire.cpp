#include "simulation/wire.h"

#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/error_codes.h"

namespace instantstart::simulation {
namespace {

Error wire_error(std::string_view code, std::string message, bool sent) {
  return Error{.code = std::string(code),
               .message = std::move(message),
               .retryable = error_code_info(code).retryable,
               .detail = {{"sent", sent}}};
}

struct Target {
  std::string authority;
  std::string rest;
};

/// Of an URL with a scheme.
Target split(const std::string& url) {
  const auto begin = url.find("://") + 3;
  const auto end = std::min(url.find_first_of("/?", begin), url.size());
  std::string rest = url.substr(end);
  if (!rest.starts_with('/')) rest.insert(0, "/");
  return {.authority = url.substr(begin, end - begin), .rest = std::move(rest)};
}

net::Request to_request(net::ClientRequest sent) {
  auto target = split(sent.url);
  net::Request request{.method = std::move(sent.method), .target = std::move(target.rest)};
  if (!sent.headers.contains("Host")) request.headers.add("Host", target.authority);
  for (const auto& [name, value] : sent.headers) request.headers.add(name, value);
  request.headers.set("Content-Length", std::to_string(sent.body.size()));
  request.body = std::move(sent.body);
  request.peer = {.address = "127.0.0.1", .port = 1, .loopback = true};
  return request;
}

asio::awaitable<std::string> whole(std::unique_ptr<net::BodyStream> stream) {
  std::string text;
  while (true) {
    auto piece = co_await stream->next();
    if (!piece) co_return text;
    text += *piece;
  }
}

/// A body that comes in while a process lives.
class WireStream final : public net::ClientBodyStream {
 public:
  WireStream(Process& process, std::unique_ptr<net::BodyStream> inner)
      : process_(process), inner_(std::move(inner)) {}

  asio::awaitable<std::optional<std::string>> next() override {
    co_await process_.gate();
    auto piece = co_await inner_->next();
    co_await process_.gate();
    co_return piece;
  }
  const std::optional<Error>& error() const override { return error_; }

 private:
  Process& process_;
  std::unique_ptr<net::BodyStream> inner_;
  std::optional<Error> error_;
};

/// A body that is there already.
class TextStream final : public net::BodyStream {
 public:
  explicit TextStream(std::string text) : text_(std::move(text)) {}
  asio::awaitable<std::optional<std::string>> next() override {
    if (text_.empty()) co_return std::nullopt;
    co_return std::exchange(text_, {});
  }

 private:
  std::string text_;
};

}  // namespace

struct Wire::Exchange {
  std::optional<net::Response> answer;
};

Task<std::shared_ptr<Wire::Exchange>> Wire::exchange(net::ClientRequest request, net::Deadline deadline,
                                                     bool whole_body) {
  co_await process_.gate();
  if (random_.unit() < faults_.refused) {
    auto error = wire_error(codes::connection_failed, "The wire refused the connection.", false);
    error.detail["reason"] = "connect";
    co_return fail(std::move(error));
  }
  auto& time = process_.world_time();
  milliseconds delay{0};
  if (random_.unit() < faults_.held_up) {
    delay = milliseconds(
        static_cast<std::int64_t>(random_.unit() * static_cast<double>(faults_.longest_delay.count())));
  }
  auto open = std::make_shared<Exchange>();
  const bool kubernetes = request.url.starts_with(k_kubernetes_url);
  const auto carry = [](std::shared_ptr<Exchange> made, std::shared_ptr<net::Signal> news,
                        sandbox::Cloud& cloud, net::VirtualTime& clock, net::Request sent, milliseconds after,
                        bool to_kubernetes, bool take_body) -> asio::awaitable<void> {
    if (after > milliseconds::zero()) co_await clock.sleep(after);
    net::Response response;
    if (to_kubernetes) {
      response = co_await cloud.handle_kubernetes(std::move(sent));
    } else {
      response = co_await cloud.handle(std::move(sent));
    }
    auto* stream = std::get_if<std::unique_ptr<net::BodyStream>>(&response.body);
    if (stream != nullptr && take_body) {
      auto text = co_await whole(std::move(*stream));
      response.body = std::move(text);
    }
    made->answer = std::move(response);
    news->notify();
  };
  asio::co_spawn(
      time.context(),
      carry(open, news_, cloud_, time, to_request(std::move(request)), delay, kubernetes, whole_body),
      asio::detached);
  const net::Deadline until{
      deadline.at == SteadyTime::max() ? deadline.at : process_.born() + deadline.at.time_since_epoch()};
  while (!open->answer && !until.passed(time)) {
    const auto seen = news_->generation();
    co_await news_->wait_after(seen, until);
    co_await process_.gate();
  }
  co_await process_.gate();
  if (!open->answer) {
    co_return fail(wire_error(codes::deadline_exceeded, "The answer did not come in time.", true));
  }
  if (open->answer->abort) {
    co_return fail(wire_error(codes::unknown_outcome, "The connection broke before the answer.", true));
  }
  co_return open;
}

Task<net::ClientResponse> Wire::send(net::ClientRequest request, net::Deadline deadline) {
  auto done = co_await exchange(std::move(request), deadline, true);
  if (!done) co_return fail(std::move(done.error()));
  net::Response& answer = *(*done)->answer;
  co_return net::ClientResponse{.status = answer.status,
                                .headers = std::move(answer.headers),
                                .body = std::get<std::string>(std::move(answer.body)),
                                .peer_address = "127.0.0.1"};
}

Task<net::HttpClient::Stream> Wire::open(net::ClientRequest request, net::Deadline header_deadline) {
  auto done = co_await exchange(std::move(request), header_deadline, false);
  if (!done) co_return fail(std::move(done.error()));
  net::Response& answer = *(*done)->answer;
  std::unique_ptr<net::BodyStream> body;
  if (auto* text = std::get_if<std::string>(&answer.body)) {
    body = std::make_unique<TextStream>(std::move(*text));
  } else {
    body = std::move(std::get<std::unique_ptr<net::BodyStream>>(answer.body));
  }
  co_return Stream{.status = answer.status,
                   .headers = std::move(answer.headers),
                   .body = std::make_unique<WireStream>(process_, std::move(body))};
}

}  // namespace instantstart::simulation
