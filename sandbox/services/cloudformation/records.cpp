#include "sandbox/services/cloudformation/records.h"

#include <chrono>

#include <fmt/format.h>

#include "base/text.h"

namespace instantstart::sandbox::cloudformation {

Type describe(Task*) {
  return enum_type<Task>("Task", "What is to become of a resource.",
                         {{Task::none, {"none", "Nothing."}},
                          {Task::create, {"create", "It is made."}},
                          {Task::update, {"update", "It is changed or replaced."}},
                          {Task::remove, {"remove", "It is deleted."}}});
}

Type describe(Stage*) {
  return enum_type<Stage>("Stage", "How far a task is.",
                          {{Stage::waiting, {"waiting", "Not begun."}},
                           {Stage::starting, {"starting", "Shown as in progress, nothing sent."}},
                           {Stage::working, {"working", "Sent, not settled."}},
                           {Stage::over, {"over", "Over."}}});
}

Type describe(ResourceRecord*) {
  using R = ResourceRecord;
  return object_type<R>(
      "ResourceRecord", "A resource of a stack.",
      {field<&R::logical_id>("logical_id", "Its name in the template."),
       field<&R::type>("type", "AWS::EC2::VPC."), field<&R::physical_id>("physical_id", "What Ref gives."),
       field<&R::status>("status", "CREATE_COMPLETE."), field<&R::status_reason>("status_reason", "Why."),
       field<&R::updated_at>("updated_at", "When the status began."),
       field<&R::properties>("properties", "As last sent."),
       field<&R::attributes>("attributes", "What Fn::GetAtt gives."),
       field<&R::tags>("tags", "All of its tags."), field<&R::depends_on>("depends_on", "Logical ids."),
       field<&R::deletion_policy>("deletion_policy", "DeletionPolicy."),
       field<&R::update_replace_policy>("update_replace_policy", "UpdateReplacePolicy."),
       field<&R::obsolete>("obsolete", "The clean-up deletes it."),
       field<&R::task>("task", "What is to become of it."), field<&R::stage>("stage", "How far the task is."),
       field<&R::attempts>("attempts", "Calls put off in a row."),
       field<&R::replacing>("replacing", "The update makes a new one.")});
}

Type describe(Phase*) {
  return enum_type<Phase>(
      "Phase", "What the stack's operation is at.",
      {{Phase::idle, {"idle", "No operation runs."}},
       {Phase::create, {"create", "Making."}},
       {Phase::rollback, {"rollback", "Deleting after a failed creation."}},
       {Phase::update, {"update", "Changing."}},
       {Phase::update_cleanup, {"update_cleanup", "Deleting what an update left."}},
       {Phase::update_rollback, {"update_rollback", "Changing back."}},
       {Phase::update_rollback_cleanup, {"update_rollback_cleanup", "Deleting what a failed update made."}},
       {Phase::remove, {"remove", "Deleting."}}});
}

Type describe(Definition*) {
  return object_type<Definition>("Definition", "A template with its parameters and tags.",
                                 {field<&Definition::body>("body", "The template as it was sent."),
                                  field<&Definition::parameters>("parameters", "Values by name."),
                                  field<&Definition::tags>("tags", "Of the stack.")});
}

Type describe(StackWork*) {
  using W = StackWork;
  return object_type<W>(
      "StackWork", "The work on a stack.",
      {field<&W::region>("region", "Where."), field<&W::principal_arn>("principal_arn", "For whom."),
       field<&W::principal_id>("principal_id", "For whom."),
       field<&W::access_key_id>("access_key_id", "Of the call that began it."),
       field<&W::definition>("definition", "What it is, or is becoming."),
       field<&W::resources>("resources", "By slot."), field<&W::phase>("phase", "What is going on."),
       field<&W::on_failure>("on_failure", "What a failed creation becomes."),
       field<&W::keeps_failed_update>("keeps_failed_update", "A failed update stays."),
       field<&W::token>("token", "ClientRequestToken."), field<&W::retained>("retained", "RetainResources."),
       field<&W::planned_code>("planned_code", "Of the fault plan."),
       field<&W::planned_message>("planned_message", "Of the fault plan."),
       field<&W::before>("before", "What a rollback goes back to."),
       field<&W::resources_before>("resources_before", "By slot."),
       field<&W::events>("events", "How many so far.")});
}

Type describe(ChangeSetRecord*) {
  using C = ChangeSetRecord;
  return object_type<C>(
      "ChangeSetRecord", "A change set.",
      {field<&C::stack_key>("stack_key", "Of its stack."), field<&C::type>("type", "CREATE or UPDATE."),
       field<&C::definition>("definition", "What the stack would become."),
       field<&C::capabilities>("capabilities", "Acknowledged."),
       field<&C::on_failure>("on_failure", "OnStackFailure."),
       field<&C::shown>("shown", "What DescribeChangeSet answers.")});
}

Type describe(UsedToken*) {
  return object_type<UsedToken>("UsedToken", "A ClientRequestToken that was used.",
                                {field<&UsedToken::operation>("operation", "CreateStack."),
                                 field<&UsedToken::request>("request", "Its digest."),
                                 field<&UsedToken::stack_id>("stack_id", "The answer.")});
}

State::State(World& the_world, InternalCalls& the_calls)
    : world(the_world),
      calls(the_calls),
      stacks(world, "cloudformation.stack"),
      work(world, "cloudformation.work"),
      events(world, "cloudformation.event"),
      change_sets(world, "cloudformation.change_set"),
      tokens(world, "cloudformation.token") {}

std::string stack_key(std::string_view stack_id) {
  // arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/UUID
  const auto parts = split(stack_id, ':');
  if (parts.size() != 6 || !parts[5].starts_with("stack/")) return {};
  return fmt::format("{}/{}", parts[3], parts[5].substr(6));
}

std::string event_key(std::string_view stack_key, std::int64_t number) {
  return fmt::format("{}#{:010}", stack_key, number);
}

aws::Timestamp timestamp(WallTime time) { return {time}; }

}  // namespace instantstart::sandbox::cloudformation
