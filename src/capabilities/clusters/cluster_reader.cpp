#include "capabilities/clusters/cluster_reader.h"

#include <algorithm>
#include <utility>

#include "aws/pagination.h"
#include "aws/shapes/eks.h"
#include "aws/shapes/logs.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "base/time.h"

namespace instantstart::capabilities {
namespace {

namespace eks = aws::eks;
namespace logs = aws::logs;
namespace sagemaker = aws::sagemaker;

constexpr std::int64_t k_event_page = 100;
constexpr std::int64_t k_log_lines = 20;
constexpr std::size_t k_longest_text = 600;

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

std::string words(const std::optional<std::string>& text) {
  return text ? shortened(without_controls(*text), k_longest_text) : std::string();
}

EksFacts to_facts(const eks::Cluster& cluster) {
  EksFacts facts{.name = cluster.name.value_or(""),
                 .arn = cluster.arn.value_or(""),
                 .status = cluster.status.value_or(""),
                 .version = cluster.version.value_or(""),
                 .platform_version = cluster.platform_version.value_or("")};
  facts.tags = aws::items(cluster.tags);
  if (cluster.access_config) {
    facts.authentication_mode = cluster.access_config->authentication_mode.value_or("");
  }
  if (!cluster.resources_vpc_config) return facts;
  const auto& vpc = *cluster.resources_vpc_config;
  facts.vpc_id = vpc.vpc_id.value_or("");
  facts.subnet_ids = aws::items(vpc.subnet_ids);
  facts.security_group_ids = aws::items(vpc.security_group_ids);
  if (facts.security_group_ids.empty() && vpc.cluster_security_group_id) {
    facts.security_group_ids = {*vpc.cluster_security_group_id};
  }
  return facts;
}

bool unreadable(const Error& error) {
  return error.code == codes::access_denied || error.code == codes::not_found ||
         error.code == codes::invalid_request;
}

/// The newest stream of a lifecycle script, of the instance when one is named.
const logs::LogStream* newest(const std::vector<logs::LogStream>& streams,
                              const std::optional<std::string>& instance_id) {
  const logs::LogStream* best = nullptr;
  for (const auto& stream : streams) {
    const std::string name = stream.log_stream_name.value_or("");
    if (instance_id && !name.ends_with("/" + *instance_id)) continue;
    if (!best || best->last_event_timestamp.value_or(0) < stream.last_event_timestamp.value_or(0)) {
      best = &stream;
    }
  }
  return best;
}

}  // namespace

Task<std::optional<EksFacts>> look_at_eks(aws::Client& client, std::string name, net::Deadline deadline) {
  eks::DescribeClusterRequest asked;
  asked.name = name;
  auto found = co_await client.call<eks::DescribeCluster>(std::move(asked), until(deadline));
  if (!found && found.error().code == codes::not_found) co_return std::optional<EksFacts>();
  if (!found) co_return fail(within("Look at the EKS cluster " + name, found.error()));
  if (!found->cluster) co_return std::optional<EksFacts>();
  co_return to_facts(*found->cluster);
}

std::string eks_arn_of(const HyperpodDescription& cluster) {
  if (!cluster.orchestrator || !cluster.orchestrator->eks) return "";
  return cluster.orchestrator->eks->cluster_arn.value_or("");
}

Task<std::optional<HyperpodDescription>> look_at_hyperpod(aws::Client& client, std::string name,
                                                          net::Deadline deadline) {
  sagemaker::DescribeClusterRequest asked;
  asked.cluster_name = name;
  auto found = co_await client.call<sagemaker::DescribeCluster>(std::move(asked), until(deadline));
  if (!found && found.error().code == codes::not_found) co_return std::optional<HyperpodDescription>();
  if (!found) co_return fail(within("Look at the HyperPod cluster " + name, found.error()));
  co_return std::move(*found);
}

Task<std::vector<HyperpodDescription>> all_hyperpod(aws::Client& client, net::Deadline deadline) {
  auto listed = co_await aws::collect<sagemaker::ListClusters>(
      client, {}, &sagemaker::ListClustersResponse::cluster_summaries, until(deadline));
  if (!listed) co_return fail(within("List HyperPod clusters", listed.error()));
  std::vector<HyperpodDescription> all;
  for (const auto& summary : *listed) {
    auto described = co_await look_at_hyperpod(client, summary.cluster_name.value_or(""), deadline);
    if (!described) co_return fail(described.error());
    if (*described) all.push_back(std::move(**described));
  }
  co_return all;
}

Task<std::vector<HyperpodDescription>> hyperpod_of(aws::Client& client, std::string eks_arn,
                                                   net::Deadline deadline) {
  auto all = co_await all_hyperpod(client, deadline);
  if (!all) co_return fail(all.error());
  std::erase_if(*all, [&](const HyperpodDescription& cluster) { return eks_arn_of(cluster) != eks_arn; });
  co_return std::move(*all);
}

Task<std::map<std::string, std::string>> tags_of_hyperpod(aws::Client& client, std::string arn,
                                                          net::Deadline deadline) {
  sagemaker::ListTagsInput asked;
  asked.resource_arn = std::move(arn);
  auto tags = co_await aws::collect<sagemaker::ListTags>(client, std::move(asked),
                                                         &sagemaker::ListTagsOutput::tags, until(deadline));
  if (!tags) co_return fail(within("List the HyperPod cluster's tags", tags.error()));
  std::map<std::string, std::string> found;
  for (const auto& tag : *tags) found[tag.key.value_or("")] = tag.value.value_or("");
  co_return found;
}

Task<std::vector<ClusterEvent>> hyperpod_troubles(aws::Client& client, std::string arn,
                                                  net::Deadline deadline) {
  sagemaker::ListClusterEventsRequest asked;
  asked.cluster_name = std::move(arn);
  asked.max_results = k_event_page;
  auto found = co_await client.call<sagemaker::ListClusterEvents>(std::move(asked), until(deadline));
  if (!found && unreadable(found.error())) co_return std::vector<ClusterEvent>();
  if (!found) co_return fail(within("List the HyperPod cluster's events", found.error()));
  std::vector<ClusterEvent> troubles;
  for (const auto& event : aws::items(found->events)) {
    const std::string level = event.event_level.value_or("");
    if (level != "Warn" && level != "Error") continue;
    troubles.push_back({.level = level,
                        .group = words(event.instance_group_name),
                        .instance_id = words(event.instance_id),
                        .text = words(event.description)});
    if (event.event_time) {
      troubles.back().at = to_rfc3339(std::chrono::floor<milliseconds>(event.event_time->time));
    }
  }
  co_return troubles;
}

Task<LifecycleLog> lifecycle_log(aws::Client& client, std::string name, std::string arn,
                                 std::optional<std::string> instance_id, net::Deadline deadline) {
  LifecycleLog log{.group = log_group_of(name, arn), .state = "absent"};
  logs::DescribeLogStreamsRequest asked;
  asked.log_group_name = log.group;
  asked.log_stream_name_prefix = "LifecycleConfig/";
  auto streams = co_await aws::collect<logs::DescribeLogStreams>(
      client, std::move(asked), &logs::DescribeLogStreamsResponse::log_streams, until(deadline));
  if (!streams && streams.error().code == codes::not_found) co_return log;
  if (!streams && unreadable(streams.error())) {
    log.state = "unreadable";
    co_return log;
  }
  if (!streams) co_return fail(within("List the log streams of " + log.group, streams.error()));
  const auto* stream = newest(*streams, instance_id);
  if (!stream) co_return log;
  log.state = "present";
  log.stream = stream->log_stream_name.value_or("");
  logs::GetLogEventsRequest read;
  read.log_group_name = log.group;
  read.log_stream_name = log.stream;
  read.limit = k_log_lines;
  auto events = co_await client.call<logs::GetLogEvents>(std::move(read), until(deadline));
  if (!events && unreadable(events.error())) {
    log.state = "unreadable";
    co_return log;
  }
  if (!events) co_return fail(within("Read the log stream " + log.stream, events.error()));
  for (const auto& event : aws::items(events->events)) log.last_lines.push_back(words(event.message));
  co_return log;
}

}  // namespace instantstart::capabilities
