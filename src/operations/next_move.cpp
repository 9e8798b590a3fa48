#include "operations/next_move.h"

#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "operations/policy.h"

namespace instantstart::operations {
namespace {

milliseconds paced(milliseconds world, std::int64_t pace) { return Pace{.divisor = pace}.wait(world); }

Stop failed(Error error) { return {.state = StepState::failed, .error = std::move(error)}; }

Stop ask_whether_it_happened(const StepRecord& step, std::string_view what_is_known) {
  Question question;
  question.text = fmt::format(
      "{} It can't be repeated safely without knowing whether it happened. Look whether it did, then choose.",
      what_is_known);
  question.choices = {
      {send_again_choice(step), "It did not happen: send it once more."},
      {std::string(k_look_again_choice), "It happened, or may show up later: look again, send nothing."}};
  return {.state = StepState::needs_input, .question = std::move(question)};
}

Error runaway() {
  return {.code = std::string(codes::internal),
          .message = fmt::format("The step sent {} calls without coming to an end.", k_most_acts)};
}

class Mover {
 public:
  Mover(const StepRecord& step, const Situation& situation) : step_(step), situation_(situation) {}

  Move operator()(Done&& done) const { return Finish{std::move(done)}; }

  Move operator()(Wait&& wait) const {
    return Park{paced(wait.after, situation_.pace), std::move(wait.progress)};
  }

  Move operator()(Blocked&& blocked) const {
    return when_settled(Stop{.state = StepState::blocked, .error = std::move(blocked.error)});
  }
  Move operator()(Fail&& fail) const { return when_settled(failed(std::move(fail.error))); }
  Move operator()(Ask&& ask) const {
    return when_settled(Stop{.state = StepState::needs_input, .question = std::move(ask.question)});
  }

  Move operator()(Act&& act) const {
    if (step_.acts >= k_most_acts) return when_settled(failed(runaway()));
    std::string request = to_canonical_text(act.request);
    const bool same = step_.acts > 0 && step_.request == request;
    Send send{.request = std::move(request),
              .repeat = act.repeat,
              .makes = std::move(act.makes),
              .deadline = act.deadline,
              .settle = act.settle,
              .generation = step_.generation,
              .attempts = same ? step_.attempts + 1 : 1};
    switch (step_.outcome) {
      case Outcome::none:
      case Outcome::sent:  // Its record says acting; nobody decides then.
        return send;
      case Outcome::accepted: return after_accepted(std::move(send), same);
      case Outcome::refused: return after_refused(std::move(send), same);
      case Outcome::unknown: return after_unknown(std::move(send), same);
    }
    return send;
  }

 private:
  bool settled() const { return step_.settled || situation_.settle_left <= milliseconds::zero(); }

  Move when_settled(Stop stop) const {
    if (step_.outcome != Outcome::unknown || settled()) return stop;
    return Park{situation_.settle_left, "Waiting until the last call can't take effect any more"};
  }

  bool used_up(const Send& send) const { return send.attempts > k_most_attempts; }

  Move after_accepted(Send send, bool same) const {
    if (!same) {
      ++send.generation;
      return send;
    }
    if (step_.repeat == Repeat::ask) {
      return ask_whether_it_happened(step_,
                                     "The call was accepted, but what it should have done is not there.");
    }
    if (used_up(send)) {
      return failed({.code = std::string(codes::upstream_error),
                     .message = fmt::format("The call was accepted {} times without the wanted effect.",
                                            step_.attempts),
                     .retryable = true});
    }
    if (situation_.settle_left > milliseconds::zero()) {
      return Park{situation_.settle_left, "Accepted; waiting for it to become visible"};
    }
    return send;
  }

  Move after_refused(Send send, bool same) const {
    ++send.generation;
    if (!same || !step_.act_error) return send;
    auto error = error_of(*step_.act_error);
    if (!error.retryable || used_up(send)) return failed(std::move(error));
    return send;
  }

  Move after_unknown(Send send, bool same) const {
    const bool may_repeat = step_.repeat == Repeat::with_token && same;
    if (!settled() && (!may_repeat || used_up(send))) {
      return when_settled(Stop{});
    }
    if (step_.repeat == Repeat::ask) {
      return ask_whether_it_happened(step_, "It is not known whether the last call ran.");
    }
    if (same && step_.act_error) {  // A repeat was refused, which says nothing about the one before.
      if (auto error = error_of(*step_.act_error); !error.retryable)
        return when_settled(failed(std::move(error)));
    }
    if (same && used_up(send)) {
      return failed({.code = std::string(codes::unknown_outcome),
                     .message = fmt::format("{} calls in a row brought no answer.", step_.attempts),
                     .retryable = true});
    }
    if (!same) ++send.generation;
    return send;
  }

  const StepRecord& step_;
  const Situation& situation_;
};

}  // namespace

Move next_move(const StepRecord& step, Decision decision, const Situation& situation) {
  return std::visit(Mover(step, situation), std::move(decision));
}

bool leaves_outcome_open(const Error& error) {
  if (error.code == codes::unknown_outcome) return true;
  if (error.code != codes::deadline_exceeded) return false;
  const auto* sent = error.detail.if_contains("sent");
  return sent == nullptr || *sent != json::value(false);
}

std::string send_again_choice(const StepRecord& step) { return fmt::format("send_again_{}", step.acts); }

}  // namespace instantstart::operations
