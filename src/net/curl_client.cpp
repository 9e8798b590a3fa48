#include <utility>

#include "net/curl_deadlines.h"
#include "net/curl_failure.h"
#include "net/curl_loop.h"
#include "net/curl_request.h"
#include "net/curl_transfer.h"
#include "net/http_client.h"

namespace instantstart::net {

namespace {

class CurlBodyStream final : public ClientBodyStream {
 public:
  CurlBodyStream(Timekeeper& time, std::unique_ptr<CurlTransfer> transfer, milliseconds idle_timeout)
      : time_(time), transfer_(std::move(transfer)), idle_timeout_(idle_timeout) {}

  asio::awaitable<std::optional<std::string>> next() override {
    const auto deadline =
        idle_timeout_ > milliseconds::zero() ? Deadline::in(time_, idle_timeout_) : Deadline::never();
    while (transfer_) {
      auto piece = transfer_->take_body();
      if (!piece.empty()) co_return piece;
      if (transfer_->ended()) {
        end(transfer_->error());
        break;
      }
      const bool woken = co_await transfer_->changed(deadline);
      if (!woken) end(deadline_error(transfer_->request().origin, true, transfer_->request().repeatable));
    }
    co_return std::nullopt;
  }

  const std::optional<Error>& error() const override { return error_; }

 private:
  void end(std::optional<Error> error) {
    error_ = std::move(error);
    transfer_.reset();
  }

  Timekeeper& time_;
  std::unique_ptr<CurlTransfer> transfer_;  ///< Null after the end.
  milliseconds idle_timeout_;
  std::optional<Error> error_;
};

/// What a request works with. Shared by the client and its requests, so that one which is resumed after the
/// client is gone finds everything in place, and its transfer ended.
struct Shared {
  Shared(const asio::any_io_executor& executor, Timekeeper& keeper, Log logger, CurlClientOptions chosen)
      : time(keeper),
        log(std::move(logger)),
        options(chosen),
        deadlines(executor, keeper),
        calls(std::make_shared<CurlLoop>(
            executor, CurlLoopLimits{.connections_per_host = chosen.max_connections_per_host,
                                     .idle_connections = chosen.max_idle_connections})),
        // Apart, so that streams neither use up the calls' connections nor wait for one.
        streams(std::make_shared<CurlLoop>(
            executor, CurlLoopLimits{.idle_connections = chosen.max_idle_connections})) {}

  std::optional<Error> why_failed(const CurlTransfer& transfer, bool in_time) const {
    const CurlRequest& request = transfer.request();
    auto error = in_time ? transfer.error()
                         : std::optional(deadline_error(request.origin, transfer.sent(), request.repeatable));
    if (error) {
      log.debug("http request failed", {{"method", request.what.method},
                                        {"origin", request.origin},
                                        {"code", error->code},
                                        {"message", error->message}});
    }
    return error;
  }

  Timekeeper& time;
  Log log;
  CurlClientOptions options;
  CurlDeadlines deadlines;
  std::shared_ptr<CurlLoop> calls;
  std::shared_ptr<CurlLoop> streams;
};

/// Checks and starts a request.
Result<std::unique_ptr<CurlTransfer>> start(const Shared& shared, ClientRequest request, Deadline deadline,
                                            CurlTransfer::Mode mode) {
  auto checked = make_curl_request(std::move(request));
  if (!checked) return std::unexpected(std::move(checked.error()));
  if (deadline.passed(shared.time)) {
    return std::unexpected(deadline_error(checked->origin, false, checked->repeatable));
  }
  auto transfer = std::make_unique<CurlTransfer>(shared.time, std::move(*checked), mode);
  auto& loop = mode == CurlTransfer::Mode::stream ? *shared.streams : *shared.calls;
  if (auto started = transfer->start(loop); !started) return std::unexpected(std::move(started.error()));
  return transfer;
}

Task<ClientResponse> send_request(std::shared_ptr<const Shared> shared, ClientRequest request,
                                  Deadline deadline) {
  auto started = start(*shared, std::move(request), deadline, CurlTransfer::Mode::collect);
  if (!started) co_return std::unexpected(std::move(started.error()));
  CurlTransfer& transfer = **started;
  const CurlDeadlines::Entry watched(shared->deadlines, deadline, [&transfer] { transfer.give_up(); });
  const bool in_time = co_await transfer.finished();
  if (auto error = shared->why_failed(transfer, in_time)) co_return std::unexpected(std::move(*error));
  co_return ClientResponse{.status = transfer.head().status(),
                           .headers = transfer.head().take_headers(),
                           .body = transfer.take_body(),
                           .peer_address = transfer.peer_address()};
}

Task<HttpClient::Stream> open_stream(std::shared_ptr<const Shared> shared, ClientRequest request,
                                     Deadline deadline) {
  auto started = start(*shared, std::move(request), deadline, CurlTransfer::Mode::stream);
  if (!started) co_return std::unexpected(std::move(started.error()));
  CurlTransfer& transfer = **started;
  {
    const CurlDeadlines::Entry watched(shared->deadlines, deadline, [&transfer] { transfer.give_up(); });
    const bool in_time = co_await transfer.head_complete();
    // With its head there it is a stream, even if it is broken by now: what came first can still be read.
    if (!transfer.head().complete()) {
      if (auto error = shared->why_failed(transfer, in_time)) co_return std::unexpected(std::move(*error));
    }
  }
  HttpClient::Stream stream{.status = transfer.head().status(), .headers = transfer.head().take_headers()};
  stream.body = std::make_unique<CurlBodyStream>(shared->time, std::move(*started),
                                                 shared->options.idle_stream_timeout);
  co_return stream;
}

class CurlClient final : public HttpClient {
 public:
  explicit CurlClient(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}
  ~CurlClient() override {
    shared_->calls->close();
    shared_->streams->close();
  }
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  Task<ClientResponse> send(ClientRequest request, Deadline deadline) override {
    return send_request(shared_, std::move(request), deadline);
  }
  Task<Stream> open(ClientRequest request, Deadline header_deadline) override {
    return open_stream(shared_, std::move(request), header_deadline);
  }

 private:
  std::shared_ptr<const Shared> shared_;
};

}  // namespace

std::unique_ptr<HttpClient> make_curl_client(asio::any_io_executor executor, Timekeeper& time, Log log,
                                             CurlClientOptions options) {
  return std::make_unique<CurlClient>(
      std::make_shared<const Shared>(executor, time, std::move(log), options));
}

}  // namespace instantstart::net
