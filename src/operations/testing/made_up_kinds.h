// Step kinds and operation kinds over a made-up world: one of each way in which an API can be repeated.
#pragma once

#include <functional>

#include "operations/kind.h"
#include "operations/testing/made_up_world.h"

namespace instantstart::operations::testing {

struct MakeInput {
  std::string name;
  std::int64_t build_ms = 0;
};
Type describe(MakeInput*);

struct ThingSeen {
  std::string id;
  std::string tag;
  bool ready = false;
  bool going = false;
};
Type describe(ThingSeen*);

struct ThingsSeen {
  std::vector<ThingSeen> things;
};
Type describe(ThingsSeen*);

/// How a step makes its thing.
enum class Making {
  with_token,  ///< The call keeps tokens; names are not unique.
  unique,      ///< Unique by name.
  tagged,      ///< Neither, but what it made is found by its tag.
  unseen,      ///< Neither, and it shows only after long: must never be repeated by itself.
  lying,       ///< As tagged, but the step claims that the call keeps tokens.
};

/// Which process runs a step; steps are made once for each process.
struct Place {
  MadeUpWorld& world;
  MadeUpProcess& process;
};

/// Registers: make_with_token, make_unique, make_tagged, make_unseen, make_lying (input MakeInput; all can be
/// undone but make_unseen), remove_thing, plan_and_run (input PlannedChild); and the operation kinds that the
/// simulation runs.
KindRegistry made_up_kinds(MadeUpWorld& world, MadeUpProcess& process);

/// When what make_unseen made can be seen at last.
inline constexpr milliseconds k_unseen_for{120'000};

}  // namespace instantstart::operations::testing
