#include "capabilities/training/job_object.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/decode.h"
#include "capabilities/dependencies/object_parts.h"
#include "capabilities/dependencies/owned_object.h"
#include "capabilities/storage/data_volume.h"

namespace instantstart::capabilities {
namespace {

/// The operator talks to the agents here.
constexpr std::int64_t k_agent_port = 8080;
constexpr std::size_t k_longest_host_name = 63;
constexpr std::string_view k_shared_memory = "shared-memory";

/// Kubernetes replaces $(NAME) in commands and variables, and takes "$$" for "$".
std::string literal(std::string_view text) {
  std::string written;
  for (std::size_t i = 0; i < text.size(); ++i) {
    written += text[i];
    const bool begins = i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == '$');
    if (text[i] == '$' && begins) written += '$';
  }
  return written;
}

/// Ours give way to what the user set.
json::array environment(const JobSpec& spec) {
  // Else rules of log_monitoring and readers of logs see lines long after they were printed.
  std::map<std::string, std::string> all{{"PYTHONUNBUFFERED", "1"}};
  // NCCL's bootstrap takes the pod's own interface, whatever its name is.
  if (spec.nodes > 1 && spec.gpus_per_node > 0) all["NCCL_SOCKET_IFNAME"] = "^lo,docker,veth";
  for (const auto& [name, value] : spec.env) all[name] = literal(value);
  json::array list;
  for (const auto& [name, value] : all) list.push_back(json::object{{"name", name}, {"value", value}});
  return list;
}

/// GPUs and EFA devices can't be shared, so their requests are their limits; CPU may be exceeded.
json::object resources(const JobSpec& spec) {
  json::object requests;
  json::object limits;
  const auto add_device = [&](std::string_view name, std::int64_t count) {
    if (count <= 0) return;
    requests[name] = std::to_string(count);
    limits[name] = std::to_string(count);
  };
  add_device(k_gpu_resource, spec.gpus_per_node);
  add_device(k_efa_resource, spec.efa_per_node);
  if (spec.cpu) requests["cpu"] = *spec.cpu;
  if (spec.memory) {
    requests["memory"] = *spec.memory;
    limits["memory"] = *spec.memory;
  }
  json::object all;
  if (!requests.empty()) all["requests"] = std::move(requests);
  if (!limits.empty()) all["limits"] = std::move(limits);
  return all;
}

json::object pod_spec(const JobSpec& spec) {
  json::array mounts;
  mounts.push_back(json::object{{"name", k_shared_memory}, {"mountPath", "/dev/shm"}});
  json::array volumes;
  volumes.push_back(json::object{{"name", k_shared_memory}, {"emptyDir", {{"medium", "Memory"}}}});
  if (spec.data_claim) {
    auto data = data_volume(*spec.data_claim, spec.data_read_only);
    mounts.push_back(std::move(data.mount));
    volumes.push_back(std::move(data.volume));
  }
  json::array ports;
  ports.push_back(json::object{{"name", "agent"}, {"containerPort", k_agent_port}, {"protocol", "TCP"}});
  json::object container{
      {"name", k_job_container},  {"image", spec.image},       {"command", to_array(argv_of(spec))},
      {"env", environment(spec)}, {"ports", std::move(ports)}, {"volumeMounts", std::move(mounts)}};
  if (auto all = resources(spec); !all.empty()) container["resources"] = std::move(all);
  json::array containers;
  containers.push_back(std::move(container));
  return {{"nodeSelector", {{k_instance_type_label, spec.instance_type}}},
          {"containers", std::move(containers)},
          {"volumes", std::move(volumes)}};
}

json::object rule_object(const LogRule& rule) {
  json::object object{{"name", rule.name}, {"logPattern", rule.pattern}};
  if (rule.stop_pattern) object["stopPattern"] = *rule.stop_pattern;
  if (rule.expected_start_seconds) object["expectedStartCutOffInSeconds"] = *rule.expected_start_seconds;
  if (rule.expected_recurring_seconds) {
    object["expectedRecurringFrequencyInSeconds"] = *rule.expected_recurring_seconds;
  }
  if (rule.condition) object["operator"] = encode(*rule.condition);
  if (rule.threshold) object["metricThreshold"] = *rule.threshold;
  if (rule.data_points) object["metricEvaluationDataPoints"] = *rule.data_points;
  return object;
}

/// What ended by itself stays, so that its logs can be read, and holds no GPU; what still runs when the job
/// has ended goes.
json::object run_policy(const JobSpec& spec) {
  json::object policy{{"cleanPodPolicy", "Running"},
                      {"jobMaxRetryCount", spec.max_restarts},
                      {"ttlSecondsAfterFinished", -1}};
  if (spec.restart_policy) {
    json::object restarts{{"evalPeriodSeconds", spec.restart_policy->window_seconds}};
    if (spec.restart_policy->restarts_before_full) {
      restarts["numRestartBeforeFullJobRestart"] = *spec.restart_policy->restarts_before_full;
    }
    if (spec.restart_policy->max_full_restarts) {
      restarts["maxFullJobRestarts"] = *spec.restart_policy->max_full_restarts;
    }
    policy["restartPolicy"] = std::move(restarts);
  }
  if (!spec.log_monitoring.empty()) {
    json::array rules;
    for (const auto& rule : spec.log_monitoring) rules.push_back(rule_object(rule));
    policy["logMonitoringConfiguration"] = std::move(rules);
  }
  return policy;
}

std::int64_t processes_of(const JobSpec& spec) { return std::max<std::int64_t>(spec.gpus_per_node, 1); }

}  // namespace

Type describe(JobSpec*) {
  return object_type<JobSpec>(
      "JobSpec", "A training job.",
      {field<&JobSpec::cluster>("cluster", "Where."), field<&JobSpec::name>("name", "Its name."),
       field<&JobSpec::space>("namespace", "Its namespace."), field<&JobSpec::image>("image", "Its image."),
       field<&JobSpec::script>("script", "What it runs."),
       field<&JobSpec::arguments>("arguments", "The script's arguments.", {.defaulted = true}),
       field<&JobSpec::nodes>("nodes", "Pods."), field<&JobSpec::gpus_per_node>("gpus_per_node", "GPUs."),
       field<&JobSpec::efa_per_node>("efa_per_node", "EFA devices."),
       field<&JobSpec::instance_type>("instance_type", "Of the nodes."),
       field<&JobSpec::env>("env", "Environment variables.", {.defaulted = true}),
       field<&JobSpec::cpu>("cpu", "Cores."), field<&JobSpec::memory>("memory", "Memory."),
       field<&JobSpec::max_restarts>("max_restarts", "The budget."),
       field<&JobSpec::restart_policy>("restart_policy", "Limits within windows."),
       field<&JobSpec::log_monitoring>("log_monitoring", "Rules.", {.defaulted = true}),
       field<&JobSpec::data_claim>("data_claim", "The claim at /data."),
       field<&JobSpec::data_read_only>("data_read_only", "It may only be read.", {.defaulted = true})});
}

JobSpec spec_of(const TrainingSubmit& request, ClusterTarget cluster) {
  JobSpec spec{.cluster = std::move(cluster),
               .name = request.name.value,
               .space = request.space.value,
               .image = request.image.value,
               .script = request.script.value,
               .nodes = request.nodes,
               .gpus_per_node = request.gpus_per_node.value_or(0),
               .env = request.env,
               .max_restarts = request.max_restarts,
               .restart_policy = request.restart_policy,
               .log_monitoring = request.log_monitoring};
  for (const auto& argument : request.arguments) spec.arguments.push_back(argument.value);
  if (request.cpu) spec.cpu = request.cpu->value;
  if (request.memory) spec.memory = request.memory->value;
  return spec;
}

std::vector<std::string> argv_of(const JobSpec& spec) {
  std::vector<std::string> argv{"hyperpodrun",
                                fmt::format("--nnodes={}", spec.nodes),
                                fmt::format("--nproc-per-node={}", processes_of(spec)),
                                "--tee=3",
                                fmt::format("--log-dir={}", k_agent_log_folder),
                                spec.script};
  argv.insert(argv.end(), spec.arguments.begin(), spec.arguments.end());
  for (auto& argument : argv) argument = literal(argument);
  return argv;
}

json::object job_object(const JobSpec& spec, const kube::GroupVersionKind& gvk,
                        std::string_view operation_id) {
  json::object metadata{{"name", spec.name}, {"namespace", spec.space}};
  metadata["labels"] = json::object{{"app.kubernetes.io/name", "HyperPod"},
                                    {"app.kubernetes.io/managed-by", "instantstart"},
                                    {k_component_label, k_training_component},
                                    {k_job_label, spec.name}};
  metadata["annotations"] = json::object{{k_operation_annotation, operation_id}};
  json::object pod{
      {"metadata", {{"labels", {{k_component_label, k_training_component}, {k_job_label, spec.name}}}}},
      {"spec", pod_spec(spec)}};
  json::array replicas;
  replicas.push_back(
      json::object{{"name", k_replica_name}, {"replicas", spec.nodes}, {"template", std::move(pod)}});
  return {{"apiVersion", gvk.api_version()},
          {"kind", gvk.kind},
          {"metadata", std::move(metadata)},
          {"spec",
           {{"nprocPerNode", std::to_string(processes_of(spec))},
            {"replicaSpecs", std::move(replicas)},
            {"runPolicy", run_policy(spec)}}}};
}

std::string job_subject(const ClusterTarget& cluster, std::string_view space, std::string_view name) {
  return fmt::format("{}/job/{}.{}", domain::subject_of(key_of(cluster)), space, name);
}

std::size_t longest_job_name(std::int64_t nodes) {
  return k_longest_host_name -
         fmt::format("-{}-{}", k_replica_name, std::max<std::int64_t>(nodes, 1) - 1).size();
}

}  // namespace instantstart::capabilities
