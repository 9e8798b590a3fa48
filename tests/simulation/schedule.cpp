#include "simulation/schedule.h"

#include <algorithm>
#include <list>
#include <memory>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/system/system_error.hpp>

#include "base/json.h"
#include "operations/step_record.h"

namespace instantstart::simulation {
namespace {

using operations::OperationState;
using operations::OperationView;
using operations::testing::WriteFate;

/// Longer than any operation takes when nothing goes wrong any more.
constexpr milliseconds k_patience{24 * 3'600'000};
/// What still runs on by itself when an operation has ended: pods of daemons, timers of the cloud.
constexpr milliseconds k_aftermath{30 * 60'000};

class Play {
 public:
  Play(House& house, const Asked& asked, const Plot& plot)
      : house_(house),
        time_(house.time()),
        asked_(asked),
        plot_(plot),
        wire_(plot.wire),
        dice_(plot.seed),
        news_(time_),
        began_(time_.steady()) {
    hooks_.before = [this](Process& process, std::uint64_t n) {
      crash_if_planned(process, n, false);
      return WriteFate::goes_well;
    };
    hooks_.after = [this](Process& process, std::uint64_t n) { crash_if_planned(process, n, true); };
  }

  Verdict run() {
    const std::int64_t first_row = house_.last_audit_row();
    spawn(everything());
    time_.run_until([this] { return ended_; });
    time_.run_for(k_aftermath);
    verdict_.commits = commits_;
    verdict_.audit = house_.audit(first_row);
    verdict_.records = house_.records();
    for (auto& name : repeated(verdict_.audit)) broken(fmt::format("{} was carried out twice.", name));
    return std::move(verdict_);
  }

 private:
  void spawn(asio::awaitable<void> work) {
    asio::co_spawn(time_.context(), std::move(work), [](const std::exception_ptr& error) {
      if (error) std::rethrow_exception(error);
    });
  }

  void broken(std::string promise) { verdict_.broken.push_back(std::move(promise)); }
  milliseconds now() const { return time_.steady() - began_; }
  milliseconds some_time(std::int64_t most_ms) {
    return milliseconds(static_cast<std::int64_t>(dice_.unit() * static_cast<double>(most_ms)));
  }

  void crash(Process& process) {
    if (process.dead() || peace_) return;
    ++verdict_.crashes;
    for (Life* life : lives_) {
      if (&life->process == &process) life->die();
    }
    news_.notify();
  }

  void crash_if_planned(Process& process, std::uint64_t n, bool after) {
    const auto planned = plot_.crash_at_commit.find(n);
    if (planned != plot_.crash_at_commit.end() && planned->second == after) crash(process);
  }

  asio::awaitable<void> everything() {
    if (!plot_.rules.empty()) co_await house_.set_faults(plot_.rules);
    spawn(keep_alive());
    if (plot_.trouble_ends > milliseconds::zero()) spawn(end_trouble_in_time());
    co_await ask();
    co_await look_after();
    if (!plot_.rules.empty()) co_await make_peace();
    finished_ = true;
    news_.notify();
  }

  asio::awaitable<void> end_trouble_in_time() {
    const net::Deadline until{net::later(time_.steady(), plot_.trouble_ends)};
    while (!finished_ && !until.passed(time_)) {
      const auto seen = news_.generation();
      co_await news_.wait_after(seen, until);
    }
    if (!finished_) co_await make_peace();
  }

  asio::awaitable<void> make_peace() {
    peace_ = true;
    wire_ = {};
    co_await house_.set_faults({});
  }

  /// Starts a process again and again when it has died.
  asio::awaitable<void> keep_alive() {
    while (!finished_) {
      auto life =
          std::make_unique<Life>(house_, hooks_, commits_, wire_, dice_.next(), [this](Process& process) {
            if (plot_.crash_at_fault_point.contains(++verdict_.fault_points)) crash(process);
          });
      co_await live(*life);
      life.reset();
      if (!finished_) co_await time_.sleep(some_time(20'000));
    }
    ended_ = true;
  }

  asio::awaitable<void> live(Life& life) {
    lives_.push_back(&life);
    bool runs = false;
    try {
      auto begun = co_await life.server.start();
      runs = begun.has_value();
      if (!runs) broken("The server did not start: " + begun.error().message);
      is_up_ = runs;
      news_.notify();
    } catch (const boost::system::system_error&) {
      runs = false;
    }
    while (runs && !life.process.dead() && !finished_) {
      const auto seen = news_.generation();
      co_await news_.wait_after(seen, net::Deadline::in(time_, milliseconds(60'000)));
    }
    is_up_ = false;
    lives_.remove(&life);
    // In a dead process, whoever still waits for something leaves before it is taken down.
    do co_await time_.sleep(milliseconds(1));
    while (life.callers > 0);
    try {
      co_await life.server.stop();
    } catch (const boost::system::system_error&) {
      if (!life.process.dead()) broken("The server threw while it stopped.");
    }
  }

  /// A call to the process that lives; the reply is lost when it dies.
  template <class T>
  asio::awaitable<std::optional<Result<T>>> call(std::function<Task<T>(app::Server&)> work) {
    if (lives_.empty() || !is_up_ || lives_.front()->process.dead()) co_return std::nullopt;
    Life* life = lives_.front();
    ++life->callers;
    std::optional<Result<T>> answer;
    try {
      answer = co_await work(life->server);
    } catch (const boost::system::system_error&) {
      answer.reset();
    }
    --life->callers;
    co_return answer;
  }

  contract::Caller caller() const {
    return {.principal = "tester", .role = contract::Role::admin, .face = contract::Face::internal};
  }

  /// The client: asks as often as it is to, and again whenever the reply is lost.
  asio::awaitable<void> ask() {
    json::object arguments = asked_.arguments;
    if (!asked_.action.ends_with("_forget")) arguments["client_token"] = "token-of-" + asked_.action;
    for (int asked = 0; asked < plot_.asks && now() < k_patience;) {
      auto answer = co_await call<access::Answer>([&](app::Server& server) {
        return server.dispatcher().call(caller(), {.action = asked_.action, .arguments = arguments});
      });
      if (answer && *answer) {
        const auto& body = (*answer)->body.as_object();
        if (const auto* token = body.if_contains("confirm_token"); token && token->is_string()) {
          arguments["confirm_token"] = *token;
          continue;
        }
        ++asked;
        take_answer(body);
        continue;
      }
      if (answer) co_await refused(answer->error(), arguments);
      if (finished_) co_return;
      co_await time_.sleep(milliseconds(1'000) + some_time(30'000));
    }
  }

  void take_answer(const json::object& body) {
    const auto* id = body.if_contains("operation_id");
    if (id == nullptr || !id->is_string()) return;
    const std::string found(id->as_string());
    if (!operation_id_.empty() && operation_id_ != found) broken("The same token gave two operations.");
    operation_id_ = found;
  }

  asio::awaitable<void> refused(Error error, json::object& arguments) {
    // The plan is another than the one that was confirmed, or it was confirmed long ago.
    if (error.code == "confirm_token_invalid") {
      arguments.erase("confirm_token");
      co_return;
    }
    if (plot_.until_at_rest && !verdict_.rest) {
      verdict_.rest = Rest{.state = "refused", .codes = {error.code}, .has_next = !error.next.empty()};
      co_await make_peace();
      co_return;
    }
    if (peace_ || (plot_.rules.empty() && plot_.wire.refused == 0)) {
      broken(fmt::format("The request was refused: {}: {}", error.code, error.message));
      finished_ = true;
      news_.notify();
    }
  }

  /// Retries and answers until the operation has ended well.
  asio::awaitable<void> look_after() {
    while (!operation_id_.empty() && !finished_) {
      auto view = co_await call<OperationView>([this](app::Server& server) {
        return server.engine().get(operation_id_, milliseconds(3'600'000));
      });
      if (view && !*view) {
        broken("The operation can't be read: " + view->error().message);
        co_return;
      }
      if (view && (*view)->state == OperationState::succeeded) co_return take_end(**view);
      if (view && (*view)->state == OperationState::cancelled)
        co_return broken("It was cancelled by nobody.");
      if (view && operations::is_at_rest((*view)->state)) co_await help(**view);
      if (now() > k_patience) {
        if (view) verdict_.story = to_text(encode(**view));
        co_return broken("It did not come to its end.");
      }
      co_await time_.sleep(milliseconds(1'000) + some_time(30'000));
    }
  }

  void take_end(const OperationView& view) {
    for (const auto& made : view.resources) verdict_.inventory.push_back(made.type + " " + made.state);
    std::ranges::sort(verdict_.inventory);
    verdict_.story = to_text(encode(view));
  }

  asio::awaitable<void> help(const OperationView& view) {
    if (plot_.until_at_rest && !verdict_.rest) {
      note_rest(view);
      co_await make_peace();
    }
    ++verdict_.retries;
    std::optional<std::string> step;
    std::optional<std::string> choice;
    for (const auto& one : view.steps) {
      if (!one.question || one.question->choices.empty()) continue;
      step = one.id;
      choice = one.question->choices.front().value;
    }
    auto answer = co_await call<OperationView>([this, step, choice](app::Server& server) {
      return server.engine().retry(operation_id_, step, choice);
    });
    if (answer && !*answer && answer->error().code != "conflict")
      broken("A retry was refused: " + answer->error().message);
    if (verdict_.retries > 500) {
      verdict_.story = to_text(encode(view));
      broken("It fails again and again.");
      finished_ = true;
    }
  }

  void note_rest(const OperationView& view) {
    Rest rest{.state = std::string(operations::text_of(view.state)), .has_next = !view.next.empty()};
    if (view.error) rest.codes.push_back(view.error->code);
    for (const auto& step : view.steps) {
      if (step.error) rest.codes.push_back(step.error->code);
    }
    verdict_.rest = std::move(rest);
  }

  House& house_;
  net::VirtualTime& time_;
  const Asked& asked_;
  const Plot& plot_;
  WireFaults wire_;
  SeededRandom dice_;
  operations::testing::CommitHooks hooks_;
  std::uint64_t commits_ = 0;
  net::Signal news_;
  SteadyTime began_;
  std::list<Life*> lives_;
  bool is_up_ = false;
  bool peace_ = false;
  bool finished_ = false;
  bool ended_ = false;
  std::string operation_id_;
  Verdict verdict_;
};

bool is_token(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.contains("token");
}

}  // namespace

Verdict play(House& house, const Asked& asked, const Plot& plot) { return Play(house, asked, plot).run(); }

std::vector<std::string> repeated(const std::vector<json::object>& audit) {
  std::map<std::string, std::set<std::string>> seen;
  std::vector<std::string> names;
  for (const auto& row : audit) {
    if (!row.at("mutating").as_bool() || !row.at("error_code").as_string().empty() ||
        !row.at("invoked_by").as_string().empty())
      continue;
    json::object request;
    json::object tokens;
    for (const auto& [name, value] : row.at("request").as_object())
      (is_token(name) ? tokens : request)[name] = value;
    const std::string name =
        fmt::format("{} {}", row.at("service").as_string().c_str(), row.at("operation").as_string().c_str());
    auto& calls = seen[name + to_canonical_text(request)];
    // The same token again is answered, not carried out.
    const std::string call = tokens.empty() ? std::to_string(calls.size()) : to_canonical_text(tokens);
    if (calls.insert(call).second && calls.size() == 2) names.push_back(name);
  }
  return names;
}

std::vector<std::string> differences(const Verdict& peaceful, const Verdict& troubled) {
  std::vector<std::string> found;
  if (peaceful.inventory != troubled.inventory) {
    found.push_back(fmt::format("The inventory is [{}], not [{}].", fmt::join(troubled.inventory, ", "),
                                fmt::join(peaceful.inventory, ", ")));
  }
  auto kinds = peaceful.records;
  kinds.insert(troubled.records.begin(), troubled.records.end());
  kinds.erase("sandbox.fault");
  for (const auto& [kind, unused] : kinds) {
    const auto count = [&kind](const Verdict& verdict) {
      const auto place = verdict.records.find(kind);
      return place == verdict.records.end() ? 0 : place->second;
    };
    if (count(peaceful) != count(troubled))
      found.push_back(fmt::format("The cloud keeps {} {}, not {}.", count(troubled), kind, count(peaceful)));
  }
  return found;
}

}  // namespace instantstart::simulation
