// Simulated AWS CloudFormation: stacks of JSON templates, whose resources are made by calls to the other
// simulated services, and change sets. Nested stacks, transforms, drift and stack policies are refused.
#pragma once

#include "sandbox/core/internal_calls.h"
#include "sandbox/core/service.h"
#include "sandbox/services/cloudformation/engine.h"
#include "sandbox/services/cloudformation/records.h"

namespace instantstart::sandbox::cloudformation {

class CloudFormation final : public Service {
 public:
  /// Both must outlive it. `calls` must reach ec2, iam and eks before the first template comes.
  CloudFormation(World& world, InternalCalls& calls);

 private:
  template <class Op>
  void ask(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&));
  template <class Op>
  void change(Reply<typename Op::Output> (*handler)(State&, Engine&, const Call&, const typename Op::Input&));

  State state_;
  Engine engine_;
};

}  // namespace instantstart::sandbox::cloudformation
