#include "operations/step_record.h"

#include <stdexcept>

namespace instantstart::operations {

Type describe(Phase*) {
  return enum_type<Phase>(
      "Phase", "The direction of a step.",
      {{Phase::forward, {"forward", "Does it."}}, {Phase::undo, {"undo", "Takes it away."}}});
}

Type describe(Outcome*) {
  return enum_type<Outcome>("Outcome", "What is known about the last act.",
                            {{Outcome::none, {"none", "None was sent."}},
                             {Outcome::sent, {"sent", "It is on its way."}},
                             {Outcome::accepted, {"accepted", "It answered."}},
                             {Outcome::refused, {"refused", "It certainly did not run."}},
                             {Outcome::unknown, {"unknown", "It may have run."}}});
}

Type describe(Repeat*) {
  return enum_type<Repeat>("Repeat", "What may be done about an act whose outcome is unknown.",
                           {{Repeat::with_token, {"with_token", "Send it again with the same token."}},
                            {Repeat::observe, {"observe", "Look when it can't land any more."}},
                            {Repeat::ask, {"ask", "Ask somebody."}}});
}

Type describe(Scope*) {
  return enum_type<Scope>(
      "Scope", "How far an operation's lease reaches.",
      {{Scope::tree, {"tree", "Its subject and all below."}}, {Scope::leaf, {"leaf", "Its subject alone."}}});
}

std::int64_t enum_value(const Type& type, std::string_view text) {
  for (const auto& entry : type.values) {
    if (entry.name == text) return entry.value;
  }
  throw std::runtime_error("the journal holds an unknown " + std::string(type.name) + ": " +
                           std::string(text));
}

json::value parse_stored(std::string_view text) {
  // Observations may be large and are already in memory; the limits that matter were applied when they came.
  constexpr JsonLimits k_limits{.max_bytes = 256 * 1024 * 1024, .max_depth = 1000};
  auto value = parse_json(text, k_limits);
  if (!value) throw std::runtime_error("the journal holds broken JSON: " + value.error().message);
  return std::move(*value);
}

std::string error_text(const Error& error) { return to_text(encode(error)); }

Error error_of(std::string_view text) {
  auto error = decode<Error>(parse_stored(text));
  if (!error) throw std::runtime_error("the journal holds a broken error: " + error.error().message);
  return std::move(*error);
}

}  // namespace instantstart::operations
