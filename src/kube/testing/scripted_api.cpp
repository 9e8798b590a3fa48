#include "kube/testing/scripted_api.h"

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/json.h"

namespace instantstart::kube {
namespace {

class ScriptedBody final : public net::ClientBodyStream {
 public:
  ScriptedBody(Reply reply, net::Timekeeper& time, std::shared_ptr<int> open)
      : reply_(std::move(reply)), time_(time), open_(std::move(open)) {
    ++*open_;
  }
  ~ScriptedBody() override { --*open_; }

  asio::awaitable<std::optional<std::string>> next() override {
    if (at_ < reply_.pieces.size()) co_return reply_.pieces[at_++];
    if (reply_.end == BodyEnd::open) co_await time_.sleep_until(SteadyTime::max());
    if (reply_.end == BodyEnd::broken) {
      error_ = Error{.code = std::string(codes::unknown_outcome), .message = "connection reset"};
    }
    co_return std::nullopt;
  }

  const std::optional<Error>& error() const override { return error_; }

 private:
  Reply reply_;
  net::Timekeeper& time_;
  std::shared_ptr<int> open_;
  std::size_t at_ = 0;
  std::optional<Error> error_;
};

Reply failing(std::string_view code, std::string message, bool sent) {
  Error error{.code = std::string(code), .message = std::move(message)};
  error.detail["sent"] = sent;
  return {.error = std::move(error)};
}

}  // namespace

Reply reply(int status, std::string body, net::Headers headers) {
  return {.status = status, .pieces = {std::move(body)}, .headers = std::move(headers)};
}

Reply streamed(std::vector<std::string> pieces, BodyEnd end) {
  return {.pieces = std::move(pieces), .end = end};
}

Reply refused_connection() { return failing(codes::connection_failed, "connection refused", false); }

Reply lost() { return failing(codes::unknown_outcome, "connection reset", true); }

Reply status_reply(int code, std::string reason, std::string message) {
  const json::object status{{"kind", "Status"},   {"apiVersion", "v1"}, {"status", "Failure"},
                            {"message", message}, {"reason", reason},   {"code", code}};
  return reply(code, to_text(status));
}

std::string ScriptedApi::Seen::line() const {
  const auto host = request.url.find("//") + 2;
  return request.method + " " + request.url.substr(request.url.find('/', host));
}

std::string ScriptedApi::Seen::query(std::string_view name) const {
  const auto mark = request.url.find('?');
  if (mark == std::string::npos) return "";
  const auto pairs = net::parse_query(std::string_view(request.url).substr(mark + 1));
  if (!pairs) return "";
  for (const auto& [key, value] : *pairs) {
    if (key == name) return value;
  }
  return "";
}

Result<Reply> ScriptedApi::take(net::ClientRequest request) {
  seen_.push_back({.request = std::move(request), .at = time_.steady()});
  if (script_.empty()) {
    overrun_ = true;
    return fail(codes::upstream_error, "the script has no reply left");
  }
  Reply next = std::move(script_.front());
  script_.pop_front();
  if (next.error) return fail(*next.error);
  return next;
}

Task<net::ClientResponse> ScriptedApi::send(net::ClientRequest request, net::Deadline) {
  auto next = take(std::move(request));
  if (!next) co_return fail(next.error());
  std::string body;
  for (const auto& piece : next->pieces) body += piece;
  co_return net::ClientResponse{.status = next->status, .headers = next->headers, .body = std::move(body)};
}

Task<net::HttpClient::Stream> ScriptedApi::open(net::ClientRequest request, net::Deadline) {
  auto next = take(std::move(request));
  if (!next) co_return fail(next.error());
  Stream stream{.status = next->status, .headers = next->headers, .body = nullptr};
  stream.body = std::make_unique<ScriptedBody>(std::move(*next), time_, open_streams_);
  co_return stream;
}

std::unique_ptr<Connection> connect(ScriptedApi& api, net::Timekeeper& time, Random& random,
                                    std::string url) {
  auto made = Connection::make({.url = std::move(url), .ca_pem = "the authority"},
                               static_token(Secret("made-up")), api, time, random, Log());
  return std::move(made.value());
}

}  // namespace instantstart::kube
