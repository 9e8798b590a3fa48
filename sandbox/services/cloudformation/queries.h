// What CloudFormation answers about stacks, events, resources and templates.
#pragma once

#include "sandbox/services/cloudformation/records.h"

namespace instantstart::sandbox::cloudformation {

Reply<api::DescribeStacksOutput> describe_stacks(State& state, const Call& call,
                                                 const api::DescribeStacksInput& in);
/// 100 a page, newest first.
Reply<api::DescribeStackEventsOutput> describe_stack_events(State& state, const Call& call,
                                                            const api::DescribeStackEventsInput& in);
Reply<api::DescribeStackResourcesOutput> describe_stack_resources(State& state, const Call& call,
                                                                  const api::DescribeStackResourcesInput& in);
Reply<api::ListStackResourcesOutput> list_stack_resources(State& state, const Call& call,
                                                          const api::ListStackResourcesInput& in);
Reply<api::ListStacksOutput> list_stacks(State& state, const Call& call, const api::ListStacksInput& in);
Reply<api::GetTemplateOutput> get_template(State& state, const Call& call, const api::GetTemplateInput& in);
/// Of a template, or of a stack's; `aws cloudformation deploy` asks it for the parameters.
Reply<api::GetTemplateSummaryOutput> get_template_summary(State& state, const Call& call,
                                                          const api::GetTemplateSummaryInput& in);
Reply<api::ValidateTemplateOutput> validate_template(State& state, const Call& call,
                                                     const api::ValidateTemplateInput& in);

}  // namespace instantstart::sandbox::cloudformation
