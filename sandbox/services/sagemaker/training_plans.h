// Training plans: reserved capacity. The account has a few from the beginning; offerings can be looked at.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

/// By ARN; nullopt when the region has none.
std::optional<api::TrainingPlanSummary> find_plan(const State& state, std::string_view region,
                                                  std::string_view arn);
/// "Active"; "Expired" for one that isn't there any more.
std::string plan_status(const State& state, std::string_view arn);

Reply<api::ListTrainingPlansResponse> list_training_plans(State& state, const Call& call,
                                                          const api::ListTrainingPlansRequest& in);
Reply<api::SearchTrainingPlanOfferingsResponse> search_training_plan_offerings(
    State& state, const Call& call, const api::SearchTrainingPlanOfferingsRequest& in);

}  // namespace instantstart::sandbox::sagemaker
