#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/dependencies/call_errors.h"
#include "capabilities/storage/data_volume.h"
#include "capabilities/training/job_logs.h"
#include "capabilities/training/job_plan.h"
#include "capabilities/training/job_reader.h"
#include "capabilities/training/job_state.h"
#include "capabilities/training/job_steps.h"
#include "capabilities/training/training.h"
#include "contract/page.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

using contract::Caller;
using contract::PageOptions;
using workload_logs::LogKeeper;

std::string id_of(const JobSummary& job) { return fmt::format("{}/{}", job.space, job.name); }

Task<JobListAnswer> list(JobReader reader, fleet::Fleet& fleet, net::Deadline deadline, JobList request,
                         PageOptions page) {
  auto record = co_await fleet.find(std::move(request.cluster.value));
  if (!record) co_return fail(record.error());
  auto jobs = co_await reader.jobs(target_of(*record), request.space ? request.space->value : "", deadline);
  if (!jobs) co_return fail(jobs.error());
  auto part = contract::page_of(std::move(*jobs), page, id_of);
  co_return JobListAnswer{.cluster = domain::to_text(record->key),
                          .jobs = std::move(part.items),
                          .next_cursor = std::move(part.next_cursor)};
}

std::vector<NextAction> next_of(const std::string& cluster, const JobView& job) {
  const json::object which{{"cluster", cluster}, {"name", job.name}, {"namespace", job.space}};
  std::vector<NextAction> next;
  const auto add = [&](const char* action, const char* why) { next.push_back({action, which, why}); };
  switch (job.state) {
    case JobState::failed:
      add("job_logs", "See what its ranks printed last.");
      add("job_delete", "Delete it, to submit it again under its name.");
      break;
    case JobState::succeeded: add("job_logs", "See what its ranks printed."); break;
    case JobState::stopping: break;
    case JobState::pending:
    case JobState::suspended: add("job_get", "Look again whether it runs."); break;
    default: add("job_logs", "See what its ranks print."); add("job_get", "Look again how far it is.");
  }
  return next;
}

Task<JobGetAnswer> get(JobReader reader, fleet::Fleet& fleet, LogKeeper* keeper, net::Deadline deadline,
                       JobGet request) {
  auto record = co_await fleet.find(std::move(request.cluster.value));
  if (!record) co_return fail(record.error());
  auto found = co_await reader.job(target_of(*record), request.space.value, request.name.value, deadline);
  if (!found) co_return fail(found.error());
  JobGetAnswer answer{.cluster = domain::to_text(record->key),
                      .job = job_view(found->job, found->pods, found->events)};
  if (keeper) {
    auto progress =
        co_await look_at_progress(*keeper, log_name_of(record->key, request.space.value, request.name.value));
    // What is kept of the output is beside the point: the job is told without it.
    if (progress) answer.job.progress = std::move(*progress);
  }
  answer.next = next_of(answer.cluster, answer.job);
  co_return answer;
}

Task<std::vector<SeenComponent>> look_at_operator(JobReader reader, ClusterTarget cluster,
                                                  net::Deadline deadline) {
  std::vector<SeenComponent> components;
  const auto wanted = with_needs({k_operator_component});
  for (const auto* component : wanted) {
    auto seen = co_await reader.components().look(cluster, *component, {}, deadline);
    if (!seen) co_return fail(within(fmt::format("Look at {}", component->name), seen.error()));
    components.push_back({component, std::move(*seen)});
  }
  co_return components;
}

/// Of the nodes and groups, and of the type where none of its nodes tells what it has.
Task<> add_nodes(JobReader reader, SubmitFacts& facts, net::Deadline deadline) {
  auto nodes = co_await reader.nodes(facts.cluster, deadline);
  if (!nodes) co_return fail(nodes.error());
  facts.nodes = std::move(*nodes);
  auto groups = co_await reader.groups(facts.cluster, deadline);
  if (!groups) co_return fail(groups.error());
  facts.groups = std::move(*groups);
  const auto chosen = choose_instance_type(facts);
  if (!chosen) co_return Result<>{};
  const bool told = std::ranges::any_of(
      facts.nodes, [&](const auto& node) { return node.instance_type == *chosen && node.gpus > 0; });
  if (told) co_return Result<>{};
  auto type = co_await reader.type_facts(
      facts.cluster, std::string(domain::ec2_name(domain::InstanceType{*chosen})), deadline);
  if (!type) co_return fail(type.error());
  facts.type = *type;
  co_return Result<>{};
}

}  // namespace

Task<contract::Plan> plan_training_submit(aws::Accounts& accounts, fleet::Fleet& fleet,
                                          kube::EksClusters& clusters, Caller caller,
                                          TrainingSubmit request) {
  auto record = co_await fleet.find(request.cluster.value);
  if (!record) co_return fail(record.error());
  const JobReader reader(accounts, clusters);
  SubmitFacts facts{.request = std::move(request), .cluster = target_of(*record)};
  auto nodes = co_await add_nodes(reader, facts, caller.deadline);
  if (!nodes) co_return fail(nodes.error());
  const std::string space = facts.request.space.value;
  auto has_namespace = co_await reader.components().has_namespace(facts.cluster, space, caller.deadline);
  if (!has_namespace) co_return fail(has_namespace.error());
  facts.namespace_exists = *has_namespace;
  auto data = co_await look_for_data_volume(accounts, clusters, facts.cluster, space, caller.deadline);
  if (!data) co_return fail(data.error());
  if (*data) {
    facts.data_claim = kube::text_at((*data)->volume, {"persistentVolumeClaim", "claimName"});
    facts.data_read_only = kube::flag_at((*data)->mount, {"readOnly"});
  }
  auto settled = settle(facts);
  if (!settled) co_return fail(settled.error());
  auto seen = co_await reader.seen(settled->spec, caller.deadline);
  if (!seen) co_return fail(seen.error());
  auto components = co_await look_at_operator(reader, facts.cluster, caller.deadline);
  if (!components) co_return fail(components.error());
  facts.components = std::move(*components);
  co_return plan_submit(facts, *settled, *seen);
}

Task<contract::Plan> plan_job_delete(aws::Accounts& accounts, fleet::Fleet& fleet,
                                     kube::EksClusters& clusters, Caller caller, JobDelete request) {
  auto record = co_await fleet.find(request.cluster.value);
  if (!record) co_return fail(record.error());
  const JobReader reader(accounts, clusters);
  DeleteFacts facts{.cluster = target_of(*record),
                    .space = request.space.value,
                    .name = request.name.value,
                    .foreign = request.foreign};
  auto seen = co_await reader.seen(facts.cluster, facts.space, facts.name, caller.deadline);
  if (!seen) co_return fail(seen.error());
  if (!seen->exists) {
    auto found = co_await reader.job(facts.cluster, facts.space, facts.name, caller.deadline);
    if (!found) co_return fail(found.error());
  }
  facts.seen = std::move(*seen);
  co_return plan_delete(facts);
}

std::vector<contract::Action> training_actions(aws::Accounts* accounts, fleet::Fleet* fleet,
                                               kube::EksClusters* clusters, LogKeeper* keeper) {
  std::vector<contract::Action> actions;
  actions.push_back(contract::change_action<TrainingSubmit>(
      {.name = "training_submit",
       .path = "/clusters/{cluster}/jobs",
       .summary = "Run a PyTorch script on the GPUs of one or many nodes.",
       .doc = "It makes a HyperPodPyTorchJob, and brings in place the training operator where that is "
              "missing. What "
              "storage_mount put at /data of the namespace is there in each pod. The job is checked against "
              "the very "
              "nodes first; everything that can't be is told at once. The operation ends when the pods run; "
              "then "
              "job_get tells how far the job is, and job_logs what it prints. The same job again changes "
              "nothing.",
       .status_action = "operation_get",
       .operation_kind = std::string(k_training_submit),
       .errors = cluster_call_errors({"name_taken"}),
       .example = {{"cluster", "demo"},
                   {"name", "llama-sft"},
                   {"image", "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:2.7.1"},
                   {"script", "/data/train.py"},
                   {"script_arguments", json::array{"--epochs=3"}},
                   {"nodes", 2}}},
      [accounts, fleet, clusters](Caller caller, TrainingSubmit request) {
        return plan_training_submit(*accounts, *fleet, *clusters, std::move(caller), std::move(request));
      }));
  actions.push_back(contract::read_action<JobList, JobListAnswer>(
      {.name = "job_list",
       .path = "/clusters/{cluster}/jobs",
       .summary = "Training jobs of a cluster, whoever submitted them.",
       .doc =
           "States are as the training operator says them; job_get tells why a job doesn't run. It changes "
           "nothing.",
       .paged = true,
       .errors = cluster_call_errors(),
       .example = {{"cluster", "demo"}}},
      [accounts, fleet, clusters](Caller caller, JobList request, PageOptions page) {
        return list(JobReader(*accounts, *clusters), *fleet, caller.deadline, std::move(request),
                    std::move(page));
      }));
  actions.push_back(contract::read_action<JobGet, JobGetAnswer>(
      {.name = "job_get",
       .path = "/clusters/{cluster}/jobs/{name}",
       .summary = "One training job: state and why, pods, restarts used and left, progress.",
       .doc = "Use it after training_submit until the state is succeeded or failed. Each restart of ranks "
              "counts "
              "against the budget (restarts); at none left the next failure ends the job. log_finding tells "
              "what a "
              "rule of log_monitoring found, as a hang. It changes nothing.",
       .errors = cluster_call_errors(),
       .example = {{"cluster", "demo"}, {"name", "llama-sft"}}},
      [accounts, fleet, clusters, keeper](Caller caller, JobGet request) {
        return get(JobReader(*accounts, *clusters), *fleet, keeper, caller.deadline, std::move(request));
      }));
  actions.push_back(contract::change_action<JobDelete>(
      {.name = "job_delete",
       .path = "/clusters/{cluster}/jobs/{name}",
       .summary = "Stop a training job and delete it, with its pods.",
       .doc = "What it wrote to /data stays, and so do its logs here. A job that was not submitted here goes "
              "only "
              "with foreign.",
       .effect = contract::Effect::destroy,
       .method = "DELETE",
       .status_action = "operation_get",
       .operation_kind = std::string(k_job_delete),
       .errors = cluster_call_errors({"blocked"}),
       .example = {{"cluster", "demo"}, {"name", "llama-sft"}}},
      [accounts, fleet, clusters](Caller caller, JobDelete request) {
        return plan_job_delete(*accounts, *fleet, *clusters, std::move(caller), std::move(request));
      }));
  return actions;
}

void add_training_kinds(operations::KindRegistry& kinds, aws::Accounts& accounts, kube::EksClusters& clusters,
                        LogKeeper* keeper) {
  const JobReader reader(accounts, clusters);
  kinds.add(
      operations::OperationKind{.name = std::string(k_training_submit), .scope = operations::Scope::leaf});
  kinds.add(operations::OperationKind{
      .name = std::string(k_job_delete), .scope = operations::Scope::leaf, .removes = true});
  kinds.add(job_step(reader));
  kinds.add(job_logs_step(keeper));
  kinds.add(job_start_step(reader));
  kinds.add(job_removal_step(reader));
}

}  // namespace instantstart::capabilities
