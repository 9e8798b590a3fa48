#include "operations/testing/made_up_kinds.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::operations::testing {

Type describe(MakeInput*) {
  return object_type<MakeInput>(
      "MakeInput", "A thing to make.",
      {field<&MakeInput::name>("name", "Its name."),
       field<&MakeInput::build_ms>("build_ms", "How long that takes.", {.defaulted = true})});
}

Type describe(ThingSeen*) {
  return object_type<ThingSeen>(
      "ThingSeen", "A thing.",
      {field<&ThingSeen::id>("id", "Its id."), field<&ThingSeen::tag>("tag", "Who made it."),
       field<&ThingSeen::ready>("ready", "It is built."),
       field<&ThingSeen::going>("going", "It is being removed.")});
}

Type describe(ThingsSeen*) {
  return object_type<ThingsSeen>("ThingsSeen", "Things of one name.",
                                 {field<&ThingsSeen::things>("things", "Them.", {.defaulted = true})});
}

namespace {

constexpr std::string_view k_type = "made_up:thing";

struct MakeRequest {
  std::string name;
};
Type describe(MakeRequest*) {
  return object_type<MakeRequest>("MakeRequest", "The call that makes it.",
                                  {field<&MakeRequest::name>("name", "Its name.")});
}

struct RemoveRequest {
  std::string id;
};
Type describe(RemoveRequest*) {
  return object_type<RemoveRequest>("RemoveRequest", "The call that removes it.",
                                    {field<&RemoveRequest::id>("id", "Its id.")});
}

milliseconds left(net::Deadline deadline, MadeUpProcess& process) { return deadline.left(process.time()); }

Task<ThingsSeen> look_by_name(Place place, std::string name, milliseconds unseen_for) {
  auto looked = co_await place.world.look(place.process);
  if (!looked) co_return fail(std::move(looked.error()));
  ThingsSeen seen;
  const WallTime now = place.world.now();
  for (const auto& thing : place.world.things()) {
    if (thing.name != name || thing.visible_at + unseen_for > now) continue;
    seen.things.push_back({thing.id, thing.tag, thing.ready_at <= now, thing.gone_at.has_value()});
  }
  co_return seen;
}

class RemoveThing : public Step<MakeInput, ThingsSeen, RemoveRequest> {
 public:
  RemoveThing(Place place, bool only_ours) : place_(place), only_ours_(only_ours) {}

  std::string_view name() const override { return only_ours_ ? "remove_ours" : "remove_thing"; }

  Task<ThingsSeen> look(const StepContext&, const MakeInput& input) const override {
    return look_by_name(place_, input.name, milliseconds(0));
  }

  Decision choose(const StepContext& context, const MakeInput& input, const ThingsSeen& seen,
                  const History& history) const override {
    for (const auto& thing : seen.things) {
      if (only_ours_ && thing.tag != context.operation_id) continue;
      if (thing.going) return Wait{milliseconds(2'000), "Going"};
      return Act{.request = encode(RemoveRequest{thing.id}), .repeat = Repeat::observe};
    }
    Done done{.output = json::object{{"held", history.acts == 0}}};
    done.removed = {{std::string(k_type), input.name}};
    return done;
  }

  Task<json::value> send(const StepContext& context, const MakeInput&,
                         const RemoveRequest& request) const override {
    auto& world = place_.world;
    return world.change(
        place_.process, context, left(context.deadline, place_.process),
        [&world, context, id = request.id](WallTime at) { return world.remove(context, id, at); });
  }

 private:
  Place place_;
  bool only_ours_;
};

class MakeThing final : public Step<MakeInput, ThingsSeen, MakeRequest> {
 public:
  MakeThing(Place place, std::string_view name, Making making)
      : place_(place), name_(name), making_(making), undo_(place, true) {}

  std::string_view name() const override { return name_; }
  const StepKind* undo() const override { return making_ == Making::unseen ? nullptr : &undo_; }

  Task<ThingsSeen> look(const StepContext&, const MakeInput& input) const override {
    return look_by_name(place_, input.name, making_ == Making::unseen ? k_unseen_for : milliseconds(0));
  }

  Decision choose(const StepContext& context, const MakeInput& input, const ThingsSeen& seen,
                  const History&) const override {
    for (const auto& thing : seen.things) {
      if (thing.tag != context.operation_id) {
        if (making_ != Making::unique) continue;
        return Blocked{
            {.code = std::string(codes::name_taken), .message = fmt::format("'{}' exists.", input.name)}};
      }
      if (!thing.ready)
        return Wait{std::max(milliseconds(5'000), milliseconds(input.build_ms / 8)), "Building"};
      return Done{.output = json::object{{"id", thing.id}}, .owned = {{std::string(k_type), input.name}}};
    }
    return Act{.request = encode(MakeRequest{input.name}),
               .repeat = repeat(),
               .makes = {{std::string(k_type), input.name}}};
  }

  Task<json::value> send(const StepContext& context, const MakeInput& input,
                         const MakeRequest&) const override {
    auto& world = place_.world;
    auto effect = [&world, context, name = input.name, build = milliseconds(input.build_ms),
                   making = making_](WallTime at) -> Result<json::value> {
      switch (making) {
        case Making::with_token: return world.create_with_token(context, name, build, at);
        case Making::unique: return world.create_unique(context, name, build, at);
        default: return world.create(context, "create", name, build, at);
      }
    };
    return world.change(place_.process, context, left(context.deadline, place_.process), std::move(effect));
  }

 private:
  Repeat repeat() const {
    switch (making_) {
      case Making::with_token:
      case Making::lying: return Repeat::with_token;
      case Making::unseen: return Repeat::ask;
      default: return Repeat::observe;
    }
  }

  Place place_;
  std::string_view name_;
  Making making_;
  RemoveThing undo_;
};

/// As the step's input says, without what is there already: so it depends on when it is planned.
Task<PlannedChild> plan_missing(Place place, json::object input) {
  auto looked = co_await place.world.look(place.process);
  if (!looked) co_return fail(std::move(looked.error()));
  auto child = decode<PlannedChild>(input);
  if (!child) co_return fail(std::move(child.error()));
  const auto things = place.world.things();
  std::erase_if(child->plan.steps, [&](const contract::PlannedStep& step) {
    const auto* name = step.input.if_contains("name");
    return std::ranges::any_of(things, [&](const auto& thing) {
      return name != nullptr && *name == json::value(thing.name) && thing.ready_at <= place.world.now();
    });
  });
  co_return std::move(*child);
}

}  // namespace

KindRegistry made_up_kinds(MadeUpWorld& world, MadeUpProcess& process) {
  const Place place{world, process};
  KindRegistry kinds;
  kinds.add(std::make_unique<MakeThing>(place, "make_with_token", Making::with_token));
  kinds.add(std::make_unique<MakeThing>(place, "make_unique", Making::unique));
  kinds.add(std::make_unique<MakeThing>(place, "make_tagged", Making::tagged));
  kinds.add(std::make_unique<MakeThing>(place, "make_unseen", Making::unseen));
  kinds.add(std::make_unique<MakeThing>(place, "make_lying", Making::lying));
  kinds.add(std::make_unique<RemoveThing>(place, false));
  kinds.add_child("plan_and_run",
                  [place](StepContext, json::object input) { return plan_missing(place, std::move(input)); });
  kinds.add(OperationKind{.name = "make_things", .parallel = 3});
  kinds.add(OperationKind{.name = "make_family", .parallel = 3});
  kinds.add(OperationKind{.name = "remove_things", .removes = true, .parallel = 2});
  return kinds;
}

}  // namespace instantstart::operations::testing
