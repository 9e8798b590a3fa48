// Follows the pods of one workload and reads what their containers write, until the workload has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "kube/eks_clusters.h"
#include "kube/watch_cache.h"
#include "net/task_group.h"
#include "workload_logs/kept_log.h"
#include "workload_logs/pod_runs.h"

namespace instantstart::workload_logs {

/// Loop thread only. Await `stop` before it is destroyed.
class LogFollower {
 public:
  /// `ended` is called once all is read and counted; it must not destroy this.
  LogFollower(const LogParts& parts, std::shared_ptr<KeptLog> log, std::function<void()> ended);

  void start();
  asio::awaitable<void> stop();
  /// What is wanted of the subject has changed.
  void look_again();
  bool has_ended() const { return ended_; }
  const std::shared_ptr<KeptLog>& log() const { return log_; }

 private:
  /// What hangs on one connection to the cluster.
  struct Link {
    Link(const LogParts& parts, std::shared_ptr<kube::EksCluster> cluster, const LogSubject& subject);

    std::shared_ptr<kube::EksCluster> cluster;
    LogSubject subject;
    kube::WatchCache<PodRuns> pods;
    net::Signal changed;
    std::set<std::size_t> reading;  ///< Streams that have a reader.
    kube::Subscription subscription;
    net::TaskGroup group;  ///< The watch and the readers.
  };
  /// How long something has been so.
  struct Since {
    std::optional<SteadyTime> at;
    bool lasted(const Clock& clock, milliseconds duration);
  };

  asio::awaitable<void> run();
  asio::awaitable<bool> follow(Link& link);
  asio::awaitable<bool> same_cluster(Link& link);
  void take_pods(Link& link);
  bool all_over(Link& link) const;
  asio::awaitable<void> ask_owner(Link& link);
  bool is_complete(Link& link) const;
  void tell_error(Link& link) const;
  asio::awaitable<void> finish();

  asio::awaitable<void> read(Link& link, std::size_t index);
  /// nullopt: its pod or its run is not there any more.
  std::optional<RunPlace> place_of(Link& link, std::size_t index) const;
  void note(Link& link, std::size_t index, const Result<>& done);
  void forget_error(Link& link, std::size_t index);
  Task<> read_once(Link& link, std::size_t index, RunPlace place);
  Task<> check_run(Link& link, std::size_t index, RunPlace place);
  Task<> copy(std::size_t index, std::unique_ptr<net::ClientBodyStream> body);

  const LogParts& parts_;
  std::shared_ptr<KeptLog> log_;
  std::function<void()> tell_ended_;
  bool ended_ = false;
  bool over_ = false;  ///< The workload has ended.
  SteadyTime started_{};
  SteadyTime next_question_{};  ///< To the owner.
  milliseconds question_pause_{};
  Since idle_;  ///< All pods are over.
  Since without_cluster_;
  std::optional<Error> owner_error_;
  std::map<std::size_t, Error> read_errors_;  ///< Of streams, the latest.
  std::set<std::size_t> whole_;               ///< Streams whose last reading came to its end.
  std::unique_ptr<Link> link_;
  net::TaskGroup group_;
};

}  // namespace instantstart::workload_logs
