// Where each instance type can be had.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/services/ec2/filters.h"
#include "sandbox/services/ec2/instance_type_table.h"
#include "sandbox/services/ec2/instance_types.h"
#include "sandbox/services/ec2/paging.h"
#include "sandbox/services/ec2/queries.h"
#include "sandbox/services/ec2/zones.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::InstanceTypeOffering;

struct OfferingRow {
  std::string_view types;    ///< Patterns with a blank between.
  std::string_view region;   ///< "*" is any that has no row of its own for the type.
  std::string_view numbers;  ///< The ends of the ids of its zones, "az1" as 1; "*" is all of them.
};

/// DescribeInstanceTypeOfferings by zone id, September 2026. The rows of "*" are made up.
constexpr OfferingRow k_rows[] = {
    {"m5.* c5.* c5n.* t3.*", "us-east-1", "12456"},
    {"m5.* c5.* c5n.* t3.*", "*", "*"},
    {"g5.*", "us-east-1", "12456"},
    {"g5.*", "us-west-2", "123"},
    {"g5.*", "ap-northeast-1", "14"},
    {"g5.*", "*", "*"},
    {"g6.*", "us-east-1", "12456"},
    {"g6.*", "us-west-2", "1234"},
    {"g6.*", "us-east-2", "123"},
    {"g6.*", "ap-northeast-1", "14"},
    {"g6.*", "eu-west-1", ""},
    {"g6.*", "*", "12"},
    {"g6e.*", "us-east-1", "1246"},
    {"g6e.*", "us-west-2", "1234"},
    {"g6e.*", "us-east-2", "123"},
    {"g6e.*", "ap-northeast-1", "14"},
    {"p4d.24xlarge", "us-east-1", "1246"},
    {"p4d.24xlarge", "us-east-2", "123"},
    {"p4d.24xlarge", "us-west-2", "1234"},
    {"p4d.24xlarge", "eu-west-1", "2"},
    {"p4d.24xlarge", "ap-northeast-1", "14"},
    {"p4d.24xlarge", "*", "1"},
    {"p4de.24xlarge", "us-east-1", "46"},
    {"p4de.24xlarge", "us-west-2", "123"},
    {"p4de.24xlarge", "ap-northeast-1", "14"},
    {"p5.4xlarge", "us-east-1", "123456"},
    {"p5.4xlarge", "us-east-2", "123"},
    {"p5.4xlarge", "us-west-2", "1234"},
    {"p5.4xlarge", "ap-northeast-1", "1"},
    {"p5.48xlarge", "us-east-1", "123456"},
    {"p5.48xlarge", "us-east-2", "123"},
    {"p5.48xlarge", "us-west-2", "1234"},
    {"p5.48xlarge", "ap-northeast-1", "14"},
    {"p5.48xlarge", "eu-west-1", ""},
    {"p5.48xlarge", "*", "1"},
    {"p5e.48xlarge", "us-east-2", "123"},
    {"p5e.48xlarge", "us-west-2", "3"},
    {"p5en.48xlarge", "us-east-1", "26"},
    {"p5en.48xlarge", "us-east-2", "123"},
    {"p5en.48xlarge", "us-west-2", "234"},
    {"p5en.48xlarge", "ap-northeast-1", "4"},
    {"p6-b200.48xlarge", "us-east-1", "6"},
    {"p6-b200.48xlarge", "us-east-2", "123"},
    {"p6-b200.48xlarge", "us-west-2", "124"},
    {"trn1.2xlarge", "us-east-1", "56"},
    {"trn1.32xlarge", "us-east-1", "456"},
    {"trn1.*", "us-east-2", "3"},
    {"trn1.*", "us-west-2", "14"},
    {"trn2.48xlarge", "us-east-2", "123"},
};

constexpr std::array<FilterName, 2> k_filters{{{"instance-type", "InstanceType"}, {"location", "Location"}}};

const OfferingRow* row_of(std::string_view region, std::string_view type) {
  const auto is_for = [&](const OfferingRow& row, std::string_view place) {
    return row.region == place &&
           std::ranges::any_of(split(row.types, ' '),
                               [type](std::string_view pattern) { return matches_pattern(pattern, type); });
  };
  for (const std::string_view place : {region, std::string_view("*")}) {
    for (const OfferingRow& row : k_rows) {
      if (is_for(row, place)) return &row;
    }
  }
  return nullptr;
}

/// The places of that kind where the type can be had.
std::vector<std::string> locations(std::string_view region, std::string_view type, std::string_view kind) {
  const auto ids = zone_ids_offering(region, type);
  if (kind == "availability-zone-id" || ids.empty()) return ids;
  if (kind == "region") return {std::string(region)};
  std::vector<std::string> names;
  if (kind != "availability-zone") return names;  // Nobody has an Outpost here.
  for (const auto& zone : zones_of(region)) {
    if (contains(ids, zone.id)) names.push_back(zone.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> zone_ids_offering(std::string_view region, std::string_view type) {
  std::vector<std::string> ids;
  const OfferingRow* row = row_of(region, type);
  if (!row || !find_instance_type(type)) return ids;
  for (const auto& zone : zones_of(region)) {
    if (zone.is_local()) continue;
    if (row->numbers == "*" || row->numbers.contains(zone.id.back())) ids.push_back(zone.id);
  }
  std::ranges::sort(ids);
  return ids;
}

Reply<aws::ec2::DescribeInstanceTypeOfferingsResult> describe_instance_type_offerings(
    State&, const Call& call, const aws::ec2::DescribeInstanceTypeOfferingsRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  const std::string kind = in.location_type.value_or("region");
  std::vector<std::pair<std::string, InstanceTypeOffering>> offerings;
  for (const TypeRow& row : type_rows()) {
    const std::string type = fmt::format("{}.{}", row.family, row.size);
    for (auto& location : locations(call.region, type, kind)) {
      std::string key = fmt::format("{}/{}", type, location);
      offerings.emplace_back(
          std::move(key), InstanceTypeOffering{
                              .instance_type = type, .location_type = kind, .location = std::move(location)});
    }
  }
  std::ranges::sort(offerings, {}, [](const auto& entry) -> const std::string& { return entry.first; });
  auto page = page_of(std::move(offerings), *filters, page_request(in));
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeInstanceTypeOfferingsResult{.instance_type_offerings = std::move(page->items),
                                                       .next_token = page->next_token};
}

}  // namespace instantstart::sandbox::ec2
