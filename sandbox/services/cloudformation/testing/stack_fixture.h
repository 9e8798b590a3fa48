// CloudFormation in virtual time over the simulated EC2 and IAM and a small EKS, with short forms of what
// tests do all the time.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/core/faults.h"
#include "sandbox/core/internal_calls.h"
#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/services/cloudformation/cloudformation.h"
#include "sandbox/services/cloudformation/testing/fake_eks.h"
#include "sandbox/services/ec2/ec2.h"
#include "sandbox/services/iam/iam.h"

namespace instantstart::sandbox::cloudformation {

class StackFixture : public WorldFixture {
 protected:
  /// One start of the process.
  struct Services {
    explicit Services(World& world, FakeEks& eks)
        : faults(world), ec2(world), iam(world), calls(world, faults), cloudformation(world, calls) {
      calls.add(ec2);
      calls.add(iam);
      calls.add(eks);
    }
    FaultPlan faults;
    ec2::Ec2 ec2;
    iam::Iam iam;
    InternalCalls calls;
    CloudFormation cloudformation;
  };

  void SetUp() override { restart(); }
  void TearDown() override { services.reset(); }

  /// Ends the process and starts it again on what it had written.
  void restart(store::MemoryHooks hooks = {}) {
    services.reset();
    start({}, std::move(hooks));
    services = std::make_unique<Services>(process->world(), eks);
    ASSERT_TRUE(process->load());
    process->start_timers();
  }

  template <class Op>
  Reply<typename Op::Output> ask(Service& service, const typename Op::Input& input) {
    return process->ask<Op>(service, input,
                            {.region = "us-west-2", .principal_arn = "arn:aws:iam::123456789012:user/a"});
  }
  template <class Op>
  typename Op::Output get(Service& service, const typename Op::Input& input) {
    auto reply = ask<Op>(service, input);
    if (reply) return std::move(*reply);
    ADD_FAILURE() << reply.error().code << ": " << reply.error().message;
    return {};
  }
  Service& cfn() { return services->cloudformation; }
  Service& ec2() { return services->ec2; }
  Service& iam() { return services->iam; }

  std::string create(const std::string& name, const std::string& body, api::CreateStackInput in = {}) {
    in.stack_name = name;
    in.template_body = body;
    if (!in.capabilities) in.capabilities = {{"CAPABILITY_NAMED_IAM"}};
    return get<api::CreateStack>(cfn(), in).stack_id.value_or("");
  }
  std::string update(const std::string& name, const std::string& body) {
    return refusal<api::UpdateStack>(
        {.stack_name = name, .template_body = body, .capabilities = {{"CAPABILITY_NAMED_IAM"}}});
  }
  void remove(const std::string& name) { get<api::DeleteStack>(cfn(), {.stack_name = name}); }
  /// "Code: message" of the refusal; "" when there is none.
  template <class Op>
  std::string refusal(const typename Op::Input& in) {
    const auto reply = ask<Op>(cfn(), in);
    return reply ? "" : reply.error().code + ": " + reply.error().message;
  }
  std::string refused_template(const std::string& body, api::CreateStackInput in = {}) {
    in.stack_name = "refused";
    in.template_body = body;
    return refusal<api::CreateStack>(in);
  }

  api::Stack stack(const std::string& name) {
    auto found = get<api::DescribeStacks>(cfn(), {.stack_name = name});
    return aws::items(found.stacks).empty() ? api::Stack{} : found.stacks->front();
  }
  std::string status(const std::string& name) { return stack(name).stack_status.value_or(""); }
  std::string output(const std::string& name, const std::string& key) {
    const auto found = stack(name);
    for (const auto& one : aws::items(found.outputs)) {
      if (one.output_key == key) return one.output_value.value_or("");
    }
    return "";
  }
  /// Oldest first: "Vpc CREATE_COMPLETE".
  std::vector<std::string> events(const std::string& name) {
    std::vector<std::string> lines;
    for (const auto& event : all_events(name)) {
      lines.push_back(*event.logical_resource_id + " " + *event.resource_status);
    }
    return lines;
  }
  std::vector<api::StackEvent> all_events(const std::string& name) {
    std::vector<api::StackEvent> all;
    std::optional<std::string> token;
    do {
      auto page = get<api::DescribeStackEvents>(cfn(), {.stack_name = name, .next_token = token});
      for (const auto& event : aws::items(page.stack_events)) all.insert(all.begin(), event);
      token = page.next_token;
    } while (token);
    return all;
  }
  /// Of the last event that says so; "" when there is none.
  std::string reason(const std::string& name, const std::string& logical_id, const std::string& wanted) {
    std::string found;
    for (const auto& event : all_events(name)) {
      if (event.logical_resource_id == logical_id && event.resource_status == wanted) {
        found = event.resource_status_reason.value_or("");
      }
    }
    return found;
  }
  std::string physical_id(const std::string& name, const std::string& logical_id) {
    auto found =
        get<api::DescribeStackResources>(cfn(), {.stack_name = name, .logical_resource_id = logical_id});
    return aws::items(found.stack_resources).empty()
               ? ""
               : found.stack_resources->front().physical_resource_id.value_or("");
  }
  /// VPCs of a region but its default one.
  std::size_t vpcs() {
    const auto found = get<aws::ec2::DescribeVpcs>(ec2(), {});
    return aws::items(found.vpcs).size() - 1;
  }

  FakeEks eks;
  std::unique_ptr<Services> services;
};

}  // namespace instantstart::sandbox::cloudformation
