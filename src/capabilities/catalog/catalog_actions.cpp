#include <algorithm>

#include "aws/pagination.h"
#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/catalog/catalog.h"
#include "capabilities/catalog/offers.h"

namespace instantstart::capabilities {
namespace {

namespace ec2 = aws::ec2;
namespace quotas = aws::service_quotas;

template <class Request>
Result<aws::Account*> account_of(aws::Accounts& accounts, const Request& request) {
  return accounts.get(request.profile ? std::optional(request.profile->value) : std::nullopt,
                      request.region ? std::optional(request.region->value) : std::nullopt);
}

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

Task<Offerings> offerings(aws::Client& client, net::Deadline deadline) {
  ec2::DescribeInstanceTypeOfferingsRequest input{.location_type = "availability-zone"};
  auto found = co_await aws::collect<ec2::DescribeInstanceTypeOfferings>(
      client, std::move(input), &ec2::DescribeInstanceTypeOfferingsResult::instance_type_offerings,
      until(deadline));
  if (!found) co_return fail(found.error());
  co_return to_offerings(*found);
}

Error unknown_name(std::string_view pointer, std::string_view what, const std::string& name,
                   const std::vector<std::string_view>& known) {
  return invalid_request({{std::string(pointer), "unknown_name", std::string(what),
                           to_text(json::value(json::string(name))), nearest(name, known)}});
}

Task<ZoneListAnswer> list_zones(aws::Accounts& accounts, net::Deadline deadline, ZoneList request) {
  auto account = account_of(accounts, request);
  if (!account) co_return fail(account.error());
  aws::Client& client = (*account)->client();
  auto zones = co_await client.call<ec2::DescribeAvailabilityZones>({}, until(deadline));
  if (!zones) co_return fail(within("List the zones", zones.error()));

  std::optional<std::set<std::string>> offering;
  if (request.instance_type) {
    auto offered = co_await offerings(client, deadline);
    if (!offered) co_return fail(within("List what the zones offer", offered.error()));
    const std::string type(domain::ec2_name(*request.instance_type));
    const auto found = offered->find(type);
    if (found == offered->end()) {
      std::vector<std::string_view> known;
      for (const auto& [name, where] : *offered) known.push_back(name);
      co_return fail(unknown_name("/instance_type", "is not offered in " + client.region(), type, known));
    }
    offering.emplace(found->second.begin(), found->second.end());
  }
  co_return ZoneListAnswer{client.region(),
                           to_zones(aws::items(zones->availability_zones), offering ? &*offering : nullptr)};
}

/// Without the right to read quotas the list is still worth having; then no quota is shown, which means
/// unknown.
Task<ClusterQuotas> cluster_quotas(aws::Client& client, net::Deadline deadline) {
  quotas::ListServiceQuotasRequest input{.service_code = "sagemaker"};
  auto found = co_await aws::collect<quotas::ListServiceQuotas>(
      client, std::move(input), &quotas::ListServiceQuotasResponse::quotas, until(deadline));
  if (!found && found.error().code == codes::access_denied) co_return ClusterQuotas();
  if (!found) co_return fail(found.error());
  co_return to_cluster_quotas(*found);
}

bool is_wanted(const InstanceTypeView& view, const InstanceTypeList& request) {
  if (request.accelerated && view.accelerators == 0) return false;
  if (request.contains && view.name.find(*request.contains) == std::string::npos) return false;
  if (request.zone && std::ranges::find(view.zones, request.zone->value) == view.zones.end()) return false;
  return true;
}

/// The cursor is the last name of the page before: names don't move between calls.
InstanceTypeListAnswer to_page(std::vector<InstanceTypeView> views, const contract::PageOptions& page) {
  std::ranges::sort(views, {}, &InstanceTypeView::name);
  auto first = page.cursor ? std::ranges::upper_bound(views, *page.cursor, {}, &InstanceTypeView::name)
                           : views.begin();
  const auto left = static_cast<std::size_t>(views.end() - first);
  const auto count = std::min(left, static_cast<std::size_t>(page.limit));
  InstanceTypeListAnswer answer;
  answer.instance_types.assign(std::make_move_iterator(first),
                               std::make_move_iterator(first + static_cast<std::ptrdiff_t>(count)));
  if (count < left) answer.next_cursor = answer.instance_types.back().name;
  return answer;
}

Task<InstanceTypeListAnswer> list_instance_types(aws::Accounts& accounts, net::Deadline deadline,
                                                 contract::PageOptions page, InstanceTypeList request) {
  auto account = account_of(accounts, request);
  if (!account) co_return fail(account.error());
  aws::Client& client = (*account)->client();
  if (request.zone) {
    auto zones = co_await client.call<ec2::DescribeAvailabilityZones>({}, until(deadline));
    if (!zones) co_return fail(within("List the zones", zones.error()));
    const auto known_zones = to_zones(aws::items(zones->availability_zones), nullptr);
    std::vector<std::string_view> known;
    for (const auto& zone : known_zones) known.push_back(zone.name);
    if (std::ranges::find(known, request.zone->value) == known.end()) {
      co_return fail(unknown_name("/zone", "is no zone of " + client.region(), request.zone->value, known));
    }
  }
  auto offered = co_await offerings(client, deadline);
  if (!offered) co_return fail(within("List what the zones offer", offered.error()));
  auto types = co_await aws::collect<ec2::DescribeInstanceTypes>(
      client, ec2::DescribeInstanceTypesRequest(), &ec2::DescribeInstanceTypesResult::instance_types,
      until(deadline));
  if (!types) co_return fail(within("List the instance types", types.error()));
  auto limits = co_await cluster_quotas(client, deadline);
  if (!limits) co_return fail(within("Read the quotas", limits.error()));

  std::vector<InstanceTypeView> views;
  for (const auto& type : *types) {
    auto view = to_view(type, *offered, *limits);
    if (is_wanted(view, request)) views.push_back(std::move(view));
  }
  auto answer = to_page(std::move(views), page);
  answer.region = client.region();
  co_return answer;
}

}  // namespace

std::vector<contract::Action> catalog_actions(aws::Accounts* accounts) {
  using contract::Caller;
  const std::vector<std::string> aws_errors{
      "access_denied",     "credentials_expired", "credentials_invalid", "credentials_missing",
      "connection_failed", "throttled",           "upstream_error"};
  std::vector<contract::Action> actions;
  actions.push_back(contract::read_action<ZoneList, ZoneListAnswer>(
      {.name = "zone_list",
       .path = "/zones",
       .summary = "Availability zones of a region, and which offer an instance type.",
       .doc =
           "Use it before a cluster is created, to choose a zone that offers the instance type. A zone with "
           "control_plane false can still hold nodes. It changes nothing.",
       .errors = aws_errors,
       .example = {{"region", "us-west-2"}, {"instance_type", "p5.48xlarge"}}},
      [accounts](Caller caller, ZoneList request) {
        return list_zones(*accounts, caller.deadline, std::move(request));
      }));
  actions.push_back(contract::read_action<InstanceTypeList, InstanceTypeListAnswer>(
      {.name = "instance_type_list",
       .path = "/instance-types",
       .summary = "Instance types with accelerators, memory, EFA, quota and zones.",
       .doc = "Use it to choose what a cluster is made of. A quota of 0 means that AWS will refuse to create "
              "such an "
              "instance in a HyperPod cluster until the quota is raised. It changes nothing.",
       .paged = true,
       .errors = aws_errors,
       .example = {{"region", "us-west-2"}, {"contains", "p5"}}},
      [accounts](Caller caller, InstanceTypeList request, contract::PageOptions page) {
        return list_instance_types(*accounts, caller.deadline, std::move(page), std::move(request));
      }));
  return actions;
}

}  // namespace instantstart::capabilities
