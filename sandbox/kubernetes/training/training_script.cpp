#include "sandbox/kubernetes/training/training_script.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/cluster/container_environment.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr seconds k_start_time{2};
constexpr seconds k_setup_time{8};
constexpr seconds k_save_time{3};
constexpr std::size_t k_longest_first_line = 80;
constexpr std::size_t k_largest_config = 256 * 1024;

std::int64_t number_of(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The amount of a device that a container asks for.
std::int64_t devices_of(const json::object& container, std::string_view resource) {
  const json::object& limits = member_object(member_object(container, "resources"), "limits");
  const auto* amount = limits.if_contains(resource);
  if (!amount) return 0;
  if (amount->is_int64()) return amount->get_int64();
  return amount->is_string() ? number_of(amount->get_string()) : 0;
}

/// --nproc-per-node, or the variable that torchrun reads in its place.
std::int64_t local_ranks_of(const AgentArguments& arguments, const ContainerView& container,
                            std::int64_t devices) {
  std::string_view text = arguments.option("nproc_per_node");
  if (text.empty()) {
    if (const auto found = container.env.find("PET_NPROC_PER_NODE"); found != container.env.end()) {
      text = found->second;
    }
  }
  if (text == "auto" || text == "gpu") return std::max<std::int64_t>(1, devices);
  return std::clamp<std::int64_t>(number_of(text), 1, 64);
}

/// Files of settings given as arguments: their top-level `key: value` lines count as options.
void add_settings(std::map<std::string, std::string, std::less<>>& options, std::string_view text) {
  for (const auto line : split(text.substr(0, k_largest_config), '\n')) {
    const auto colon = line.find(':');
    if (colon == line.npos || line.starts_with(' ') || line.starts_with('#')) continue;
    auto value = trim(line.substr(colon + 1));
    if (value.ends_with('\r')) value.remove_suffix(1);
    if (!value.empty()) options.try_emplace(std::string(trim(line.substr(0, colon))), value);
  }
}

bool is_settings_file(std::string_view path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

/// The path in "--data=/data/x" or "/data/x".
std::string_view path_in(std::string_view argument) {
  if (argument.starts_with('/')) return argument;
  const auto equals = argument.find("=/");
  return equals == argument.npos ? std::string_view() : argument.substr(equals + 1);
}

std::map<std::string, std::string, std::less<>> options_of(const ProgramSite& site,
                                                           const AgentArguments& arguments) {
  auto options = script_options(arguments.script_arguments);
  if (!site.files) return options;
  for (const auto& argument : arguments.script_arguments) {
    const auto path = path_in(argument);
    if (!is_settings_file(path)) continue;
    if (const auto text = site.files->read(path)) add_settings(options, *text);
  }
  return options;
}

}  // namespace

TrainingScript::TrainingScript(const ProgramSite& site, const json::object& pod,
                               const AgentArguments& arguments, const Agent& agent, std::string_view job)
    : site_(site),
      pod_(pod),
      arguments_(arguments),
      plan_(training_plan(job.empty() ? std::string_view(site.container.pod) : job,
                          options_of(site, arguments))) {
  static const json::object k_nothing;
  const json::object* container = find_container(pod, site.container.name);
  const json::object& spec = container ? *container : k_nothing;
  place_ = {.pod = site.container.pod,
            .address = site.container.pod_ip,
            .node_rank = agent.assignment.node_rank,
            .nodes = agent.assignment.nodes,
            .local_ranks = local_ranks_of(arguments, site.container, devices_of(spec, "nvidia.com/gpu")),
            .has_fabric = devices_of(spec, "vpc.amazonaws.com/efa") > 0};
}

WorkerStep TrainingScript::step(std::int64_t position, Agent& agent) const {
  if (position == 0) return begin(agent);
  if (position == 1) return set_up(agent);
  const auto events = training_events(plan_, agent.resumed_from);
  const auto index = static_cast<std::size_t>(position - 2);
  return index < events.size() ? train(agent, events[index]) : end(agent);
}

WorkerStep TrainingScript::begin(Agent& agent) const {
  const auto now = site_.now;
  const std::int64_t run = agent.assignment.run;
  WorkerStep step{.after = k_start_time};
  step.agent = {transition_line(now, place_.node_rank, run, "READY", "RUNNING"),
                agent_line(now, place_.node_rank, run,
                           fmt::format("Rendezvous complete for workers. Result: restart_count={} "
                                       "master_addr={} master_port={} group_rank={} group_world_size={} "
                                       "world_size={}",
                                       run, agent.assignment.master_address, agent.assignment.master_port,
                                       place_.node_rank, place_.nodes, place_.world()))};
  if (auto missing = missing_script()) {
    step.errors = {std::move(*missing)};
    step.exit_code = 2;
    return step;
  }
  if (site_.due) agent.resumed_from = run > 0 || agent.attempt > 0 || plan_.resume ? last_checkpoint() : 0;
  return step;
}

WorkerStep TrainingScript::set_up(const Agent& agent) const {
  WorkerStep step{.after = k_setup_time};
  step.output = nccl_lines(place_);
  for (auto& line : data_lines()) step.output.push_back(std::move(line));
  step.output.push_back("***** Running training *****");
  step.output.push_back(fmt::format("  Num Epochs = {}", plan_.epochs));
  step.output.push_back(fmt::format("  Instantaneous batch size per device = {}", plan_.batch));
  step.output.push_back(fmt::format("  Total train batch size (w. parallel, distributed & accumulation) = {}",
                                    plan_.batch * place_.world()));
  step.output.push_back(fmt::format("  Total optimization steps = {}", plan_.steps));
  if (agent.resumed_from > 0) {
    step.output.push_back(
        fmt::format("Resuming training from {}/checkpoint-{}", plan_.output, agent.resumed_from));
    step.output.push_back(fmt::format("  Continuing training from global step {}", agent.resumed_from));
  }
  return step;
}

WorkerStep TrainingScript::train(const Agent& agent, const TrainingEvent& event) const {
  WorkerStep step{.after = plan_.step_time * (event.step - event.from)};
  step.errors = {progress_line(plan_, event, agent.resumed_from)};
  step.output = {log_line(plan_, place_, event.step)};
  if (!event.saves) return step;
  step.after += k_save_time;
  if (place_.node_rank == 0) {
    step.output.push_back(
        fmt::format("Saving model checkpoint to {}/checkpoint-{}", plan_.output, event.step));
    save_checkpoint(event.step);
  }
  return step;
}

WorkerStep TrainingScript::end(const Agent& agent) const {
  WorkerStep step{.after = seconds(2)};
  step.output = {"Training completed.", summary_line(plan_, place_, agent.resumed_from)};
  step.exit_code = 0;
  if (place_.node_rank != 0 || !site_.files) return step;
  const json::object result{{"job", plan_.job},
                            {"steps", plan_.steps},
                            {"world_size", place_.world()},
                            {"final_loss", fmt::format("{:.4f}", loss_at(plan_, plan_.steps))},
                            {"restarts", agent.assignment.run},
                            {"resumed_from", agent.resumed_from},
                            {"finished_at", to_rfc3339(site_.now)}};
  const std::string path = fmt::format("{}/result.json", plan_.output);
  if (site_.files->write(path, to_text(json::value(result)) + "\n")) {
    step.output.push_back(fmt::format("Wrote {}", path));
  }
  return step;
}

std::optional<std::string> TrainingScript::missing_script() const {
  const std::string& script = arguments_.script;
  if (arguments_.is_module || !script.starts_with('/') || !site_.files) return std::nullopt;
  const json::object* container = find_container(pod_, site_.container.name);
  if (!container) return std::nullopt;
  for (const auto& value : member_array(*container, "volumeMounts")) {
    if (!value.is_object()) continue;
    const auto name = member_text(value.get_object(), "name");
    auto mount = member_text(value.get_object(), "mountPath");
    while (mount.size() > 1 && mount.ends_with('/')) mount.remove_suffix(1);
    if (!script.starts_with(fmt::format("{}/", mount))) continue;
    for (const auto& volume : member_array(member_object(pod_, "spec"), "volumes")) {
      const bool lasts = volume.is_object() && member_text(volume.get_object(), "name") == name &&
                         (volume.get_object().contains("persistentVolumeClaim") ||
                          volume.get_object().contains("configMap"));
      if (lasts && !site_.files->read(script)) {
        return fmt::format("python: can't open file '{}': [Errno 2] No such file or directory", script);
      }
    }
  }
  return std::nullopt;
}

std::int64_t TrainingScript::last_checkpoint() const {
  if (!site_.files) return 0;
  std::int64_t last = 0;
  const std::string prefix = fmt::format("{}/checkpoint-", plan_.output);
  for (const auto& path : site_.files->list(plan_.output)) {
    // The state is written last: without it the checkpoint was not finished.
    if (!path.starts_with(prefix) || !path.ends_with("/trainer_state.json")) continue;
    last = std::max(last, number_of(std::string_view(path).substr(prefix.size())));
  }
  return std::min(last, plan_.steps);
}

void TrainingScript::save_checkpoint(std::int64_t step) const {
  if (!site_.files) return;
  const std::string folder = fmt::format("{}/checkpoint-{}", plan_.output, step);
  const json::object state{{"global_step", step},
                           {"max_steps", plan_.steps},
                           {"epoch", epoch_at(plan_, step)},
                           {"loss", fmt::format("{:.4f}", loss_at(plan_, step))}};
  const std::string digest = to_hex(sha256(fmt::format("{}/{}", plan_.job, step)));
  // What can't be written is lost with the container, as on its own disk.
  std::ignore = site_.files->write(fmt::format("{}/model.safetensors", folder), digest);
  std::ignore = site_.files->write(fmt::format("{}/optimizer.pt", folder), digest);
  std::ignore = site_.files->write(fmt::format("{}/trainer_state.json", folder), to_text(json::value(state)));
}

std::vector<std::string> TrainingScript::data_lines() const {
  std::vector<std::string> lines;
  if (!site_.files) return lines;
  for (const auto& argument : arguments_.script_arguments) {
    const auto path = path_in(argument);
    if (path.empty()) continue;
    const auto bytes = site_.files->read(path);
    if (!bytes) continue;
    const std::string first = without_controls(
        shortened(std::string_view(*bytes).substr(0, bytes->find('\n')), k_longest_first_line));
    lines.push_back(fmt::format("Read {}: {} bytes, sha256 {}, first line: {}", path, bytes->size(),
                                to_hex(sha256(*bytes)).substr(0, 16), first));
  }
  return lines;
}

}  // namespace instantstart::sandbox::kubernetes
