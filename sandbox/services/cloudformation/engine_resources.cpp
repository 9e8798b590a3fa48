// The way of one resource through its task.
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/services/cloudformation/engine.h"
#include "sandbox/services/cloudformation/errors.h"
#include "sandbox/services/cloudformation/resources/requests.h"

namespace instantstart::sandbox::cloudformation {
namespace {

constexpr milliseconds k_time_to_send = std::chrono::seconds(1);
constexpr milliseconds k_time_between_looks = std::chrono::seconds(5);
/// So many calls that something in use puts off, 5 s apart: half an hour.
constexpr std::int64_t k_most_attempts = 360;
constexpr std::string_view k_not_stabilized = "NotStabilized";
constexpr std::string_view k_replacement_reason =
    "Requested update requires the creation of a new physical resource; hence creating one.";

std::string_view handler_error_code(const AwsFault& fault) {
  if (fault.code == k_not_stabilized) return "NotStabilized";
  if (is_absent(fault)) return "NotFound";
  const std::string_view code = fault.code;
  if (code.contains("AlreadyExists") || code.contains("Duplicate")) return "AlreadyExists";
  if (code.contains("LimitExceeded")) return "ServiceLimitExceeded";
  if (code.contains("AccessDenied") || code.contains("UnauthorizedOperation")) return "AccessDenied";
  if (code.contains("Throttl") || code == "RequestLimitExceeded") return "Throttling";
  return "InvalidRequest";
}

Made made_of(const ResourceRecord& record) { return {record.physical_id, record.attributes}; }

void add_attributes(ResourceRecord& record, const json::object& attributes) {
  for (const auto& [name, value] : attributes) record.attributes.insert_or_assign(name, value);
}

/// Properties that the type doesn't have or that are missing.
std::optional<std::string> refuse_properties(const ResourceType& type, const std::string& logical_id,
                                             const json::object& properties) {
  for (const auto& [name, ignored] : properties) {
    if (!type.property(name))
      return fmt::format("Encountered unsupported property {}", std::string_view(name));
  }
  for (const auto& property : type.properties) {
    if (!property.required || properties.contains(property.name)) continue;
    return fmt::format(
        "Properties validation failed for resource {} with message: [#: required key [{}] not found]",
        logical_id, property.name);
  }
  return std::nullopt;
}

bool needs_replacement(const ResourceType& type, const json::object& before, const json::object& after) {
  for (const auto& property : type.properties) {
    if (property.update == Update::replacement && differs(before, after, property.name)) return true;
  }
  return false;
}

/// A slot that is free: "Vpc~1".
std::string free_slot(const Resources& resources, const std::string& logical_id) {
  int number = 1;
  while (resources.contains(fmt::format("{}~{}", logical_id, number))) ++number;
  return fmt::format("{}~{}", logical_id, number);
}

}  // namespace

std::string handler_message(World& world, std::string_view type, const AwsFault& fault) {
  const auto parts = split(type, ':');
  const std::string_view service = parts.size() > 2 ? parts[2] : type;  // AWS::EC2::Vpc
  const std::string_view name = service == "EC2" ? "Ec2" : service == "IAM" ? "Iam" : "Eks";
  if (fault.code == k_not_stabilized) {
    return fmt::format("Resource handler returned message: \"{}\" (RequestToken: {}, HandlerErrorCode: {})",
                       fault.message, world.make_request_id(), handler_error_code(fault));
  }
  return fmt::format(
      "Resource handler returned message: \"{} (Service: {}, Status Code: {}, Request ID: {})\" "
      "(RequestToken: "
      "{}, HandlerErrorCode: {})",
      fault.message, name, fault.http_status == 0 ? 400 : fault.http_status, world.make_request_id(),
      world.make_request_id(), handler_error_code(fault));
}

void Engine::begin_task(StackRun& run, const std::string& slot) {
  ResourceRecord& record = run.work.resources.at(slot);
  record.attempts = 0;
  if (record.task == Task::update) return begin_update_task(run, slot);
  if (record.task == Task::remove) return begin_removal_task(run, slot);
  if (const auto resolved = target(run, slot)) record.properties = resolved->properties;
  record.stage = Stage::starting;
  run.resource_event(record, "CREATE_IN_PROGRESS");
  state_.world.set_timer(k_resource_timer, resource_timer_key(run.key(), slot), k_time_to_send);
}

void Engine::begin_update_task(StackRun& run, const std::string& slot) {
  ResourceRecord& record = run.work.resources.at(slot);
  const auto wanted = target(run, slot);
  if (!wanted) return failed(run, slot, wanted.error().message);
  const ResourceType& type = *find_resource_type(record.type);
  // What has failed is not what its properties say: an update tries again, a failed creation is made anew.
  const bool broken = record.status.ends_with("_FAILED");
  const bool same =
      !broken && record.tags == wanted->tags &&
      to_canonical_text(json::value(record.properties)) == to_canonical_text(json::value(wanted->properties));
  if (same) {
    record.stage = Stage::over;
    return;
  }
  record.replacing =
      run.work.phase == Phase::update &&
      (record.status == "CREATE_FAILED" || needs_replacement(type, record.properties, wanted->properties));
  record.stage = Stage::starting;
  run.resource_event(record, "UPDATE_IN_PROGRESS",
                     record.replacing ? std::optional<std::string>(k_replacement_reason) : std::nullopt);
  state_.world.set_timer(k_resource_timer, resource_timer_key(run.key(), slot), k_time_to_send);
}

void Engine::begin_removal_task(StackRun& run, const std::string& slot) {
  ResourceRecord& record = run.work.resources.at(slot);
  const bool was_just_made =
      run.work.phase == Phase::rollback || run.work.phase == Phase::update_rollback_cleanup;
  const bool kept = record.deletion_policy == "Retain" ||
                    (record.deletion_policy == "RetainExceptOnCreate" && !was_just_made) ||
                    without({record.logical_id}, run.work.retained).empty();
  if (kept) {
    record.stage = Stage::over;
    run.resource_event(record, "DELETE_SKIPPED");
    return;
  }
  record.stage = Stage::starting;
  run.resource_event(record, "DELETE_IN_PROGRESS");
  state_.world.set_timer(k_resource_timer, resource_timer_key(run.key(), slot), k_time_to_send);
}

Reply<Resolved> Engine::target(StackRun& run, const std::string& slot) {
  const ResourceRecord& record = run.work.resources.at(slot);
  if (run.work.phase == Phase::update_rollback) {
    const ResourceRecord& before = run.work.resources_before.at(slot);
    return Resolved{before.properties, before.tags};
  }
  const auto resolver = run.resolver();
  if (!resolver) return std::unexpected(resolver.error());
  return (*resolver)->resource(record.logical_id);
}

void Engine::act(StackRun& run, const std::string& slot) {
  const ResourceRecord& record = run.work.resources.at(slot);
  if (record.task == Task::remove) return send_removal(run, slot);
  if (record.stage == Stage::working) return check(run, slot);
  if (record.task == Task::create || record.replacing) return send_create(run, slot);
  send_update(run, slot);
}

void Engine::send_create(StackRun& run, const std::string& slot) {
  ResourceRecord& record = run.work.resources.at(slot);
  const ResourceType& type = *find_resource_type(record.type);
  auto wanted = target(run, slot);
  if (!wanted) return failed(run, slot, wanted.error().message);
  if (auto refusal = refuse_properties(type, record.logical_id, wanted->properties)) {
    return failed(run, slot, std::move(*refusal));
  }
  if (run.work.planned_code) {
    std::string reason = run.work.planned_message.value_or(*run.work.planned_code);
    run.work.planned_code.reset();
    run.work.planned_message.reset();
    return failed(run, slot, std::move(reason));
  }
  auto made = type.create(run.context(record, wanted->tags), wanted->properties);
  if (!made) {
    if (put_off(run, slot, made.error())) return;
    return failed(run, slot, handler_message(state_.world, record.type, made.error()));
  }
  if (record.replacing) {
    ResourceRecord old = record;
    old.obsolete = true;
    old.task = Task::none;
    old.stage = Stage::over;
    old.replacing = false;
    old.deletion_policy = old.update_replace_policy;
    run.work.resources.emplace(free_slot(run.work.resources, slot), std::move(old));
  }
  record.physical_id = std::move(made->physical_id);
  record.attributes = std::move(made->attributes);
  record.properties = std::move(wanted->properties);
  record.tags = std::move(wanted->tags);
  record.stage = Stage::working;
  run.resource_event(record, record.replacing ? "UPDATE_IN_PROGRESS" : "CREATE_IN_PROGRESS",
                     "Resource creation Initiated");
  state_.world.set_timer(k_resource_timer, resource_timer_key(run.key(), slot), type.time_to_create);
}

void Engine::send_update(StackRun& run, const std::string& slot) {
  ResourceRecord& record = run.work.resources.at(slot);
  const ResourceType& type = *find_resource_type(record.type);
  auto wanted = target(run, slot);
  if (!wanted) return failed(run, slot, wanted.error().message);
  if (auto refusal = refuse_properties(type, record.logical_id, wanted->properties)) {
    return failed(run, slot, std::move(*refusal));
  }
  ResourceContext context = run.context(record, wanted->tags);
  context.tags_before = record.tags;
  Reply<Made> changed = made_of(record);
  if (type.update) changed = type.update(context, made_of(record), record.properties, wanted->properties);
  if (!changed && put_off(run, slot, changed.error())) return;
  // What was sent may have been done in part: a rollback goes back from here.
  record.properties = std::move(wanted->properties);
  record.tags = std::move(wanted->tags);
  if (!changed) return failed(run, slot, handler_message(state_.world, record.type, changed.error()));
  record.physical_id = changed->physical_id;
  add_attributes(record, changed->attributes);
  record.stage = Stage::working;
  state_.world.set_timer(k_resource_timer, resource_timer_key(run.key(), slot), k_time_to_send);
}

void Engine::check(StackRun& run, const std::string& slot) {
  ResourceRecord& record = run.work.resources.at(slot);
  const ResourceType& type = *find_resource_type(record.type);
  if (!type.check) return settled(run, slot);
  const auto progress = type.check(run.context(record, record.tags), made_of(record), record.properties);
  if (!progress) {
    if (put_off(run, slot, progress.error())) return;
    return failed(run, slot, handler_message(state_.world, record.type, progress.error()));
  }
  add_attributes(record, progress->attributes);
  if (progress->done) return settled(run, slot);
  record.attempts = 0;
  state_.world.set_timer(k_resource_timer, resource_timer_key(run.key(), slot), k_time_between_looks);
}

void Engine::send_removal(StackRun& run, const std::string& slot) {
  ResourceRecord& record = run.work.resources.at(slot);
  const ResourceType& type = *find_resource_type(record.type);
  record.stage = Stage::working;
  const auto progress = type.remove(run.context(record, record.tags), made_of(record), record.properties);
  if (!progress && !is_absent(progress.error())) {
    if (put_off(run, slot, progress.error())) return;
    return failed(run, slot, handler_message(state_.world, record.type, progress.error()));
  }
  if (!progress || progress->done) return settled(run, slot);
  record.attempts = 0;
  state_.world.set_timer(k_resource_timer, resource_timer_key(run.key(), slot), k_time_between_looks);
}

bool Engine::put_off(StackRun& run, const std::string& slot, const AwsFault& fault) {
  ResourceRecord& record = run.work.resources.at(slot);
  // To a new resource "in use" says that its name is taken, which doesn't pass.
  const bool is_new = record.stage == Stage::starting && (record.task == Task::create || record.replacing);
  if (is_new || !is_passing(fault) || ++record.attempts > k_most_attempts) return false;
  state_.world.set_timer(k_resource_timer, resource_timer_key(run.key(), slot), k_time_between_looks);
  return true;
}

void Engine::settled(StackRun& run, const std::string& slot) {
  ResourceRecord& record = run.work.resources.at(slot);
  record.stage = Stage::over;
  record.replacing = false;
  switch (record.task) {
    case Task::create: run.resource_event(record, "CREATE_COMPLETE"); break;
    case Task::update: run.resource_event(record, "UPDATE_COMPLETE"); break;
    case Task::remove: run.resource_event(record, "DELETE_COMPLETE"); break;
    case Task::none: break;
  }
  advance(run);
}

void Engine::failed(StackRun& run, const std::string& slot, std::string reason) {
  ResourceRecord& record = run.work.resources.at(slot);
  record.stage = Stage::over;
  if (record.task == Task::remove) {
    run.resource_event(record, "DELETE_FAILED", std::move(reason));
    return advance(run);
  }
  const bool is_update = record.task == Task::update;
  run.resource_event(record, is_update ? "UPDATE_FAILED" : "CREATE_FAILED", std::move(reason));
  std::vector<std::string> all{record.logical_id};
  for (auto& [name, other] : run.work.resources) {
    if (!other.is_under_way() || name == slot) continue;
    other.stage = Stage::over;
    state_.world.cancel_timer(k_resource_timer, resource_timer_key(run.key(), name));
    if (other.task == Task::create) {
      run.resource_event(other, "CREATE_FAILED", "Resource creation cancelled");
    } else {
      run.resource_event(other, "UPDATE_FAILED", "Resource update cancelled");
    }
    all.push_back(other.logical_id);
  }
  fail_forward(run, all);
}

}  // namespace instantstart::sandbox::cloudformation
