#include "aws/client.h"

#include <fmt/core.h>

#include "aws/clock_skew.h"
#include "aws/errors.h"
#include "aws/protocols/codec.h"
#include "aws/wire_request.h"
#include "base/error_codes.h"

namespace instantstart::aws {

/// What stays the same for all attempts of one call.
struct Client::Call {
  const OperationInfo& operation;
  void* output;
  HttpRequestParts request;
  Endpoint endpoint;
  std::string invocation_id;
  milliseconds attempt_timeout;
};

/// How one attempt ended: with an answer that is an output, or with a failure.
struct Client::Attempt {
  HttpResponseParts answer = {};
  std::optional<Credentials> credentials = {};  ///< Those it was signed with.
  std::optional<Failure> failure = {};
  ServiceError refusal = {};              ///< failure.kind answered
  Error transport = {};                   ///< failure.kind not_sent or lost
  std::optional<milliseconds> skew = {};  ///< The clock that signed it was off by this.
};

namespace {

/// Codes that say: these credentials will not do, though they have not expired.
bool is_unknown_key(std::string_view aws_code) {
  return aws_code == "InvalidClientTokenId" || aws_code == "UnrecognizedClientException" ||
         aws_code == "InvalidAccessKeyId" || aws_code == "AuthFailure";
}

/// Of what the HTTP client could not get an answer to: whether a byte of the request may have left.
bool was_sent(const Error& error) {
  if (const auto* sent = error.detail.if_contains("sent"); sent && sent->is_bool()) return sent->get_bool();
  return error.code != codes::connection_failed;
}

/// The request itself is at fault; sending it again would not change that.
bool is_never_sendable(const Error& error) {
  return error.code == codes::invalid_request || error.code == codes::forbidden;
}

HttpResponseParts to_parts(net::ClientResponse answer) {
  HttpResponseParts parts{.status = answer.status, .body = std::move(answer.body)};
  for (const auto& [name, value] : answer.headers) parts.headers.emplace_back(name, value);
  return parts;
}

/// True when the input carries a token afterwards.
bool fill_token(const OperationInfo& operation, void* input, std::string token, Clock& clock,
                Random& random) {
  const MemberInfo* member = operation.idempotency_token;
  if (!member) return false;
  if (member->peek(input)) return true;
  if (token.empty()) token = make_uuid7(clock, random);
  *static_cast<std::string*>(member->emplace(input)) = std::move(token);
  return true;
}

}  // namespace

Client::Client(ClientConfig config, CredentialsProvider& credentials, net::HttpClient& http,
               net::Timekeeper& time, Random& random, Log log)
    : config_(std::move(config)),
      credentials_(credentials),
      http_(http),
      time_(time),
      random_(random),
      log_(std::move(log)) {}

Result<Endpoint> Client::endpoint(std::string_view service) const {
  return resolve_endpoint(config_.endpoints, service, config_.region);
}

Task<> Client::call(const OperationInfo& operation, void* input, void* output, CallOptions options) {
  const auto deadline = net::Deadline::in(time_, options.timeout).sooner(options.deadline);
  const bool has_token = fill_token(operation, input, std::move(options.idempotency_token), time_, random_);
  auto request = encode_request(operation, input);
  if (!request) co_return fail(about_call(operation, std::move(request.error())));
  auto where = endpoint(operation.service->name);
  if (!where) co_return fail(about_call(operation, std::move(where.error())));
  const Call call{.operation = operation,
                  .output = output,
                  .request = std::move(*request),
                  .endpoint = std::move(*where),
                  .invocation_id = make_uuid7(time_, random_),
                  .attempt_timeout = options.attempt_timeout};

  RetryQuota& quota = quotas_[operation.service->name];
  CallProgress progress{.max_attempts = config_.max_attempts,
                        .repeat_is_harmless = operation.read_only || has_token || options.repeat_is_harmless};
  bool earlier_may_have_run = false;
  for (;;) {
    auto ended = co_await attempt(call, progress, deadline);
    if (!ended) co_return fail(about_call(operation, std::move(ended.error())));
    log_attempt(call, *ended, progress.attempt);
    if (!ended->failure) {
      note_success(progress, quota);
      co_return decoded(call, *ended);
    }
    const auto decision =
        decide_retry(operation, *ended->failure, ended->skew.has_value(), progress, quota, random_);
    using Then = RetryDecision::Then;
    if (ended->credentials &&
        (decision.then == Then::renew_credentials || is_unknown_key(ended->refusal.code))) {
      credentials_.refused(*ended->credentials);
    }
    if (decision.then == Then::correct_clock) clock_skew_ += *ended->skew;
    const bool over = decision.then == Then::give_up || decision.then == Then::outcome_unknown;
    if (over || time_.steady() + decision.delay >= deadline.at) {
      co_return fail(final_error(call, std::move(*ended), earlier_may_have_run));
    }
    earlier_may_have_run = earlier_may_have_run || !provably_did_not_run(operation, *ended->failure);
    if (decision.then == Then::repeat) {
      ++progress.attempt;
      co_await time_.sleep(decision.delay);
    }
  }
}

/// An error here is one that no other attempt would mend: no credentials, an unusable endpoint.
Task<Client::Attempt> Client::attempt(const Call& call, const CallProgress& progress,
                                      net::Deadline deadline) {
  Attempt result;
  if (!call.operation.unsigned_request) {
    auto credentials = co_await credentials_.get(deadline);
    if (!credentials) co_return fail(std::move(credentials.error()));
    result.credentials = std::move(*credentials);
  }
  const WallTime signed_at = aws_time();
  auto request = wire_request(call.operation, call.request, call.endpoint,
                              result.credentials ? &*result.credentials : nullptr,
                              {.user_agent = config_.user_agent,
                               .invocation_id = call.invocation_id,
                               .attempt = progress.attempt,
                               .max_attempts = progress.max_attempts,
                               .signing_time = signed_at,
                               .keys = &keys_});
  if (!request) co_return fail(std::move(request.error()));
  request->idempotent = progress.repeat_is_harmless;
  auto answer = co_await http_.send(std::move(*request),
                                    net::Deadline::in(time_, call.attempt_timeout).sooner(deadline));
  if (!answer && is_never_sendable(answer.error())) co_return fail(std::move(answer.error()));
  Attempt judged = judge(call, std::move(answer), signed_at);
  judged.credentials = std::move(result.credentials);
  co_return judged;
}

Client::Attempt Client::judge(const Call& call, Result<net::ClientResponse> answer,
                              WallTime signed_at) const {
  Attempt result;
  if (!answer) {
    result.failure =
        Failure{.kind = was_sent(answer.error()) ? Failure::Kind::lost : Failure::Kind::not_sent};
    result.transport = std::move(answer.error());
    return result;
  }
  result.answer = to_parts(std::move(*answer));
  if (!is_error(call.operation, result.answer)) return result;
  result.refusal = decode_error(call.operation, result.answer);
  const std::string* date = find_header(result.answer.headers, "date");
  const std::string* retry_after = find_header(result.answer.headers, "x-amz-retry-after");
  result.skew = clock_skew(result.refusal.code, date ? *date : "", signed_at);
  result.failure = Failure{.status = result.answer.status,
                           .code = result.refusal.code,
                           .retry_after = retry_after ? parse_retry_after(*retry_after) : std::nullopt};
  return result;
}

/// The call has run. If its answer can't be read, one that changes something must be looked for, not sent
/// again.
Result<> Client::decoded(const Call& call, const Attempt& attempt) const {
  auto read = decode_response(call.operation, attempt.answer, call.output);
  if (read) return {};
  if (call.operation.read_only) return fail(about_call(call.operation, std::move(read.error())));
  const ServiceError seen{.request_id = request_id(attempt.answer), .status = attempt.answer.status};
  return fail(unknown_outcome(call.operation, seen, "its answer can't be read: " + read.error().message));
}

Error Client::final_error(const Call& call, Attempt attempt, bool earlier_may_have_run) const {
  const OperationInfo& operation = call.operation;
  const bool answered = attempt.failure->kind == Failure::Kind::answered;
  const bool did_not_run = provably_did_not_run(operation, *attempt.failure);
  // Only a definite no says something about earlier attempts too; "too many calls" does not.
  const bool says_nothing =
      !did_not_run || !answered || classify(operation, *attempt.failure) == FailureClass::throttling;
  if (!operation.read_only && (!did_not_run || (earlier_may_have_run && says_nothing))) {
    const std::string reason =
        answered ? fmt::format("AWS answered {} {}", attempt.answer.status, attempt.refusal.code)
                 : attempt.transport.message;
    return unknown_outcome(operation, attempt.refusal, reason);
  }
  if (answered) {
    Error error = to_error(operation, attempt.refusal);
    if (earlier_may_have_run && !operation.read_only) error.detail["earlier_attempt_may_have_run"] = true;
    return error;
  }
  if (attempt.transport.code == codes::unknown_outcome) {  // of a read, which has no outcome
    attempt.transport.code = codes::unavailable;
    attempt.transport.retryable = true;
  }
  return about_call(operation, std::move(attempt.transport));
}

void Client::log_attempt(const Call& call, const Attempt& attempt, int number) const {
  const std::string id = attempt.failure ? attempt.refusal.request_id : request_id(attempt.answer);
  log_.debug("AWS call", {{"service", boost::json::value(call.operation.service->name)},
                          {"operation", boost::json::value(call.operation.name)},
                          {"attempt", number},
                          {"status", attempt.answer.status},
                          {"aws_code", boost::json::value(attempt.refusal.code)},
                          {"request_id", boost::json::value(id)}});
}

}  // namespace instantstart::aws
