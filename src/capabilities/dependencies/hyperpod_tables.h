// What the HyperPod chart looks up: images by region, and which instance types a component runs on. Data
// only. Source: the public chart sagemaker-hyperpod-cli, helm_chart/HyperPodHelmChart, release v3.9.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace instantstart::capabilities {

/// The chart's own version never moves (0.1.0); this is the release whose values are taken.
inline constexpr std::string_view k_hyperpod_chart = "hyperpod-helm-chart";
inline constexpr std::string_view k_hyperpod_chart_version = "0.1.0";

inline constexpr std::string_view k_health_agent_version = "1.0.1892.0_1.0.424.0";
inline constexpr std::string_view k_nvidia_plugin_version = "0.16.1";
inline constexpr std::string_view k_efa_plugin_chart_version = "v0.5.20";
inline constexpr std::string_view k_efa_plugin_version = "v0.5.13";
inline constexpr std::string_view k_neuron_plugin_version = "2.19.16.0";

/// The agent's image in the region's own account; regions that the chart doesn't know get that of us-east-1.
std::string health_agent_image(std::string_view region);
/// Whether the region has an own health agent image.
bool has_health_agent_image(std::string_view region);
/// The chart names us-west-2 for every region, and whether others have this repository isn't public.
std::string efa_plugin_image();
std::string nvidia_plugin_image();
std::string neuron_plugin_image();

/// Values of the node label node.kubernetes.io/instance-type, in the chart's order. Types that no node has do
/// no harm.
std::vector<std::string> health_agent_nvidia_types();  ///< The chart's 41.
std::vector<std::string> health_agent_neuron_types();  ///< The chart's 8.
/// The chart's 41 and those that it lacks: ml.g4dn and ml.g7, on which no GPU would be seen.
std::vector<std::string> nvidia_plugin_types();
/// The chart's 39 and the EFA-capable sizes of ml.g4dn and ml.g7.
std::vector<std::string> efa_plugin_types();
/// The chart's 19, which have names of plain EC2 nodes too, and ml.trn2.3xlarge.
std::vector<std::string> neuron_plugin_types();

}  // namespace instantstart::capabilities
