#include "aws/testing/scripted_http.h"

#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

constexpr milliseconds k_forever = std::chrono::hours(24);

Error timed_out() {
  Error error{.code = std::string(codes::deadline_exceeded), .message = "no answer in time"};
  error.detail["sent"] = true;
  return error;
}

}  // namespace

ScriptedHttp& ScriptedHttp::then(Answer answer, milliseconds after) {
  script_.push_back({.answer = std::move(answer), .after = after});
  return *this;
}

ScriptedHttp& ScriptedHttp::then(int status, std::string body, net::Headers headers, milliseconds after) {
  return then(
      [=](const net::ClientRequest&) -> Result<net::ClientResponse> {
        return net::ClientResponse{.status = status, .headers = headers, .body = body};
      },
      after);
}

ScriptedHttp& ScriptedHttp::then_refused() {
  return then([](const net::ClientRequest&) {
    Error error{.code = std::string(codes::connection_failed), .message = "connection refused"};
    error.detail["sent"] = false;
    return fail(std::move(error));
  });
}

ScriptedHttp& ScriptedHttp::then_lost() {
  return then([](const net::ClientRequest&) {
    Error error{.code = std::string(codes::unknown_outcome), .message = "connection reset"};
    error.detail["sent"] = true;
    return fail(std::move(error));
  });
}

ScriptedHttp& ScriptedHttp::then_silence() {
  return then([](const net::ClientRequest&) { return fail(timed_out()); }, k_forever);
}

Task<net::ClientResponse> ScriptedHttp::send(net::ClientRequest request, net::Deadline deadline) {
  seen_.push_back({.request = request, .at = time_.steady()});
  if (script_.empty()) {
    overrun_ = true;
    co_return fail(codes::internal, "the script has no answer left");
  }
  const Step step = std::move(script_.front());
  script_.pop_front();
  const auto due = time_.steady() + step.after;
  if (due > deadline.at) {
    co_await time_.sleep_until(deadline.at);
    co_return fail(timed_out());
  }
  if (step.after > milliseconds::zero()) co_await time_.sleep_until(due);
  co_return step.answer(request);
}

Task<net::HttpClient::Stream> ScriptedHttp::open(net::ClientRequest, net::Deadline) {
  co_return fail(codes::internal, "no AWS operation that is used here streams");
}

}  // namespace instantstart::aws
