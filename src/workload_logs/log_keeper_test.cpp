// The keeper against made-up pods, in virtual time, with real files.
#include "workload_logs/log_keeper.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include "aws/testing/run.h"
#include "base/error_codes.h"
#include "store/testing/inline_database.h"
#include "store/testing/temporary_directory.h"
#include "workload_logs/testing/made_up_pods.h"

namespace instantstart::workload_logs {
namespace {

const LogName k_name{.cluster = {.name = "demo", .region = "us-west-2", .account = "123456789012"},
                     .space = "default",
                     .name = "train"};

enum class Death { none, before_commit, after_commit };

/// Dies at its n-th write: nobody hears of anything any more.
class MortalDatabase final : public store::Database {
 public:
  MortalDatabase(net::Timekeeper& time, store::MemoryStore& store, Death death, int at)
      : time_(time), inner_(store), death_(death), at_(at) {}

  bool dead() const { return dead_; }
  Task<> migrate(std::span<const store::Migration> migrations) override { return inner_.migrate(migrations); }

 protected:
  Task<> run_untyped(Mode mode, std::function<Result<>(store::Transaction&)> work) override {
    if (mode == Mode::write && ++writes_ == at_) dead_ = death_ == Death::before_commit;
    if (dead_) co_await time_.sleep_until(SteadyTime::max());
    if (mode == Mode::read) co_return co_await inner_.read<void>(std::move(work));
    auto done = co_await inner_.write<void>(std::move(work));
    if (writes_ == at_ && death_ == Death::after_commit) dead_ = true;
    if (dead_) co_await time_.sleep_until(SteadyTime::max());
    co_return done;
  }

 private:
  net::Timekeeper& time_;
  store::MemoryDatabase inner_;
  Death death_;
  int at_;
  int writes_ = 0;
  bool dead_ = false;
};

/// One life of the server.
struct Life {
  Life(net::VirtualTime& clock, Random& random, MadeUpPods& pods, store::MemoryStore& store,
       std::filesystem::path folder, std::int64_t most_bytes, Death death, int at)
      : time(clock),
        database(clock, store, death, at),
        keeper(clock.context().get_executor(), clock.context().get_executor(), clock, random, Log(), database,
               [this, &random, &pods](const kube::EksClusterId&,
                                      net::Deadline) -> Task<std::shared_ptr<kube::EksCluster>> {
                 if (!cluster) cluster = make(random, pods);
                 co_return cluster;
               },
               {.folder = std::move(folder), .most_bytes = most_bytes}) {}

  std::shared_ptr<kube::EksCluster> make(Random& random, MadeUpPods& pods) {
    auto connection =
        kube::Connection::make({.url = "https://cluster.example", .ca_pem = "the authority"},
                               kube::static_token(Secret("made-up")), pods, time, random, Log());
    return std::make_shared<kube::EksCluster>(kube::EksDescription{.name = "demo"},
                                              std::move(connection.value()));
  }

  net::VirtualTime& time;
  MortalDatabase database;
  std::shared_ptr<kube::EksCluster> cluster;
  LogKeeper keeper;
};

class KeptLogs : public testing::Test {
 protected:
  ~KeptLogs() override { end(); }

  void begin(Death death = Death::none, int at = 0) {
    life = std::make_unique<Life>(time, random, pods, store, folder.path(), most_bytes, death, at);
    std::vector<store::Migration> migrations(LogKeeper::migrations().begin(), LogKeeper::migrations().end());
    ASSERT_TRUE(aws::run(time, life->database.migrate(migrations)).has_value());
    ASSERT_TRUE(aws::run(time, life->keeper.start()).has_value());
  }
  void end() {
    if (!life) return;
    bool stopped = false;
    asio::co_spawn(time.context(), life->keeper.stop(),
                   [&stopped](const std::exception_ptr&) { stopped = true; });
    ASSERT_TRUE(time.run_until([&stopped] { return stopped; }));
    life.reset();
  }
  void follow() {
    ASSERT_TRUE(
        run(life->keeper.follow({.id = k_name, .selector = "job=train", .owner = owner})).has_value());
  }
  template <class T>
  Result<T> run(Task<T> task) {
    return aws::run(time, std::move(task));
  }
  void settle() { time.run_for(seconds(1)); }

  LogView look() { return run(life->keeper.look(k_name)).value().value(); }

  /// All that is kept, from a place on.
  std::string text(LogChoice choice = {}, std::int64_t offset = 0) {
    auto reader = run(life->keeper.open(k_name, choice, offset));
    if (!reader) return "error: " + reader.error().message;
    std::string all;
    while ((*reader)->offset() < (*reader)->end()) {
      auto piece = run((*reader)->next(10));
      if (!piece) return "error: " + piece.error().message;
      all += piece->value();
    }
    return all;
  }
  std::string of(const std::string& pod) { return text({.pod = pod}); }

  net::VirtualTime time;
  SeededRandom random{3};
  MadeUpPods pods{time};
  store::MemoryStore store;
  store::TemporaryDirectory folder;
  std::int64_t most_bytes = 1 << 20;
  std::optional<LogOwner> owner;
  std::unique_ptr<Life> life;
  asio::cancellation_signal killed;
};

TEST_F(KeptLogs, HoldTheBytesOfEachPodAndTheLinesOfAll) {
  pods.start("train-0");
  pods.write("train-0", "one\n");
  begin();
  follow();
  settle();
  pods.start("train-1");
  pods.write("train-1", "eins\r\n");
  settle();
  pods.write("train-0", "\x1b[31m10%\r20%\r\xff\n");
  settle();
  EXPECT_EQ(of("train-0"), "one\n\x1b[31m10%\r20%\r\xff\n");
  EXPECT_EQ(of("train-1"), "eins\r\n");
  EXPECT_EQ(text(),
            "[train-0] one\n[train-1] eins\r\n[train-0] \x1b[31m10%\r[train-0] 20%\r[train-0] \xff\n");
  const auto view = look();
  ASSERT_EQ(view.streams.size(), 2U);
  EXPECT_EQ(view.streams[1].rank, 1);
  EXPECT_FALSE(view.ended);
}

TEST_F(KeptLogs, ShowALineThatIsNotAtItsEnd) {
  pods.start("train-0");
  begin();
  follow();
  settle();
  pods.write("train-0", "half");
  settle();
  EXPECT_EQ(of("train-0"), "half");
  EXPECT_EQ(text(), "");
  pods.write("train-0", " whole\n");
  settle();
  EXPECT_EQ(text(), "[train-0] half whole\n");
}

TEST_F(KeptLogs, ABrokenStreamGoesOnInTheMiddleOfALine) {
  pods.start("train-0");
  begin();
  follow();
  pods.write("train-0", "a\na\na\nbegin");
  settle();
  for (int i = 0; i < 3; ++i) {
    pods.cut();
    pods.write("train-0", "-more\nx\nx\nopen");
    settle();
    pods.mend();
    time.run_for(seconds(60));
    EXPECT_EQ(of("train-0"), pods.log("train-0"));
  }
  EXPECT_FALSE(look().streams.at(0).incomplete);
}

TEST_F(KeptLogs, AWatchThatIsTooOldDoublesNothing) {
  pods.start("train-0");
  begin();
  follow();
  pods.write("train-0", "a\n");
  settle();
  pods.expire_watch();
  settle();
  pods.start("train-1");
  pods.write("train-1", "b\n");
  time.run_for(seconds(60));
  EXPECT_EQ(text(), "[train-0] a\n[train-1] b\n");
  EXPECT_EQ(pods.log_requests(), 2);
}

TEST_F(KeptLogs, ARunThatEndedUnreadIsFetchedAsThePreviousOne) {
  pods.start("train-0");
  begin();
  follow();
  pods.write("train-0", "first\n");
  settle();
  end();
  pods.write("train-0", "last words");
  pods.restart("train-0");
  pods.write("train-0", "second\n");
  begin();
  settle();
  EXPECT_EQ(text({.rank = 0, .attempt = 0}), "first\nlast words");
  EXPECT_EQ(text({.rank = 0}), "second\n");
  EXPECT_EQ(text({.rank = 0, .previous = true}), "first\nlast words");
  EXPECT_TRUE(text().contains("[train-0] last words\n"));
  EXPECT_FALSE(look().streams.at(0).incomplete);
}

TEST_F(KeptLogs, EndWithTheWorkloadAndStayWhenItIsGone) {
  owner = LogOwner{.api_version = "batch/v1", .kind = "Job", .plural = "jobs", .name = "train"};
  pods.set_owner("/apis/batch/v1/namespaces/default/jobs/train", {{"status", json::object{}}});
  pods.start("train-0");
  begin();
  follow();
  pods.write("train-0", "done\n");
  settle();
  auto reader = std::move(run(life->keeper.open(k_name, {}, std::nullopt)).value());
  EXPECT_EQ(run(reader->next(100)).value(), "[train-0] done\n");
  pods.end("train-0");
  time.run_for(seconds(60));
  EXPECT_FALSE(look().ended);
  const json::object condition{{"type", "Complete"}, {"status", "True"}};
  pods.set_owner("/apis/batch/v1/namespaces/default/jobs/train",
                 {{"status", json::object{{"conditions", json::array{condition}}}}});
  pods.remove("train-0");
  EXPECT_EQ(run(reader->next(100)).value(), std::nullopt);
  EXPECT_TRUE(look().ended);
  EXPECT_FALSE(look().streams.at(0).incomplete);
  reader.reset();
  end();
  begin();
  EXPECT_EQ(of("train-0"), "done\n");
  EXPECT_TRUE(look().ended);
  EXPECT_EQ(pods.open_logs(), 0);
}

TEST_F(KeptLogs, WithoutAnOwnerEndAMinuteAfterTheLastPod) {
  pods.start("train-0");
  begin();
  follow();
  pods.write("train-0", "a\n");
  settle();
  pods.end("train-0");
  time.run_for(seconds(50));
  EXPECT_FALSE(look().ended);
  time.run_for(seconds(50));
  EXPECT_TRUE(look().ended);
}

TEST_F(KeptLogs, GoOnWhenTheWorkloadIsMadeAnew) {
  pods.start("train-0");
  begin();
  follow();
  pods.write("train-0", "old\n");
  settle();
  pods.remove("train-0");
  ASSERT_TRUE(run(life->keeper.finish(k_name)).has_value());
  time.run_for(seconds(5));
  EXPECT_TRUE(look().ended);
  pods.start("train-0");
  pods.write("train-0", "new\n");
  follow();
  settle();
  EXPECT_FALSE(look().ended);
  EXPECT_EQ(text(), "[train-0] old\n[train-0] new\n");
}

TEST_F(KeptLogs, HaveOneStreamHoweverManyFollow) {
  pods.start("train-0");
  begin();
  follow();
  settle();
  std::vector<std::unique_ptr<LogReader>> readers;
  for (int i = 0; i < 5; ++i) readers.push_back(std::move(run(life->keeper.open(k_name, {}, {})).value()));
  follow();
  pods.write("train-0", "a\n");
  for (auto& reader : readers) EXPECT_EQ(run(reader->next(100)).value(), "[train-0] a\n");
  EXPECT_EQ(pods.open_logs(), 1);
  EXPECT_EQ(pods.log_requests(), 1);
}

TEST_F(KeptLogs, AReaderWaitsUntilItsDeadline) {
  pods.start("train-0");
  begin();
  follow();
  settle();
  auto reader = std::move(run(life->keeper.open(k_name, {}, {})).value());
  const auto before = time.steady();
  EXPECT_EQ(run(reader->next(10, net::Deadline::in(time, seconds(20)))).value(), "");
  EXPECT_EQ(time.steady() - before, seconds(20));
}

TEST_F(KeptLogs, TellWhyNothingComes) {
  pods.start("train-0");
  pods.write("train-0", "a\n");
  pods.refuse_logs(true);
  begin();
  follow();
  settle();
  ASSERT_TRUE(look().error.has_value());
  EXPECT_EQ(look().error->code, codes::access_denied);
  const int before = pods.log_requests();
  time.run_for(seconds(600));
  EXPECT_EQ(pods.log_requests(), before);
  pods.refuse_logs(false);
  time.run_for(seconds(60));
  EXPECT_EQ(of("train-0"), "a\n");
  EXPECT_FALSE(look().error.has_value());
}

TEST_F(KeptLogs, DropTheirOldestBytesAndKeepTheirOffsets) {
  most_bytes = 4'000;
  pods.start("train-0");
  begin();
  follow();
  for (int i = 0; i < 100; ++i) {
    pods.write("train-0", "0123456789012345678901234567890123456789012345678\n");
    if (i % 10 == 9) settle();
  }
  const auto view = look();
  EXPECT_EQ(view.streams.at(0).bytes, 5'000);
  EXPECT_GT(view.streams.at(0).first_offset, 2'900);
  EXPECT_LE(view.streams.at(0).bytes - view.streams.at(0).first_offset, 2'000);
  EXPECT_LE(view.bytes - view.first_offset, 2'000);
  const auto refused = run(life->keeper.open(k_name, {.pod = "train-0"}, 100));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, codes::conflict);
  EXPECT_EQ(text({.pod = "train-0"}, 4'950), "0123456789012345678901234567890123456789012345678\n");
}

TEST_F(KeptLogs, AreDeletedWhenForgotten) {
  pods.start("train-0");
  begin();
  follow();
  pods.write("train-0", "a\n");
  settle();
  auto reader = std::move(run(life->keeper.open(k_name, {}, {})).value());
  ASSERT_TRUE(run(life->keeper.forget(k_name)).has_value());
  EXPECT_EQ(run(reader->next(10)).error().code, codes::not_found);
  EXPECT_FALSE(run(life->keeper.look(k_name)).value().has_value());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(pods.open_logs(), 0);
}

TEST_F(KeptLogs, RefuseAPlaceBeyondTheirEnd) {
  pods.start("train-0");
  begin();
  follow();
  settle();
  EXPECT_EQ(run(life->keeper.open(k_name, {}, 1)).error().code, codes::invalid_request);
  EXPECT_EQ(run(life->keeper.open(k_name, {.rank = 7}, {})).error().code, codes::not_found);
}

/// The process dies at one write of the store after another, before it is done or after it.
class KilledKeeper : public KeptLogs, public testing::WithParamInterface<std::tuple<int, Death>> {};

TEST_P(KilledKeeper, LosesAndDoublesNothing) {
  const auto [at, death] = GetParam();
  pods.start("train-0");
  pods.start("train-1");
  begin(death, at);
  asio::co_spawn(
      time.context(), life->keeper.follow({.id = k_name, .selector = "job=train"}),
      asio::bind_cancellation_slot(killed.slot(), [](const std::exception_ptr&, const Result<>&) {}));
  for (int i = 0; i < 5; ++i) {
    pods.write("train-0", "a\nb\npart");
    pods.write("train-1", "x\r\ny\n");
    time.run_for(milliseconds(100));
  }
  EXPECT_TRUE(life->database.dead());
  killed.emit(asio::cancellation_type::all);
  end();
  begin();
  follow();
  pods.write("train-0", "end\n");
  pods.end("train-0");
  pods.end("train-1");
  time.run_for(seconds(120));
  EXPECT_EQ(of("train-0"), pods.log("train-0"));
  EXPECT_EQ(of("train-1"), pods.log("train-1"));
  EXPECT_TRUE(look().ended);
  EXPECT_FALSE(look().streams.at(0).incomplete);
  const std::string all = text();
  EXPECT_EQ(std::ranges::count(all, '['), std::ranges::count(of("train-0") + of("train-1"), '\n'));
}

INSTANTIATE_TEST_SUITE_P(AtEachWrite, KilledKeeper,
                         testing::Combine(testing::Range(1, 6),
                                          testing::Values(Death::before_commit, Death::after_commit)));

}  // namespace
}  // namespace instantstart::workload_logs
