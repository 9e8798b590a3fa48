#include "app/log_source.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/training/job_logs.h"

namespace instantstart::app {
namespace {

constexpr milliseconds k_open_limit{30'000};
constexpr std::size_t k_most_rank_digits = 7;

struct LogTopic {
  std::string cluster;
  std::string space;
  std::string job;
  std::optional<std::int64_t> rank;
};

Result<LogTopic> parse_topic(std::string_view topic) {
  const auto parts = split(topic.substr(std::min(topic.size(), k_log_topic.size())), '/');
  const auto refused = fail(codes::invalid_request,
                            "A topic of a log is log/<cluster>/<namespace>/<job>, and /<rank> if you like.");
  if (parts.size() != 3 && parts.size() != 4) return refused;
  for (const auto part : parts) {
    if (part.empty()) return refused;
  }
  LogTopic found{
      .cluster = std::string(parts[0]), .space = std::string(parts[1]), .job = std::string(parts[2])};
  if (parts.size() == 3) return found;
  std::int64_t rank = 0;
  const auto [end, error] = std::from_chars(parts[3].data(), parts[3].data() + parts[3].size(), rank);
  if (error != std::errc() || end != parts[3].data() + parts[3].size() || rank < 0 ||
      parts[3].size() > k_most_rank_digits) {
    return refused;
  }
  found.rank = rank;
  return found;
}

class LogSource final : public faces::ByteSource {
 public:
  explicit LogSource(std::unique_ptr<workload_logs::LogReader> reader) : reader_(std::move(reader)) {}

  Task<std::optional<std::string>> next(std::size_t most) override { return reader_->next(most); }

 private:
  std::unique_ptr<workload_logs::LogReader> reader_;
};

struct Parts {
  aws::Accounts& accounts;
  fleet::Fleet& fleet;
  kube::EksClusters& clusters;
  workload_logs::LogKeeper& keeper;
  net::Timekeeper& time;
};

Task<std::unique_ptr<faces::ByteSource>> open(Parts parts, faces::SourceRequest request) {
  auto topic = parse_topic(request.topic);
  if (!topic) co_return fail(topic.error());
  auto cluster = co_await parts.fleet.find(topic->cluster);
  if (!cluster) co_return fail(cluster.error());
  const auto name = capabilities::log_name_of(cluster->key, topic->space, topic->job);
  const auto deadline = net::Deadline::in(parts.time, k_open_limit).sooner(request.caller.deadline);
  auto kept = co_await capabilities::keep_job_log(parts.accounts, parts.clusters, parts.keeper, *cluster,
                                                  name, request.offset.has_value(), deadline);
  if (!kept) co_return fail(kept.error());
  auto reader = co_await parts.keeper.open(name, {.rank = topic->rank}, request.offset);
  if (!reader) co_return fail(reader.error());
  co_return std::make_unique<LogSource>(std::move(*reader));
}

}  // namespace

faces::ByteSourceOpener log_source(aws::Accounts& accounts, fleet::Fleet& fleet, kube::EksClusters& clusters,
                                   workload_logs::LogKeeper& keeper, net::Timekeeper& time) {
  const Parts parts{accounts, fleet, clusters, keeper, time};
  return [parts](faces::SourceRequest request) { return open(parts, std::move(request)); };
}

}  // namespace instantstart::app
