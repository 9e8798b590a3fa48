#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "aws/pagination.h"
#include "base/error_codes.h"
#include "capabilities/clusters/cluster_place.h"
#include "capabilities/clusters/cluster_queries.h"
#include "capabilities/clusters/hyperpod_request.h"
#include "capabilities/dependencies/pod_role.h"

namespace instantstart::capabilities {
namespace {

namespace sagemaker = aws::sagemaker;
using contract::Caller;
using contract::PageOptions;

constexpr std::int64_t k_node_page = 100;

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

/// One page of sorted items after the cursor; what was removed meanwhile moves nothing.
template <class Item, class KeyOf>
std::optional<std::string> cut(std::vector<Item>& items, const PageOptions& page, KeyOf key_of_item) {
  std::ranges::sort(items, {}, key_of_item);
  if (page.cursor) {
    std::erase_if(items, [&](const Item& item) { return key_of_item(item) <= *page.cursor; });
  }
  const auto limit = static_cast<std::size_t>(page.limit);
  if (items.size() <= limit) return std::nullopt;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(limit), items.end());
  return key_of_item(items.back());
}

std::string node_key(const NodeView& node) {
  return fmt::format("{}/{}", node.group, node.instance_id.value_or(node.logical_id.value_or("")));
}

Task<> add_nodes(aws::Client& client, const HyperpodDescription& cluster, std::vector<NodeView>& nodes,
                 net::Deadline deadline) {
  sagemaker::ListClusterNodesRequest asked;
  asked.cluster_name = cluster.cluster_arn;
  asked.max_results = k_node_page;
  // Logical ids, and with them nodes that have no instance yet, are of continuous provisioning.
  if (cluster.node_provisioning_mode == "Continuous") asked.include_node_logical_ids = true;
  auto found = co_await aws::collect<sagemaker::ListClusterNodes>(
      client, std::move(asked), &sagemaker::ListClusterNodesResponse::cluster_node_summaries,
      until(deadline));
  if (!found) co_return fail(within("List the nodes", found.error()));
  for (const auto& node : *found) nodes.push_back(to_view(node));
  co_return Result<>{};
}

Task<> add_failure(aws::Client& client, const HyperpodDescription& cluster, HyperpodView& view,
                   net::Deadline deadline) {
  const bool short_of_nodes =
      std::ranges::any_of(view.groups, [](const GroupView& group) { return group.current < group.target; });
  const bool failed = view.status == "Failed" || view.status == "RollingBack";
  if (!failed && !short_of_nodes) co_return Result<>{};
  FailureFacts facts{.failure_message = cluster.failure_message.value_or("")};
  auto events = co_await hyperpod_troubles(client, view.arn, deadline);
  if (!events) co_return fail(events.error());
  facts.events = std::move(*events);
  if (!failed && facts.events.empty()) co_return Result<>{};
  auto log =
      co_await lifecycle_log(client, view.name, view.arn, instance_in(facts.failure_message), deadline);
  if (!log) co_return fail(log.error());
  facts.log = std::move(*log);
  view.failure = explain(facts);
  co_return Result<>{};
}

}  // namespace

Task<HyperpodGetAnswer> get_hyperpod(aws::Accounts& accounts, fleet::Fleet& fleet, Caller caller,
                                     HyperpodGet request) {
  auto place = co_await find_place(accounts, fleet, std::move(request.cluster.value));
  if (!place) co_return fail(place.error());
  auto found = co_await hyperpod_of(*place->client, cluster_arn_of(place->target), caller.deadline);
  if (!found) co_return fail(found.error());
  HyperpodGetAnswer answer{.cluster = domain::to_text(place->record.key)};
  for (const auto& cluster : *found) {
    auto tags = co_await tags_of_hyperpod(*place->client, cluster.cluster_arn.value_or(""), caller.deadline);
    if (!tags && tags.error().code == codes::not_found) continue;  // It went between the two calls.
    if (!tags) co_return fail(tags.error());
    auto view = to_view(cluster, maker_of(*tags, place->target).has_value());
    auto explained = co_await add_failure(*place->client, cluster, view, caller.deadline);
    if (!explained) co_return fail(explained.error());
    answer.hyperpod.push_back(std::move(view));
  }
  co_return answer;
}

Task<GroupListAnswer> list_groups(aws::Accounts& accounts, fleet::Fleet& fleet, Caller caller,
                                  GroupList request, PageOptions page) {
  auto place = co_await find_place(accounts, fleet, std::move(request.cluster.value));
  if (!place) co_return fail(place.error());
  auto found = co_await hyperpod_of(*place->client, cluster_arn_of(place->target), caller.deadline);
  if (!found) co_return fail(found.error());
  GroupListAnswer answer{.cluster = domain::to_text(place->record.key)};
  for (const auto& cluster : *found) {
    auto view = to_view(cluster, false);
    std::ranges::move(view.groups, std::back_inserter(answer.groups));
  }
  answer.next_cursor = cut(answer.groups, page, [](const GroupView& group) { return group.name; });
  co_return answer;
}

Task<NodeListAnswer> list_nodes(aws::Accounts& accounts, fleet::Fleet& fleet, Caller caller, NodeList request,
                                PageOptions page) {
  auto place = co_await find_place(accounts, fleet, std::move(request.cluster.value));
  if (!place) co_return fail(place.error());
  auto found = co_await hyperpod_of(*place->client, cluster_arn_of(place->target), caller.deadline);
  if (!found) co_return fail(found.error());
  NodeListAnswer answer{.cluster = domain::to_text(place->record.key)};
  for (const auto& cluster : *found) {
    auto added = co_await add_nodes(*place->client, cluster, answer.nodes, caller.deadline);
    if (!added) co_return fail(added.error());
  }
  if (request.group) {
    std::erase_if(answer.nodes, [&](const NodeView& node) { return node.group != request.group->value; });
  }
  answer.next_cursor = cut(answer.nodes, page, node_key);
  co_return answer;
}

Task<NodeGetAnswer> get_node(aws::Accounts& accounts, fleet::Fleet& fleet, Caller caller, NodeGet request) {
  auto place = co_await find_place(accounts, fleet, std::move(request.cluster.value));
  if (!place) co_return fail(place.error());
  auto found = co_await hyperpod_of(*place->client, cluster_arn_of(place->target), caller.deadline);
  if (!found) co_return fail(found.error());
  const std::string& id = request.node.value;
  for (const auto& cluster : *found) {
    sagemaker::DescribeClusterNodeRequest asked;
    asked.cluster_name = cluster.cluster_arn;
    (id.starts_with("i-") ? asked.node_id : asked.node_logical_id) = id;
    auto node = co_await place->client->call<sagemaker::DescribeClusterNode>(std::move(asked),
                                                                             until(caller.deadline));
    const bool missing =
        !node && (node.error().code == codes::not_found || node.error().code == codes::invalid_request);
    if (missing) continue;
    if (!node) co_return fail(within("Look at the node " + id, node.error()));
    if (!node->node_details) continue;
    const auto& details = *node->node_details;
    NodeGetAnswer answer{.cluster = domain::to_text(place->record.key),
                         .node = to_view(details),
                         .private_ip = details.private_primary_ip,
                         .capacity_type = details.capacity_type,
                         .desired_image_id = details.desired_image_id,
                         .current_image_id = details.current_image_id};
    if (details.placement) {
      answer.zone = details.placement->availability_zone;
      answer.zone_id = details.placement->availability_zone_id;
    }
    if (details.network_interface) answer.interface_mode = details.network_interface->interface_type;
    if (details.override_vpc_config) answer.subnet_ids = aws::items(details.override_vpc_config->subnets);
    co_return answer;
  }
  co_return fail(codes::not_found, fmt::format("The cluster {} has no node {}.", place->record.tag, id));
}

}  // namespace instantstart::capabilities
