// Calls to AWS: typed, signed, repeated where that is harmless, with errors in our codes.
//
//   auto vpc = co_await client.call<ec2::CreateVpc>({.cidr_block = "10.0.0.0/16"}, {.deadline = deadline});
//   if (!vpc) co_return fail(within("Make the network", vpc.error()));
#pragma once

#include <map>
#include <string>
#include <utility>

#include "aws/credentials.h"
#include "aws/endpoints.h"
#include "aws/retries.h"
#include "aws/shapes/shape.h"
#include "aws/sigv4.h"
#include "base/log.h"
#include "base/random.h"
#include "net/http_client.h"
#include "net/task.h"
#include "net/time.h"

namespace instantstart::aws {

struct ClientConfig {
  std::string region;
  EndpointConfig endpoints = {};
  std::string user_agent;  ///< "instantstart/0.1.0"
  int max_attempts = 3;    ///< The first one counts.
};

struct CallOptions {
  net::Deadline deadline =
      net::Deadline::never();    ///< Whichever is sooner ends the call with all its attempts:
  milliseconds timeout{30'000};  ///< this is counted from the call.
  milliseconds attempt_timeout{15'000};
  /// For operations that take one: the same text makes repeats, also those after a crash, one action. When it
  /// is empty, and the input has none, the client makes one, which covers the attempts of this call only.
  std::string idempotency_token = {};
  /// The caller knows that a repeat does no harm though the operation changes something (deleting by id,
  /// setting a value).
  bool repeat_is_harmless = false;
};

/// One account context in one region. Loop thread only. Everything it is made from outlives it, and it
/// outlives its calls.
class Client {
 public:
  Client(ClientConfig config, CredentialsProvider& credentials, net::HttpClient& http, net::Timekeeper& time,
         Random& random, Log log);

  /// Errors: `invalid_request` before anything is sent; those of aws/errors.h; `connection_failed`;
  /// `deadline_exceeded`; `unknown_outcome` when a call that changes something may or may not have run; those
  /// of the credentials provider. All carry detail {service, operation}.
  template <class Op>
  Task<typename Op::Output> call(typename Op::Input input, CallOptions options = {}) {
    typename Op::Output output;
    auto called = co_await call(Op::info(), &input, &output, std::move(options));
    if (!called) co_return fail(std::move(called.error()));
    co_return output;
  }

  /// `input` (of the operation's input shape; an idempotency token is filled in) and `output` (default, of
  /// its output shape) live until the call has ended. After an error the output is unspecified, but valid.
  Task<> call(const OperationInfo& operation, void* input, void* output, CallOptions options);

  const std::string& region() const { return config_.region; }
  CredentialsProvider& credentials() const { return credentials_; }
  /// AWS's time as far as the client knows: the wall clock, corrected by what AWS said of it.
  WallTime aws_time() const { return time_.wall() + clock_skew_; }
  Result<Endpoint> endpoint(std::string_view service) const;

 private:
  struct Call;
  struct Attempt;

  Task<Attempt> attempt(const Call& call, const CallProgress& progress, net::Deadline deadline);
  Attempt judge(const Call& call, Result<net::ClientResponse> answer, WallTime signed_at) const;
  Result<> decoded(const Call& call, const Attempt& attempt) const;
  Error final_error(const Call& call, Attempt attempt, bool earlier_may_have_run) const;
  void log_attempt(const Call& call, const Attempt& attempt, int number) const;

  ClientConfig config_;
  CredentialsProvider& credentials_;
  net::HttpClient& http_;
  net::Timekeeper& time_;
  Random& random_;
  Log log_;
  milliseconds clock_skew_{0};
  SigningKeys keys_;
  std::map<std::string_view, RetryQuota> quotas_;  ///< By service, as botocore has a client for each.
};

}  // namespace instantstart::aws
