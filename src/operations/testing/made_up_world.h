// A made-up cloud with an audit: some of its calls keep tokens, some are unique by name, some are neither.
// Its replies can be lost, late or wrong in every way that the engine must survive.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "operations/step.h"
#include "operations/testing/made_up_process.h"

namespace instantstart::operations::testing {

struct Thing {
  std::string id;
  std::string name;
  std::string tag;  ///< The operation that made it.
  WallTime visible_at;
  WallTime ready_at;
  std::optional<WallTime> gone_at;  ///< Being deleted.
};

/// One line of the audit: a change that really happened.
struct Mutation {
  WallTime at;
  std::string call;  ///< "create_with_token", "delete" …
  std::string operation_id;
  std::string step_id;
  std::string name;
};

/// How often things go wrong, each between 0 and 1.
struct WorldFaults {
  double throttled = 0;
  double refused = 0;  ///< Certainly, and a retry at once would not help.
  double never_sent = 0;
  double request_lost = 0;
  double reply_lost = 0;
  double late = 0;  ///< Takes effect after the caller gave up, but within its deadline and settle time.
  double error_after = 0;   ///< Answers "unknown" after it took effect.
  double error_before = 0;  ///< Answers "unknown" and never takes effect.
  double look_failed = 0;
};

class MadeUpWorld {
 public:
  MadeUpWorld(net::VirtualTime& time, std::uint64_t seed, milliseconds settle)
      : time_(time), random_(seed), settle_(settle) {}

  WorldFaults faults;
  /// Told of each call when it is sent, before anything happens.
  std::function<void(const StepContext&)> on_send;

  using Effect = std::function<Result<json::value>(WallTime at)>;

  /// A changing call by a process. `effect` runs in the world when the request lands, whatever became of the
  /// caller.
  Task<json::value> change(MadeUpProcess& process, StepContext context, milliseconds deadline, Effect effect);
  /// Before a look: its own delay and failures.
  Task<> look(MadeUpProcess& process);

  Result<json::value> create(const StepContext& context, std::string_view call, const std::string& name,
                             milliseconds build, WallTime at);
  Result<json::value> create_with_token(const StepContext& context, const std::string& name,
                                        milliseconds build, WallTime at);
  Result<json::value> create_unique(const StepContext& context, const std::string& name, milliseconds build,
                                    WallTime at);
  Result<json::value> remove(const StepContext& context, const std::string& id, WallTime at);

  /// The world's own clock, which nobody sets.
  WallTime now() const { return WallTime(time_.steady().time_since_epoch()); }

  /// As somebody sees it now; with what is not visible yet when `all`.
  std::vector<Thing> things(bool all = false);
  /// Puts something there that nobody's operation made.
  void put(std::string name, std::string tag);

  /// Lets everything happen that is due.
  void settle_down();
  bool something_under_way() const { return !landing_.empty(); }
  const std::vector<Mutation>& audit() const { return audit_; }

 private:
  struct Landing {
    WallTime at;
    Effect effect;
    std::optional<Result<json::value>> answer;
  };

  bool chance(double probability) { return random_.unit() < probability; }
  milliseconds between(milliseconds least, milliseconds most);
  std::shared_ptr<Landing> land(milliseconds after, Effect effect);
  Task<json::value> give_up(MadeUpProcess& process, SteadyTime deadline);

  net::VirtualTime& time_;
  SeededRandom random_;
  milliseconds settle_;
  std::vector<Thing> things_;
  std::map<std::string, std::string> by_token_;
  std::vector<std::shared_ptr<Landing>> landing_;
  std::vector<Mutation> audit_;
  int next_id_ = 0;
};

}  // namespace instantstart::operations::testing
