#include "simulation/scenarios.h"

#include <algorithm>
#include <stdexcept>

namespace instantstart::simulation {
namespace {

using json::object;

const object k_group{{"name", "workers"}, {"instance_type", "ml.g5.8xlarge"}, {"count", 2}};

Asked control_plane() {
  return {.action = "control_plane_create", .arguments = {{"name", "demo"}, {"region", "us-west-2"}}};
}

Asked dependencies() { return {.action = "dependency_reconcile", .arguments = {{"cluster", "demo"}}}; }

Asked hyperpod() {
  return {.action = "hyperpod_create", .arguments = {{"cluster", "demo"}, {"group", k_group}}};
}

Asked storage() {
  return {
      .action = "storage_mount",
      .arguments = {{"cluster", "demo"}, {"name", "shared"}, {"bucket", "demo-data-1"}, {"create", true}}};
}

Asked environment() {
  return {
      .action = "environment_create",
      .arguments = {{"name", "demo"},
                    {"region", "us-west-2"},
                    {"group", k_group},
                    {"storage", object{{"name", "shared"}, {"bucket", "demo-data-1"}, {"create", true}}}}};
}

Asked deployment() {
  return {.action = "model_deploy",
          .arguments = {{"cluster", "demo"},
                        {"name", "qwen"},
                        {"model", "Qwen/Qwen2.5-0.5B-Instruct"},
                        {"instance_type", "ml.g5.8xlarge"},
                        {"max_model_len", 4096}}};
}

Asked of_cluster(std::string action, object more = {}) {
  more["cluster"] = "demo";
  return {.action = std::move(action), .arguments = std::move(more)};
}

std::vector<Scenario> all() {
  return {
      {.name = "control_plane_create", .before = {}, .asked = control_plane()},
      {.name = "control_plane_delete",
       .before = {control_plane()},
       .asked = of_cluster("control_plane_delete")},
      {.name = "cluster_import",
       .before = {control_plane(), of_cluster("cluster_forget")},
       .asked = {.action = "cluster_import", .arguments = {{"name", "demo"}, {"region", "us-west-2"}}}},
      {.name = "dependency_reconcile", .before = {control_plane()}, .asked = dependencies()},
      {.name = "hyperpod_create", .before = {control_plane(), dependencies()}, .asked = hyperpod()},
      {.name = "hyperpod_delete",
       .before = {control_plane(), dependencies(), hyperpod()},
       .asked = of_cluster("hyperpod_delete")},
      {.name = "storage_mount", .before = {control_plane()}, .asked = storage()},
      {.name = "storage_unmount",
       .before = {control_plane(), storage()},
       .asked = of_cluster("storage_unmount", {{"name", "shared"}})},
      {.name = "environment_create", .before = {}, .asked = environment()},
      {.name = "environment_delete", .before = {environment()}, .asked = of_cluster("environment_delete")},
      {.name = "model_deploy",
       .before = {control_plane(), dependencies(), hyperpod()},
       .asked = deployment()},
      {.name = "deployment_delete",
       .before = {control_plane(), dependencies(), hyperpod(), deployment()},
       .asked = of_cluster("deployment_delete", {{"name", "qwen"}})},
  };
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> made = all();
  return made;
}

const Scenario& scenario_named(std::string_view name) {
  const auto found = std::ranges::find(scenarios(), name, &Scenario::name);
  if (found == scenarios().end()) throw std::runtime_error("There is no scenario " + std::string(name));
  return *found;
}

}  // namespace instantstart::simulation
