#include "operations/testing/made_up_world.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::operations::testing {
namespace {

/// Until something that was made or removed shows in a list. Late landings leave room for it.
constexpr milliseconds k_visible_within{4'000};
constexpr milliseconds k_removal{3'000};

Error temporary(std::string_view code, std::string message) {
  return {.code = std::string(code), .message = std::move(message), .retryable = true};
}

}  // namespace

milliseconds MadeUpWorld::between(milliseconds least, milliseconds most) {
  return least + milliseconds(
                     static_cast<std::int64_t>(random_.unit() * static_cast<double>((most - least).count())));
}

std::shared_ptr<MadeUpWorld::Landing> MadeUpWorld::land(milliseconds after, Effect effect) {
  auto landing = std::make_shared<Landing>(Landing{now() + after, std::move(effect), std::nullopt});
  landing_.push_back(landing);
  return landing;
}

void MadeUpWorld::settle_down() {
  const WallTime until = now();
  while (true) {
    const auto next = std::ranges::min_element(landing_, {}, [](const auto& landing) { return landing->at; });
    if (next == landing_.end() || (*next)->at > until) break;
    const auto landing = *next;
    landing_.erase(next);
    landing->answer = landing->effect(landing->at);
  }
  std::erase_if(things_, [&](const Thing& thing) { return thing.gone_at && *thing.gone_at <= until; });
}

Task<json::value> MadeUpWorld::give_up(MadeUpProcess& process, SteadyTime deadline) {
  co_await process.wait_until(deadline);
  co_return fail(codes::deadline_exceeded, "No answer in time.");
}

Task<json::value> MadeUpWorld::change(MadeUpProcess& process, StepContext context, milliseconds deadline,
                                      Effect effect) {
  if (process.dead()) throw_dead();
  if (on_send) on_send(context);
  const SteadyTime sent = time_.steady();
  const milliseconds soon = between(milliseconds(5), milliseconds(400));
  const milliseconds back = between(milliseconds(5), milliseconds(400));
  if (chance(faults.throttled)) {
    co_await process.wait_until(sent + soon);
    co_return fail(temporary(codes::rate_limited, "Rate exceeded."));
  }
  if (chance(faults.never_sent)) {
    co_await process.wait_until(sent + soon);
    co_return fail(temporary(codes::connection_failed, "Connection refused."));
  }
  if (chance(faults.refused)) {
    co_await process.wait_until(sent + soon);
    co_return fail(codes::access_denied, "Not allowed.");
  }
  if (chance(faults.request_lost)) co_return co_await give_up(process, sent + deadline);
  if (chance(faults.error_before)) {
    co_await process.wait_until(sent + soon);
    co_return fail(codes::unknown_outcome, "Internal error.");
  }
  if (chance(faults.late)) {
    land(between(deadline, deadline + settle_ - k_visible_within), std::move(effect));
    co_return co_await give_up(process, sent + deadline);
  }
  if (chance(faults.reply_lost)) {
    land(soon, std::move(effect));
    co_return co_await give_up(process, sent + deadline);
  }
  const auto landing = land(soon, std::move(effect));
  const bool unknown = chance(faults.error_after);
  co_await process.wait_until(sent + soon + back);
  settle_down();
  if (unknown) co_return fail(codes::unknown_outcome, "Internal error.");
  co_return *landing->answer;
}

Task<> MadeUpWorld::look(MadeUpProcess& process) {
  if (process.dead()) throw_dead();
  co_await process.wait_until(time_.steady() + between(milliseconds(5), milliseconds(200)));
  settle_down();
  if (chance(faults.look_failed)) co_return fail(temporary(codes::unavailable, "Service unavailable."));
  co_return Result<>{};
}

Result<json::value> MadeUpWorld::create(const StepContext& context, std::string_view call,
                                        const std::string& name, milliseconds build, WallTime at) {
  Thing thing{.id = fmt::format("id-{}", ++next_id_),
              .name = name,
              .tag = context.operation_id,
              .visible_at = at + between(milliseconds(0), k_visible_within),
              .ready_at = at + build};
  things_.push_back(thing);
  audit_.push_back({at, std::string(call), context.operation_id, context.step_id, name});
  return json::value{{"id", thing.id}};
}

Result<json::value> MadeUpWorld::create_with_token(const StepContext& context, const std::string& name,
                                                   milliseconds build, WallTime at) {
  if (const auto known = by_token_.find(context.token); known != by_token_.end())
    return json::value{{"id", known->second}};
  auto made = create(context, "create_with_token", name, build, at);
  by_token_[context.token] = things_.back().id;
  return made;
}

Result<json::value> MadeUpWorld::create_unique(const StepContext& context, const std::string& name,
                                               milliseconds build, WallTime at) {
  if (std::ranges::find(things_, name, &Thing::name) != things_.end()) {
    return fail(codes::name_taken, fmt::format("'{}' exists.", name));
  }
  return create(context, "create_unique", name, build, at);
}

Result<json::value> MadeUpWorld::remove(const StepContext& context, const std::string& id, WallTime at) {
  const auto found = std::ranges::find(things_, id, &Thing::id);
  if (found == things_.end() || found->gone_at)
    return fail(codes::not_found, fmt::format("'{}' is not there.", id));
  found->gone_at = at + k_removal;
  audit_.push_back({at, "remove", context.operation_id, context.step_id, found->name});
  return json::value(json::object{});
}

std::vector<Thing> MadeUpWorld::things(bool all) {
  settle_down();
  auto seen = things_;
  if (!all) std::erase_if(seen, [&](const Thing& thing) { return thing.visible_at > now(); });
  return seen;
}

void MadeUpWorld::put(std::string name, std::string tag) {
  things_.push_back({.id = fmt::format("id-{}", ++next_id_),
                     .name = std::move(name),
                     .tag = std::move(tag),
                     .visible_at = now(),
                     .ready_at = now()});
}

}  // namespace instantstart::operations::testing
