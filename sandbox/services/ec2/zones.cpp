#include "sandbox/services/ec2/zones.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/filters.h"
#include "sandbox/services/ec2/paging.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::AvailabilityZone;

struct RegionZones {
  std::string_view region;
  std::string_view id_prefix;
  /// Pairs of the letter that ends the name and the number that ends the id.
  std::string_view zones;
};

/// us-east-1e and ap-northeast-1c show that letters have gaps and that a zone may lack newer instance types.
constexpr std::array<RegionZones, 5> k_regions{{{"us-east-1", "use1", "a6 b1 c2 d4 e3 f5"},
                                                {"us-east-2", "use2", "a1 b2 c3"},
                                                {"us-west-2", "usw2", "a2 b1 c3 d4"},
                                                {"eu-west-1", "euw1", "a3 b1 c2"},
                                                {"ap-northeast-1", "apne1", "a4 c1 d2"}}};

struct LocalZone {
  std::string_view region, name, id, group, opt_in, parent_letter;
};

constexpr std::array<LocalZone, 3> k_local_zones{
    {{"us-west-2", "us-west-2-lax-1a", "usw2-lax1-az1", "us-west-2-lax-1", "opted-in", "b"},
     {"us-west-2", "us-west-2-lax-1b", "usw2-lax1-az2", "us-west-2-lax-1", "not-opted-in", "c"},
     {"us-east-1", "us-east-1-bos-1a", "use1-bos1-az1", "us-east-1-bos-1", "not-opted-in", "d"}}};

constexpr std::array<FilterName, 11> k_filters{{{"group-long-name", "GroupLongName"},
                                                {"group-name", "GroupName"},
                                                {"message", "Messages.Message"},
                                                {"opt-in-status", "OptInStatus"},
                                                {"parent-zone-id", "ParentZoneId"},
                                                {"parent-zone-name", "ParentZoneName"},
                                                {"region-name", "RegionName"},
                                                {"state", "State"},
                                                {"zone-id", "ZoneId"},
                                                {"zone-name", "ZoneName"},
                                                {"zone-type", "ZoneType"}}};

/// "ap-southeast-2" → "apse2", "us-gov-west-1" → "usgw1": the letters that AWS makes zone ids of.
std::string id_prefix_of(std::string_view region) {
  std::string prefix;
  const auto parts = split(region, '-');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (i == 0 || i + 1 == parts.size()) {
      prefix += part;
      continue;
    }
    prefix += part.substr(0, 1);
    // Two directions in one word.
    for (const std::string_view second : {"east", "west"}) {
      if (part.size() > second.size() && part.ends_with(second)) prefix += second.substr(0, 1);
    }
  }
  return prefix;
}

Zone make_zone(std::string_view region, std::string_view id_prefix, char letter, char number) {
  return {.name = fmt::format("{}{}", region, letter),
          .id = fmt::format("{}-az{}", id_prefix, number),
          .type = "availability-zone",
          .opt_in = "opt-in-not-required",
          .group = fmt::format("{}-zg-1", region)};
}

AvailabilityZone shown(std::string_view region, const Zone& zone) {
  AvailabilityZone shape{.opt_in_status = zone.opt_in,
                         .messages = std::vector<aws::ec2::AvailabilityZoneMessage>{},
                         .region_name = std::string(region),
                         .zone_name = zone.name,
                         .zone_id = zone.id,
                         .group_name = zone.group,
                         .network_border_group = zone.is_local() ? zone.group : std::string(region),
                         .zone_type = zone.type,
                         .state = "available"};
  if (zone.is_local()) {
    shape.parent_zone_name = zone.parent_name;
    shape.parent_zone_id = zone.parent_id;
  }
  return shape;
}

bool is_named(const std::optional<std::vector<std::string>>& names, const std::string& name) {
  return aws::items(names).empty() || std::ranges::find(*names, name) != names->end();
}

std::optional<AwsFault> unknown_zone(std::string_view region,
                                     const std::optional<std::vector<std::string>>& names) {
  for (const auto& name : aws::items(names)) {
    if (find_zone(region, name)) continue;
    return invalid_parameter(fmt::format("Invalid availability zone: [{}]", name)).error();
  }
  return std::nullopt;
}

}  // namespace

std::vector<Zone> zones_of(std::string_view region) {
  std::vector<Zone> zones;
  const auto known = std::ranges::find(k_regions, region, &RegionZones::region);
  if (known == k_regions.end()) {
    const std::string prefix = id_prefix_of(region);
    for (const char number : {'1', '2', '3'}) {
      zones.push_back(make_zone(region, prefix, static_cast<char>('a' + (number - '1')), number));
    }
    return zones;
  }
  for (const std::string_view pair : split(known->zones, ' ')) {
    zones.push_back(make_zone(region, known->id_prefix, pair[0], pair[1]));
  }
  for (const LocalZone& local : k_local_zones) {
    if (local.region != region) continue;
    const std::string parent = fmt::format("{}{}", region, local.parent_letter);
    const auto zone = std::ranges::find(zones, parent, &Zone::name);
    zones.push_back({.name = std::string(local.name),
                     .id = std::string(local.id),
                     .type = "local-zone",
                     .opt_in = std::string(local.opt_in),
                     .group = std::string(local.group),
                     .parent_name = parent,
                     .parent_id = zone->id});
  }
  std::ranges::sort(zones, {}, &Zone::name);
  return zones;
}

std::optional<Zone> find_zone(std::string_view region, std::string_view name_or_id) {
  for (auto& zone : zones_of(region)) {
    if (zone.name == name_or_id || zone.id == name_or_id) return std::move(zone);
  }
  return std::nullopt;
}

Reply<aws::ec2::DescribeAvailabilityZonesResult> describe_availability_zones(
    State&, const Call& call, const aws::ec2::DescribeAvailabilityZonesRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  for (const auto* names : {&in.zone_names, &in.zone_ids}) {
    if (auto unknown = unknown_zone(call.region, *names)) return std::unexpected(std::move(*unknown));
  }
  std::vector<std::pair<std::string, AvailabilityZone>> sorted;
  for (const auto& zone : zones_of(call.region)) {
    if (!zone.usable() && !in.all_availability_zones.value_or(false)) continue;
    if (!is_named(in.zone_names, zone.name) || !is_named(in.zone_ids, zone.id)) continue;
    sorted.emplace_back(zone.name, shown(call.region, zone));
  }
  auto page = page_of(std::move(sorted), *filters, {});
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeAvailabilityZonesResult{.availability_zones = std::move(page->items)};
}

}  // namespace instantstart::sandbox::ec2
