#include "sandbox/services/cloudformation/cloudformation.h"

#include "sandbox/services/cloudformation/change_sets.h"
#include "sandbox/services/cloudformation/queries.h"
#include "sandbox/services/cloudformation/stacks.h"

namespace instantstart::sandbox::cloudformation {

template <class Op>
void CloudFormation::ask(Reply<typename Op::Output> (*handler)(State&, const Call&,
                                                               const typename Op::Input&)) {
  on<Op>(
      [this, handler](const Call& call, const typename Op::Input& in) { return handler(state_, call, in); });
}

template <class Op>
void CloudFormation::change(Reply<typename Op::Output> (*handler)(State&, Engine&, const Call&,
                                                                  const typename Op::Input&)) {
  on<Op>([this, handler](const Call& call, const typename Op::Input& in) {
    return handler(state_, engine_, call, in);
  });
}

CloudFormation::CloudFormation(World& world, InternalCalls& calls)
    : Service(aws::cloudformation::service()), state_(world, calls), engine_(state_) {
  world.on_timer(std::string(k_change_set_timer),
                 [this](const std::string& key) { advance_change_set(state_, key); });
  change<api::CreateStack>(&create_stack);
  change<api::UpdateStack>(&update_stack);
  change<api::DeleteStack>(&delete_stack);
  change<api::UpdateTerminationProtection>(&update_termination_protection);
  change<api::CreateChangeSet>(&create_change_set);
  change<api::DescribeChangeSet>(&describe_change_set);
  change<api::ExecuteChangeSet>(&execute_change_set);
  change<api::DeleteChangeSet>(&delete_change_set);
  ask<api::DescribeStacks>(&describe_stacks);
  ask<api::DescribeStackEvents>(&describe_stack_events);
  ask<api::DescribeStackResources>(&describe_stack_resources);
  ask<api::ListStackResources>(&list_stack_resources);
  ask<api::ListStacks>(&list_stacks);
  ask<api::GetTemplate>(&get_template);
  ask<api::GetTemplateSummary>(&get_template_summary);
  ask<api::ValidateTemplate>(&validate_template);
}

}  // namespace instantstart::sandbox::cloudformation
