#include "sandbox/services/sagemaker/training_plans.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/ec2/instance_types.h"
#include "sandbox/services/ec2/zones.h"
#include "sandbox/services/sagemaker/paging.h"

namespace instantstart::sandbox::sagemaker {
namespace {

using std::chrono::hours;

struct PlanRow {
  std::string_view name;
  std::string_view type;
  std::int64_t instances;
  hours starts;  ///< From the account's beginning on.
  hours lasts;
};
constexpr std::array<PlanRow, 2> k_plans{{{"reserved-p5", "ml.p5.48xlarge", 4, hours(-24), hours(30 * 24)},
                                          {"next-p4d", "ml.p4d.24xlarge", 8, hours(7 * 24), hours(14 * 24)}}};

struct Price {
  std::string_view type;
  double usd_per_hour;  ///< Of one instance; near those of EC2 Capacity Blocks.
};
constexpr std::array<Price, 9> k_prices{{{"ml.p4d.24xlarge", 11.8},
                                         {"ml.p4de.24xlarge", 14.75},
                                         {"ml.p5.4xlarge", 3.933},
                                         {"ml.p5.48xlarge", 31.464},
                                         {"ml.p5e.48xlarge", 34.608},
                                         {"ml.p5en.48xlarge", 36.184},
                                         {"ml.p6-b200.48xlarge", 74.88},
                                         {"ml.trn1.32xlarge", 9.532},
                                         {"ml.trn2.48xlarge", 35.763}}};
constexpr std::int64_t k_most_instances = 64;
constexpr std::int64_t k_default_hours = 168;

std::optional<double> price_of(std::string_view type) {
  const auto found = std::ranges::find(k_prices, type, &Price::type);
  return found == k_prices.end() ? std::nullopt : std::optional(found->usd_per_hour);
}

std::string fee(std::string_view type, std::int64_t instances, std::int64_t hours) {
  return fmt::format("{:.2f}", price_of(type).value_or(0) * static_cast<double>(instances * hours));
}

std::vector<std::string> zone_names(std::string_view region, std::string_view type) {
  std::vector<std::string> names;
  for (const auto& id : ec2::zone_ids_offering(region, type.substr(3))) {
    if (const auto zone = ec2::find_zone(region, id)) names.push_back(zone->name);
  }
  std::ranges::sort(names);
  return names;
}

std::int64_t in_use(const State& state, std::string_view region, const std::string& arn) {
  std::int64_t count = 0;
  for (const auto& [key, cluster] : state.clusters.starting_with(cluster_key(region, ""))) {
    for (const auto& group : aws::items(cluster.instance_groups)) {
      if (group.training_plan_arn == arn) count += group.target_count.value_or(0);
    }
  }
  return count;
}

std::string status_at(WallTime now, WallTime start, WallTime end) {
  if (now < start) return "Scheduled";
  return now < end ? "Active" : "Expired";
}

std::optional<api::TrainingPlanSummary> plan_of(const State& state, std::string_view region,
                                                const PlanRow& row) {
  const auto zones = zone_names(region, row.type);
  if (zones.empty()) return std::nullopt;
  const Beginning* beginning = state.beginning.find("account");
  const WallTime start =
      (beginning ? WallTime(milliseconds(beginning->at_ms)) : state.world.now()) + row.starts;
  const WallTime end = start + row.lasts;
  const std::string arn =
      make_arn("sagemaker", region, state.world.account(), fmt::format("training-plan/{}", row.name));
  const std::string status = status_at(state.world.now(), start, end);
  const std::int64_t used = in_use(state, region, arn);
  api::ReservedCapacitySummary capacity{
      .reserved_capacity_arn = make_arn("sagemaker", region, state.world.account(),
                                        fmt::format("reserved-capacity/{}-1", row.name)),
      .reserved_capacity_type = "Instance",
      .instance_type = std::string(row.type),
      .total_instance_count = row.instances,
      .status = status,
      .availability_zone = zones.front(),
      .availability_zone_id = ec2::find_zone(region, zones.front())->id,
      .duration_hours = row.lasts.count(),
      .duration_minutes = 0,
      .start_time = timestamp(start),
      .end_time = timestamp(end)};
  return api::TrainingPlanSummary{.training_plan_arn = arn,
                                  .training_plan_name = std::string(row.name),
                                  .status = status,
                                  .duration_hours = row.lasts.count(),
                                  .duration_minutes = 0,
                                  .start_time = timestamp(start),
                                  .end_time = timestamp(end),
                                  .upfront_fee = fee(row.type, row.instances, row.lasts.count()),
                                  .currency_code = "USD",
                                  .total_instance_count = row.instances,
                                  .available_instance_count = std::max<std::int64_t>(0, row.instances - used),
                                  .in_use_instance_count = used,
                                  .target_resources = {{"hyperpod-cluster"}},
                                  .reserved_capacity_summaries = {{std::move(capacity)}}};
}

bool is_wanted(const api::TrainingPlanSummary& plan, const api::ListTrainingPlansRequest& in) {
  for (const auto& filter : aws::items(in.filters)) {
    if (filter.name == "Status" && plan.status != filter.value) return false;
  }
  return (!in.start_time_after || *plan.start_time > *in.start_time_after) &&
         (!in.start_time_before || *plan.start_time < *in.start_time_before);
}

std::string sort_key(const api::TrainingPlanSummary& plan, const std::optional<std::string>& by) {
  if (by == "StartTime") {
    return fmt::format("{:020}", plan.start_time->time.time_since_epoch().count()) + *plan.training_plan_name;
  }
  return by == "Status" ? *plan.status + *plan.training_plan_name : *plan.training_plan_name;
}

/// The days on which capacity begins, as offerings do at 11:30 UTC.
std::vector<WallTime> starts_after(WallTime earliest) {
  using std::chrono::days;
  const auto day = std::chrono::floor<days>(earliest);
  std::vector<WallTime> starts;
  for (const int later : {1, 3, 7}) {
    starts.push_back(WallTime(day + days(later)) + std::chrono::minutes(11 * 60 + 30));
  }
  return starts;
}

api::TrainingPlanOffering offering_of(const api::SearchTrainingPlanOfferingsRequest& in,
                                      std::string_view zone, WallTime start, std::int64_t count,
                                      std::int64_t length) {
  const std::string& type = *in.instance_type;
  const std::string name =
      fmt::format("{}/{}/{}/{}/{}", type, zone, count, length, start.time_since_epoch().count());
  api::ReservedCapacityOffering capacity{.reserved_capacity_type = "Instance",
                                         .instance_type = type,
                                         .instance_count = count,
                                         .availability_zone = std::string(zone),
                                         .duration_hours = length,
                                         .duration_minutes = 0,
                                         .start_time = timestamp(start),
                                         .end_time = timestamp(start + hours(length))};
  return {.training_plan_offering_id = "tpo-" + to_hex(sha256(name)).substr(0, 32),
          .target_resources = {{"hyperpod-cluster", "training-job"}},
          .requested_start_time_after = in.start_time_after,
          .requested_end_time_before = in.end_time_before,
          .duration_hours = length,
          .duration_minutes = 0,
          .upfront_fee = fee(type, count, length),
          .currency_code = "USD",
          .reserved_capacity_offerings = {{std::move(capacity)}}};
}

}  // namespace

std::optional<api::TrainingPlanSummary> find_plan(const State& state, std::string_view region,
                                                  std::string_view arn) {
  for (const auto& row : k_plans) {
    auto plan = plan_of(state, region, row);
    if (plan && plan->training_plan_arn == arn) return plan;
  }
  return std::nullopt;
}

std::string plan_status(const State& state, std::string_view arn) {
  constexpr std::size_t k_region_part = 3;
  const auto parts = split(arn, ':');
  const auto plan = parts.size() > k_region_part ? find_plan(state, parts[k_region_part], arn) : std::nullopt;
  return plan ? *plan->status : "Expired";
}

Reply<api::ListTrainingPlansResponse> list_training_plans(State& state, const Call& call,
                                                          const api::ListTrainingPlansRequest& in) {
  std::vector<std::pair<std::string, api::TrainingPlanSummary>> plans;
  for (const auto& row : k_plans) {
    auto plan = plan_of(state, call.region, row);
    if (plan && is_wanted(*plan, in)) plans.emplace_back(sort_key(*plan, in.sort_by), std::move(*plan));
  }
  auto page = page_of(std::move(plans), in, in.sort_order == "Descending");
  if (!page) return std::unexpected(std::move(page.error()));
  return api::ListTrainingPlansResponse{.next_token = std::move(page->next_token),
                                        .training_plan_summaries = std::move(page->items)};
}

Reply<api::SearchTrainingPlanOfferingsResponse> search_training_plan_offerings(
    State& state, const Call& call, const api::SearchTrainingPlanOfferingsRequest& in) {
  api::SearchTrainingPlanOfferingsResponse answer{.training_plan_offerings =
                                                      std::vector<api::TrainingPlanOffering>{}};
  const std::int64_t count = in.instance_count.value_or(1);
  const std::int64_t length = in.duration_hours.value_or(k_default_hours);
  const auto& targets = aws::items(in.target_resources);
  const bool can_serve = std::ranges::all_of(
      targets, [](const std::string& one) { return one == "hyperpod-cluster" || one == "training-job"; });
  if (!in.instance_type || in.ultra_server_type || in.training_plan_arn || !can_serve || count < 1 ||
      count > k_most_instances || !price_of(*in.instance_type)) {
    return answer;
  }
  const WallTime earliest =
      in.start_time_after
          ? std::max(state.world.now(), std::chrono::floor<milliseconds>(in.start_time_after->time))
          : state.world.now();
  const auto zones = zone_names(call.region, *in.instance_type);
  const auto starts = starts_after(earliest);
  for (std::size_t i = 0; i < starts.size() && !zones.empty(); ++i) {
    if (in.end_time_before && timestamp(starts[i] + hours(length)) > *in.end_time_before) continue;
    answer.training_plan_offerings->push_back(
        offering_of(in, zones[i % zones.size()], starts[i], count, length));
  }
  return answer;
}

}  // namespace instantstart::sandbox::sagemaker
