#include "capabilities/training/job_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/storage/data_volume.h"
#include "capabilities/training/job_steps.h"
#include "capabilities/training/resource_amount.h"

namespace instantstart::capabilities {
namespace {

using contract::Plan;
using contract::PlannedStep;
using contract::StepEffect;

bool looks_like_gpus(std::string_view type) { return type.starts_with("ml.g") || type.starts_with("ml.p"); }

/// What the nodes of one type can give.
struct Capacity {
  std::int64_t joined = 0;
  std::int64_t usable = 0;
  std::int64_t wanted = 0;  ///< By the groups' targets.
  std::int64_t gpus = 0;    ///< Of one node, at most.
  std::int64_t efa = 0;
  double cpu = 0;
  double memory = 0;

  std::int64_t nodes() const { return std::max(joined, wanted); }
};

Capacity capacity_of(const SubmitFacts& facts, std::string_view type) {
  Capacity capacity;
  for (const auto& node : facts.nodes) {
    if (node.instance_type != type) continue;
    ++capacity.joined;
    if (node.usable) ++capacity.usable;
    capacity.gpus = std::max(capacity.gpus, node.gpus);
    capacity.efa = std::max(capacity.efa, node.efa);
    capacity.cpu = std::max(capacity.cpu, node.cpu);
    capacity.memory = std::max(capacity.memory, node.memory);
  }
  for (const auto& group : facts.groups) {
    if (group.instance_type == type) capacity.wanted += group.target;
  }
  // A node whose device plugin is not up yet has none to give, though the type has.
  if (capacity.gpus == 0 && facts.type) capacity.gpus = facts.type->gpus;
  if (capacity.efa == 0 && facts.type) capacity.efa = facts.type->efa;
  return capacity;
}

std::set<std::string_view> types_of(const SubmitFacts& facts) {
  std::set<std::string_view> types;
  for (const auto& group : facts.groups) types.insert(group.instance_type);
  for (const auto& node : facts.nodes) types.insert(node.instance_type);
  types.erase("");
  return types;
}

json::value as_json(std::string_view text) { return json::string(text); }

class Settler {
 public:
  explicit Settler(const SubmitFacts& facts) : facts_(facts), request_(facts.request) {}

  Result<SettledJob> settle() {
    job_.spec = spec_of(request_, facts_.cluster);
    job_.spec.data_claim = facts_.data_claim;
    job_.spec.data_read_only = facts_.data_read_only;
    check_name();
    if (!facts_.namespace_exists) {
      problem("/namespace", "value", "does not exist in the cluster", as_json(request_.space.value));
    }
    check_type();
    if (!problems_.empty()) return fail(invalid_request(std::move(problems_)));
    warn();
    return std::move(job_);
  }

 private:
  void problem(std::string pointer, std::string rule, std::string message, json::value value,
               std::optional<std::string> nearest = std::nullopt) {
    problems_.push_back(
        {std::move(pointer), std::move(rule), std::move(message), instantstart::to_text(value), nearest});
  }

  void check_name() {
    const auto most = longest_job_name(request_.nodes);
    if (request_.name.value.size() <= most) return;
    std::string shorter = request_.name.value.substr(0, most);
    while (shorter.ends_with('-')) shorter.pop_back();
    problem("/name", "max_length",
            fmt::format("must be at most {} characters long: names of pods are made of it, and may have 63",
                        most),
            as_json(request_.name.value), std::move(shorter));
  }

  void check_type() {
    const auto types = types_of(facts_);
    const auto type = choose_instance_type(facts_);
    if (!type) {
      problem("/instance_type", "required",
              "can't be chosen: the cluster has no instance groups; hyperpod_create makes one", nullptr);
      return;
    }
    if (!types.contains(*type)) {
      std::vector<std::string_view> names(types.begin(), types.end());
      std::vector<std::string> listed(types.begin(), types.end());
      problem("/instance_type", "enum",
              listed.empty() ? "is not in the cluster, which has no instance groups"
                             : fmt::format("is not in the cluster, which has {}", join(listed, ", ")),
              as_json(*type), nearest(*type, names));
      return;
    }
    job_.spec.instance_type = *type;
    capacity_ = capacity_of(facts_, *type);
    check_nodes();
    check_devices();
    check_amounts();
  }

  void check_nodes() {
    if (request_.nodes <= capacity_.nodes()) return;
    problem(
        "/nodes", "maximum",
        fmt::format("must be at most {}: the cluster has no more nodes of type {}, by its groups' targets",
                    capacity_.nodes(), job_.spec.instance_type),
        request_.nodes);
  }

  void check_devices() {
    auto& spec = job_.spec;
    spec.gpus_per_node = request_.gpus_per_node.value_or(capacity_.gpus);
    if (spec.gpus_per_node > capacity_.gpus) {
      problem("/gpus_per_node", "maximum",
              fmt::format("must be at most {}, the GPUs of a node of type {}", capacity_.gpus,
                          spec.instance_type),
              spec.gpus_per_node);
      return;
    }
    if (spec.nodes < 2 || capacity_.efa == 0) return;
    // All of the node, or the share that goes with its GPUs.
    spec.efa_per_node = capacity_.efa;
    if (spec.gpus_per_node > 0 && spec.gpus_per_node < capacity_.gpus) {
      spec.efa_per_node = std::max<std::int64_t>(1, capacity_.efa * spec.gpus_per_node / capacity_.gpus);
    }
  }

  void check_amounts() {
    if (request_.cpu) {
      const auto& text = request_.cpu->value;
      const auto cores = parse_amount(text);
      const bool plain = text.find_first_not_of("0123456789.m") == std::string::npos;
      if (!cores || !plain || *cores <= 0) {
        problem("/cpu", "pattern", "must be cores, like 8 or 500m", as_json(text));
      } else if (capacity_.joined > 0 && *cores > capacity_.cpu) {
        problem("/cpu", "maximum",
                fmt::format("must be at most {:.2f}, what a node of type {} can give", capacity_.cpu,
                            job_.spec.instance_type),
                as_json(text));
      }
    }
    if (!request_.memory) return;
    const auto& text = request_.memory->value;
    const auto bytes = parse_amount(text);
    if (!bytes || text.ends_with('m') || *bytes < 0x1p20) {
      problem("/memory", "pattern", "must be bytes, like 64Gi, and at least 1Mi", as_json(text));
    } else if (capacity_.joined > 0 && *bytes > capacity_.memory) {
      problem("/memory", "maximum",
              fmt::format("must be at most {}, what a node of type {} can give",
                          bytes_in_words(capacity_.memory), job_.spec.instance_type),
              as_json(text));
    }
  }

  void warn() {
    const auto& spec = job_.spec;
    const auto add = [&](std::string text) { job_.warnings.push_back(std::move(text)); };
    if (capacity_.joined < spec.nodes) {
      add(fmt::format("{} of {} nodes of type {} have joined; pods wait for the others.", capacity_.joined,
                      spec.nodes, spec.instance_type));
    } else if (const auto free = free_nodes(); free < spec.nodes) {
      add(fmt::format("{} of {} nodes of type {} are free now; pods wait for the others.", free, spec.nodes,
                      spec.instance_type));
    }
    if (!spec.data_claim) {
      add(fmt::format(
          "Nothing is mounted at {} in the namespace {}: storage_mount makes a bucket a folder there, "
          "for jobs that are submitted afterwards.",
          k_data_path, spec.space));
    }
    if (spec.nodes > 1 && spec.gpus_per_node > 0 && capacity_.efa == 0) {
      add(fmt::format("{} has no EFA: the nodes talk over TCP.", spec.instance_type));
    }
    for (const auto& rule : spec.log_monitoring) {
      if (rule.pattern.starts_with(".*") || rule.pattern.starts_with('^')) continue;
      add(fmt::format(
          "The pattern of the rule {} is looked for at the beginning of lines alone; begin it with "
          ".* to find it anywhere.",
          rule.name));
    }
  }

  std::int64_t free_nodes() const {
    return std::ranges::count_if(facts_.nodes, [&](const TrainingNode& node) {
      return node.instance_type == job_.spec.instance_type && node.usable &&
             node.gpus - node.busy >= job_.spec.gpus_per_node;
    });
  }

  const SubmitFacts& facts_;
  const TrainingSubmit& request_;
  Capacity capacity_;
  SettledJob job_;
  std::vector<FieldProblem> problems_;
};

std::string object_of(std::string_view space, std::string_view name) {
  return fmt::format("{}/{}/{}", k_job_plural, space, name);
}

Error taken(const JobSpec& spec, const JobSeen& seen) {
  Error error{
      .code = std::string(codes::name_taken),
      .message = seen.maker
                     ? fmt::format("The job {}/{} is there already, with other content: delete it, or "
                                   "choose another name.",
                                   spec.space, spec.name)
                     : fmt::format("The job {}/{} exists and was not submitted here: choose another name.",
                                   spec.space, spec.name)};
  json::array differences;
  for (const auto& difference : seen.differences) differences.emplace_back(json::string(difference));
  error.detail = {{"object", object_of(spec.space, spec.name)}, {"differences", std::move(differences)}};
  return error;
}

/// In the order that they are carried out in; the last two at once.
void add_job_steps(const JobSpec& spec, Plan& plan) {
  const auto input = encode(spec).as_object();
  PlannedStep job{.id = "job",
                  .kind = std::string(k_job_step),
                  .title = fmt::format("Submit the job {}/{}", spec.space, spec.name),
                  .effect = StepEffect::create,
                  .calls = {{"kubernetes:create", object_of(spec.space, spec.name)}},
                  .input = input};
  for (const auto& step : plan.steps) job.after.push_back(step.id);
  plan.steps.push_back(std::move(job));
  plan.steps.push_back({.id = "logs",
                        .kind = std::string(k_job_logs_step),
                        .title = "Keep what the job prints",
                        .after = {"job"},
                        .input = input});
  plan.steps.push_back({.id = "start",
                        .kind = std::string(k_job_start_step),
                        .title = fmt::format("Wait until its {} run", spec.nodes == 1 ? "pod" : "pods"),
                        .after = {"job"},
                        .input = input});
}

}  // namespace

std::optional<std::string> choose_instance_type(const SubmitFacts& facts) {
  if (facts.request.instance_type)
    return domain::sagemaker_name(domain::ec2_name(*facts.request.instance_type));
  const auto has_gpus = [&](std::string_view type) {
    return std::ranges::any_of(facts.nodes,
                               [&](const auto& node) { return node.instance_type == type && node.gpus > 0; });
  };
  for (const auto& group : facts.groups) {
    if (has_gpus(group.instance_type)) return group.instance_type;
  }
  for (const auto& group : facts.groups) {
    if (looks_like_gpus(group.instance_type)) return group.instance_type;
  }
  for (const auto& node : facts.nodes) {
    if (node.gpus > 0) return node.instance_type;
  }
  if (!facts.groups.empty()) return facts.groups.front().instance_type;
  if (!facts.nodes.empty()) return facts.nodes.front().instance_type;
  return std::nullopt;
}

Result<SettledJob> settle(const SubmitFacts& facts) { return Settler(facts).settle(); }

Result<Plan> plan_submit(const SubmitFacts& facts, const SettledJob& settled, const JobSeen& seen) {
  const JobSpec& spec = settled.spec;
  Plan plan{.kind = std::string(k_training_submit),
            .subject = job_subject(facts.cluster, spec.space, spec.name),
            .summary = fmt::format(
                "Submit the job {}/{}: {} of type {}, {} each.", spec.space, spec.name,
                spec.nodes == 1 ? "one node" : fmt::format("{} nodes", spec.nodes), spec.instance_type,
                spec.gpus_per_node == 1 ? "one GPU" : fmt::format("{} GPUs", spec.gpus_per_node))};
  if (seen.exists && !seen.going) {
    if (!seen.maker || !seen.differences.empty()) return fail(taken(spec, seen));
    plan.summary = fmt::format("The job {}/{} is there as it should be.", spec.space, spec.name);
    return plan;
  }
  auto operators = plan_reconcile({.cluster = facts.cluster, .components = facts.components});
  if (!operators) return fail(operators.error());
  plan.steps = std::move(operators->steps);
  const bool comes = std::ranges::any_of(
      plan.steps, [](const PlannedStep& step) { return step.id == k_operator_component; });
  const auto known = std::ranges::find_if(facts.components, [](const SeenComponent& component) {
    return component.component->name == k_operator_component;
  });
  const bool there = known != facts.components.end() && known->seen.addon && known->seen.addon->exists;
  if (!seen.served && !comes && !there) {
    return fail(codes::conflict,
                fmt::format("The HyperPod training operator is not installed and can't be: {}",
                            operators->warnings.empty() ? "EKS offers none." : operators->warnings.back()));
  }
  plan.warnings = settled.warnings;
  std::ranges::move(operators->warnings, std::back_inserter(plan.warnings));
  add_job_steps(spec, plan);
  return plan;
}

Result<Plan> plan_delete(const DeleteFacts& facts) {
  if (!facts.seen.maker && !facts.foreign) {
    return fail(codes::blocked,
                fmt::format("The job {}/{} was not submitted here: it goes only with foreign.", facts.space,
                            facts.name));
  }
  Plan plan{.kind = std::string(k_job_delete),
            .subject = job_subject(facts.cluster, facts.space, facts.name),
            .summary = fmt::format("Delete the job {}/{}.", facts.space, facts.name)};
  PlannedStep step{.id = "job",
                   .kind = std::string(k_job_removal_step),
                   .title = fmt::format("Stop and delete the job {}/{}", facts.space, facts.name),
                   .effect = StepEffect::remove,
                   .calls = {{"kubernetes:delete", object_of(facts.space, facts.name)}}};
  step.input = encode(JobRemovalInput{.cluster = facts.cluster,
                                      .space = facts.space,
                                      .name = facts.name,
                                      .uid = facts.seen.uid.value_or(""),
                                      .foreign = facts.foreign})
                   .as_object();
  plan.steps.push_back(std::move(step));
  const auto state = facts.seen.state.value_or(JobState::pending);
  if (state == JobState::running || state == JobState::restarting || state == JobState::starting) {
    plan.warnings.emplace_back("It runs: what it did since its last checkpoint is lost.");
  }
  return plan;
}

}  // namespace instantstart::capabilities
