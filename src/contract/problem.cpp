#include "contract/problem.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "contract/answers.h"

namespace instantstart::contract {
namespace {

/// A year: no wait that a peer asks for is longer, and milliseconds of it fit an integer.
constexpr double k_longest_wait_seconds = 366.0 * 24 * 3600;

}  // namespace

Type describe(Problem*) {
  return object_type<Problem>(
      "Problem", "What went wrong, as problem details (RFC 9457).",
      {field<&Problem::type>("type", "URN of the kind of problem.",
                             {.rule = {.format = "uri"}, .examples = {"urn:instantstart:error:not_found"}}),
       field<&Problem::title>("title", "The kind of problem, in words.", {.examples = {"Not found"}}),
       field<&Problem::status>("status", "HTTP status.",
                               {.rule = {.min = 400, .max = 599}, .examples = {"404"}}),
       field<&Problem::detail>("detail", "What happened here, in one sentence.",
                               {.examples = {"No cluster has the tag 'a'."}}),
       field<&Problem::code>("code", "Stable name of the kind of problem, for programs.",
                             {.examples = {"not_found"}}),
       field<&Problem::retryable>("retryable", "True when the same request may succeed later."),
       field<&Problem::retry_after_seconds>("retry_after_seconds",
                                            "Wait at least so long before the next try.",
                                            {.rule = {.min = 0, .max = k_longest_wait_seconds}}),
       field<&Problem::request_id>("request_id", "Finds the call in logs and in the activity list.",
                                   {.defaulted = true}),
       field<&Problem::problems>("problems", "Every place of the request that is wrong.",
                                 {.defaulted = true}),
       field<&Problem::next>("next", "Actions that may help, ready to be sent.", {.defaulted = true}),
       field<&Problem::context>("context", "Facts for programs: names, codes and ids of the peer's answer.",
                                {.defaulted = true})});
}

Problem to_problem(const Error& error, std::string request_id) {
  const ErrorCodeInfo& row = error_code_info(error.code);
  Problem problem{.type = fmt::format("urn:instantstart:error:{}", row.code),
                  .title = std::string(row.title),
                  .status = row.http_status,
                  .detail = error.message,
                  .code = std::string(row.code),
                  .retryable = error.retryable || row.retryable,
                  .retry_after_seconds = {},
                  .request_id = std::move(request_id),
                  .problems = error.problems,
                  .next = error.next,
                  .context = error.detail};
  if (error.retry_after) {
    const double wait = std::chrono::duration<double>(*error.retry_after).count();
    problem.retry_after_seconds = std::clamp(wait, 0.0, k_longest_wait_seconds);
  }
  return problem;
}

Error to_error(const Problem& problem) {
  Error error{.code = problem.code,
              .message = problem.detail,
              .retryable = problem.retryable,
              .retry_after = {},
              .problems = problem.problems,
              .next = problem.next,
              .detail = problem.context};
  if (problem.retry_after_seconds && std::isfinite(*problem.retry_after_seconds)) {
    const double wait = std::clamp(*problem.retry_after_seconds, 0.0, k_longest_wait_seconds);
    error.retry_after = std::chrono::milliseconds(std::llround(wait * 1000));
  }
  return error;
}

}  // namespace instantstart::contract
