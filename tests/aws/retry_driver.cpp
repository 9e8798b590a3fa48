// Lets another program ask for retry decisions: one call a line in, its decisions a line out.
//
//   service, operation, max_attempts, harmless, failures, succeeds, fresh → decisions, tokens
//   a failure:  kind, status, code, retry_after, random (the numerator over 2^53 of the number that is drawn)
//   a decision: then, delay_ms, tokens
//
// The failures are those of the attempts, in order; the call ends with the first that is not repeated, or
// with the success behind them. One quota for the whole run; `fresh` begins with a full one.
#include "aws/retries.h"
#include "aws/shapes/services.h"
#include "json_lines.h"

namespace instantstart::aws {
namespace {

class GivenRandom final : public Random {
 public:
  std::uint64_t numerator = 0;

  void fill(std::span<std::uint8_t> bytes) override {
    const std::uint64_t word = numerator << 11;  // Random::unit takes the upper 53 bits
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(word >> (56 - 8 * (i % 8)));
  }
};

Failure failure_of(const json::object& given) {
  Failure failure{.status = static_cast<int>(given.at("status").as_int64()), .code = text(given, "code")};
  const std::string kind = text(given, "kind");
  if (kind == "not_sent") failure.kind = Failure::Kind::not_sent;
  if (kind == "lost") failure.kind = Failure::Kind::lost;
  if (const auto retry_after = text(given, "retry_after"); !retry_after.empty()) {
    failure.retry_after = parse_retry_after(retry_after);
  }
  return failure;
}

std::string_view name_of(RetryDecision::Then then) {
  using Then = RetryDecision::Then;
  switch (then) {
    case Then::repeat: return "repeat";
    case Then::renew_credentials: return "renew_credentials";
    case Then::correct_clock: return "correct_clock";
    case Then::give_up: return "give_up";
    case Then::outcome_unknown: return "outcome_unknown";
  }
  return "";
}

Result<json::object> answer(const json::object& line, RetryQuota& quota) {
  const ServiceInfo* service = find_service(text(line, "service"));
  const OperationInfo* operation = service ? service->operation(text(line, "operation")) : nullptr;
  if (!operation) return fail("not_found", "no such operation");
  if (line.at("fresh").as_bool()) quota = RetryQuota{};
  CallProgress progress{.max_attempts = static_cast<int>(line.at("max_attempts").as_int64()),
                        .repeat_is_harmless = line.at("harmless").as_bool()};
  GivenRandom random;
  json::array decisions;
  bool going = true;
  for (const auto& given : line.at("failures").as_array()) {
    if (!going) break;
    random.numerator = given.at("random").to_number<std::uint64_t>();
    const auto decision =
        decide_retry(*operation, failure_of(given.as_object()), false, progress, quota, random);
    decisions.push_back(json::object{{"then", name_of(decision.then)},
                                     {"delay_ms", decision.delay.count()},
                                     {"tokens", quota.available()}});
    if (decision.then == RetryDecision::Then::repeat) ++progress.attempt;
    going = decision.then != RetryDecision::Then::give_up &&
            decision.then != RetryDecision::Then::outcome_unknown;
  }
  if (going && line.at("succeeds").as_bool()) note_success(progress, quota);
  return json::object{{"decisions", decisions}, {"tokens", quota.available()}};
}

}  // namespace
}  // namespace instantstart::aws

int main() {
  instantstart::aws::RetryQuota quota;
  return instantstart::aws::run_lines(
      [&quota](const auto& line) { return instantstart::aws::answer(line, quota); });
}
