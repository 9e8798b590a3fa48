// UpdateClusterSoftware: images of instances are changed, batch after batch.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

/// Keys are those of clusters that are being updated.
inline constexpr std::string_view k_software_timer = "sagemaker.software";
/// The next batch, or the end.
void advance_software(State& state, const std::string& cluster_key);
/// A node has its new image.
void finish_image(State& state, const std::string& node_key);

Reply<api::UpdateClusterSoftwareResponse> update_cluster_software(
    State& state, const Call& call, const api::UpdateClusterSoftwareRequest& in);

}  // namespace instantstart::sandbox::sagemaker
