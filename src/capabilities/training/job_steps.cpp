#include "capabilities/training/job_steps.h"

#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/dependencies/owned_object.h"
#include "capabilities/training/job_logs.h"
#include "capabilities/training/job_state.h"
#include "kube/json_access.h"
#include "workload_logs/log_keeper.h"

namespace instantstart::capabilities {
namespace {

using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::History;
using operations::Repeat;
using operations::Resource;
using operations::Step;
using operations::StepContext;
using operations::Wait;

constexpr milliseconds k_poll{3'000};
/// An add-on brings its kind within a minute; with nodes that pull its image, in some.
constexpr milliseconds k_served_by = std::chrono::minutes(30);
/// Pods on a node that is gone stay for as long as it takes the cluster to notice.
constexpr milliseconds k_pods_gone_by = std::chrono::minutes(10);
constexpr std::size_t k_longest_progress = 400;

Resource resource_of(std::string_view space, std::string_view name) {
  return {"kubernetes:hyperpodpytorchjob", fmt::format("{}/{}/{}", k_job_plural, space, name)};
}

Act act(JobRequest request, std::vector<Resource> makes = {}) {
  return {.request = encode(request), .repeat = Repeat::observe, .makes = std::move(makes)};
}

Error taken(const JobSpec& input, const JobSeen& seen) {
  Error error{.code = std::string(codes::name_taken),
              .message = fmt::format("The job {}/{} exists {}.", input.space, input.name,
                                     seen.maker ? "with other content" : "and was not submitted here")};
  json::array differences;
  for (const auto& difference : seen.differences) differences.emplace_back(json::string(difference));
  error.detail["differences"] = std::move(differences);
  return error;
}

Error deleted_meanwhile(const JobSpec& input) {
  return {.code = std::string(codes::conflict),
          .message = fmt::format("The job {}/{} was deleted meanwhile.", input.space, input.name)};
}

Task<json::value> remove_job(JobReader reader, ClusterTarget cluster, std::string space, std::string name,
                             std::string uid, net::Deadline deadline) {
  auto opened = co_await reader.components().kubernetes(std::move(cluster), deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  auto type = co_await JobReader::type(api, deadline);
  if (!type) co_return fail(type.error());
  const json::object receipt{{"uid", uid}};
  if (!*type) co_return receipt;
  // The very job that was looked at, and no other that took its name.
  kube::DeleteOptions options{.uid = uid};
  auto removed =
      co_await api->client().remove(**type, {.space = space, .name = name}, std::move(options), deadline);
  if (!removed && removed.error().code != codes::not_found) {
    co_return fail(within(fmt::format("Delete the job {}/{}", space, name), removed.error()));
  }
  co_return receipt;
}

JobRemovalInput removal_of(const JobSpec& spec) {
  return {.cluster = spec.cluster, .space = spec.space, .name = spec.name, .uid = {}, .foreign = false};
}

class UndoJob final : public Step<JobSpec, JobSeen, JobRequest> {
 public:
  explicit UndoJob(JobReader reader) : reader_(reader) {}

  std::string_view name() const override { return "training_job_undo"; }
  Task<JobSeen> look(const StepContext& context, const JobSpec& input) const override {
    return reader_.seen(input.cluster, input.space, input.name, context.deadline);
  }
  Decision choose(const StepContext& context, const JobSpec& input, const JobSeen& seen,
                  const History& history) const override {
    return choose_job_removal(context.operation_id, removal_of(input), seen, history);
  }
  Task<json::value> send(const StepContext& context, const JobSpec& input,
                         const JobRequest& request) const override {
    return remove_job(reader_, input.cluster, input.space, input.name, request.uid, context.deadline);
  }

 private:
  JobReader reader_;
};

class MakeJob final : public Step<JobSpec, JobSeen, JobRequest> {
 public:
  explicit MakeJob(JobReader reader) : reader_(reader), undo_(reader) {}

  std::string_view name() const override { return k_job_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Task<JobSeen> look(const StepContext& context, const JobSpec& input) const override {
    return reader_.seen(input, context.deadline);
  }
  Decision choose(const StepContext& context, const JobSpec& input, const JobSeen& seen,
                  const History& history) const override {
    return choose_job(context.operation_id, input, seen, history);
  }
  Task<json::value> send(const StepContext& context, const JobSpec& input, const JobRequest&) const override {
    auto opened = co_await reader_.components().kubernetes(input.cluster, context.deadline);
    if (!opened) co_return fail(opened.error());
    const auto api = std::move(*opened);
    auto type = co_await JobReader::type(api, context.deadline);
    if (!type) co_return fail(type.error());
    if (!*type) {
      co_return fail(Error{.code = std::string(codes::unavailable),
                           .message = "The training operator is not there yet.",
                           .retryable = true});
    }
    auto object = job_object(input, (*type)->gvk, context.operation_id);
    auto made = co_await api->client().create(**type, std::move(object), {}, context.deadline);
    if (!made) co_return fail(within(fmt::format("Submit the job {}", input.name), made.error()));
    co_return json::object{{"uid", kube::text_at(made->object, {"metadata", "uid"})}};
  }

 private:
  JobReader reader_;
  UndoJob undo_;
};

class RemoveJob final : public Step<JobRemovalInput, JobSeen, JobRequest> {
 public:
  explicit RemoveJob(JobReader reader) : reader_(reader) {}

  std::string_view name() const override { return k_job_removal_step; }
  Task<JobSeen> look(const StepContext& context, const JobRemovalInput& input) const override {
    return reader_.seen(input.cluster, input.space, input.name, context.deadline);
  }
  Decision choose(const StepContext&, const JobRemovalInput& input, const JobSeen& seen,
                  const History& history) const override {
    return choose_job_removal(std::nullopt, input, seen, history);
  }
  Task<json::value> send(const StepContext& context, const JobRemovalInput& input,
                         const JobRequest& request) const override {
    return remove_job(reader_, input.cluster, input.space, input.name, request.uid, context.deadline);
  }

 private:
  JobReader reader_;
};

class StartJob final : public Step<JobSpec, JobSeen, JobRequest> {
 public:
  explicit StartJob(JobReader reader) : reader_(reader) {}

  std::string_view name() const override { return k_job_start_step; }
  Task<JobSeen> look(const StepContext& context, const JobSpec& input) const override {
    return reader_.seen(input.cluster, input.space, input.name, context.deadline);
  }
  Decision choose(const StepContext&, const JobSpec& input, const JobSeen& seen,
                  const History&) const override {
    return choose_job_start(input, seen);
  }
  Task<json::value> send(const StepContext&, const JobSpec&, const JobRequest&) const override {
    co_return fail(codes::internal, "There is nothing to do but to wait.");
  }

 private:
  JobReader reader_;
};

/// Nothing to look at: to follow what is followed changes nothing.
struct NoSight {};
Type describe(NoSight*) { return object_type<NoSight>("NoSight", "Nothing.", {}); }

class KeepLogs final : public Step<JobSpec, NoSight, NoSight> {
 public:
  explicit KeepLogs(workload_logs::LogKeeper* keeper) : keeper_(keeper) {}

  std::string_view name() const override { return k_job_logs_step; }
  Task<NoSight> look(const StepContext&, const JobSpec&) const override { co_return NoSight{}; }
  Decision choose(const StepContext&, const JobSpec&, const NoSight&, const History& history) const override {
    if (!keeper_) return Done{.output = json::object{{"kept", false}}};
    if (history.receipt) return Done{.output = *history.receipt};
    return Act{.request = encode(NoSight{}), .repeat = Repeat::with_token};
  }
  Task<json::value> send(const StepContext&, const JobSpec& input, const NoSight&) const override {
    const fleet::ClusterRecord cluster{.key = key_of(input.cluster), .profile = input.cluster.profile};
    auto followed = co_await keeper_->follow(log_subject_of(cluster, input.space, input.name));
    // Without a place for logs the job runs all the same.
    if (!followed && followed.error().code == codes::state_unusable) {
      co_return json::object{{"kept", false}, {"reason", followed.error().message}};
    }
    if (!followed) co_return fail(followed.error());
    co_return json::object{{"kept", true}};
  }

 private:
  workload_logs::LogKeeper* keeper_;
};

}  // namespace

Type describe(JobSeen*) {
  return object_type<JobSeen>(
      "JobSeen", "A job.",
      {field<&JobSeen::served>("served", "The server knows the kind."),
       field<&JobSeen::exists>("exists", "It is there."),
       field<&JobSeen::going>("going", "It is being deleted."),
       field<&JobSeen::uid>("uid", "Which one it is."),
       field<&JobSeen::maker>("maker", "Our operation that made it."),
       field<&JobSeen::differences>("differences", "From what is wanted.", {.defaulted = true}),
       field<&JobSeen::state>("state", "How it is."), field<&JobSeen::has_run>("has_run", "Its pods ran."),
       field<&JobSeen::pods>("pods", "Its pods."),
       field<&JobSeen::reasons>("reasons", "In words.", {.defaulted = true})});
}

Type describe(JobRemovalInput*) {
  return object_type<JobRemovalInput>(
      "JobRemovalInput", "Which job shall go.",
      {field<&JobRemovalInput::cluster>("cluster", "Where."),
       field<&JobRemovalInput::space>("namespace", "Its namespace."),
       field<&JobRemovalInput::name>("name", "Its name."), field<&JobRemovalInput::uid>("uid", "This one."),
       field<&JobRemovalInput::foreign>("foreign", "Whoever submitted it.", {.defaulted = true})});
}

Type describe(JobRequest*) {
  return object_type<JobRequest>("JobRequest", "One call about a job.",
                                 {field<&JobRequest::call>("call", "Which one."),
                                  field<&JobRequest::uid>("uid", "Which job.", {.defaulted = true})});
}

Decision choose_job(const std::string& operation_id, const JobSpec& input, const JobSeen& seen,
                    const History& history) {
  if (!seen.served) {
    if (history.since_start < k_served_by) return Wait{k_poll, "Waiting for the training operator"};
    return Blocked{{.code = std::string(codes::unavailable),
                    .message = "The training operator did not bring its kind HyperPodPyTorchJob: see "
                               "dependency_list."}};
  }
  const bool ours = seen.maker == operation_id;
  if (seen.going && ours) return Fail{deleted_meanwhile(input)};
  if (seen.going) return Wait{k_poll, "A job of this name is being deleted"};
  if (!seen.exists && history.receipt) return Fail{deleted_meanwhile(input)};
  if (!seen.exists) return act({.call = "create", .uid = {}}, {resource_of(input.space, input.name)});
  if (!seen.maker || (!ours && !seen.differences.empty())) return Blocked{taken(input, seen)};
  Done done{.output = json::object{{"job", input.name}, {"namespace", input.space}}};
  if (ours) done.owned = {resource_of(input.space, input.name)};
  return done;
}

Decision choose_job_start(const JobSpec& input, const JobSeen& seen) {
  if (!seen.exists || seen.going) return Fail{deleted_meanwhile(input)};
  const JobState state = seen.state.value_or(JobState::pending);
  const std::string words = shortened(join(seen.reasons, "; "), k_longest_progress);
  const auto done = [&] {
    json::object output{{"state", encode(state)}};
    if (!words.empty()) output["reason"] = words;
    return Done{.output = std::move(output)};
  };
  switch (state) {
    case JobState::starting:
    case JobState::running:
    case JobState::restarting:
    case JobState::succeeded: return done();
    case JobState::failed:
      if (seen.has_run) return done();
      return Fail{{.code = std::string(codes::conflict),
                   .message = fmt::format("The job failed before its pods ran: {}", words)}};
    case JobState::suspended:
      return Wait{k_poll, words.empty() ? "The job is suspended" : "The job is suspended: " + words};
    case JobState::pending:
    case JobState::stopping: break;
  }
  return Wait{k_poll, words.empty() ? "Waiting for its pods" : words};
}

Decision choose_job_removal(const std::optional<std::string>& only_operation, const JobRemovalInput& input,
                            const JobSeen& seen, const History& history) {
  Done done{.output = json::object()};
  const bool another = !input.uid.empty() && seen.uid != input.uid;
  if (seen.exists && only_operation && seen.maker != *only_operation) return done;
  if (seen.exists && !another) {
    if (!only_operation && !seen.maker && !input.foreign) {
      return Blocked{
          {.code = std::string(codes::blocked),
           .message = fmt::format("The job {}/{} was not submitted here.", input.space, input.name)}};
    }
    if (seen.going) return Wait{k_poll, "The job is being deleted"};
    return act({.call = "delete", .uid = seen.uid.value_or("")});
  }
  if (!seen.exists && seen.pods > 0 && history.since_start < k_pods_gone_by) {
    return Wait{k_poll, fmt::format("{} {} still ending", seen.pods, seen.pods == 1 ? "pod is" : "pods are")};
  }
  if (!seen.exists && seen.pods > 0) done.output = json::object{{"pods_left", seen.pods}};
  done.removed = {resource_of(input.space, input.name)};
  return done;
}

std::unique_ptr<const operations::StepKind> job_step(JobReader reader) {
  return std::make_unique<MakeJob>(reader);
}
std::unique_ptr<const operations::StepKind> job_logs_step(workload_logs::LogKeeper* keeper) {
  return std::make_unique<KeepLogs>(keeper);
}
std::unique_ptr<const operations::StepKind> job_start_step(JobReader reader) {
  return std::make_unique<StartJob>(reader);
}
std::unique_ptr<const operations::StepKind> job_removal_step(JobReader reader) {
  return std::make_unique<RemoveJob>(reader);
}

}  // namespace instantstart::capabilities
