// What a new definition would change in a stack, told before it is done: for change sets, and to see that an
// update changes nothing.
#pragma once

#include <string>
#include <vector>

#include "sandbox/services/cloudformation/records.h"
#include "sandbox/services/cloudformation/resolver.h"

namespace instantstart::sandbox::cloudformation {

struct ChangePlan {
  std::vector<api::Change> changes;
  bool changes_nothing = false;  ///< Neither resources nor policies, outputs or tags.
};

/// `stack` and `work` are those of a stack that exists, or nullptr. All that CloudFormation refuses at once
/// is refused here: the template, its parameters, capabilities, changed types.
Reply<ChangePlan> plan_changes(State& state, const Call& call, const StackNames& names,
                               const Definition& definition, const std::vector<std::string>& capabilities,
                               const api::Stack* stack, const StackWork* work);

}  // namespace instantstart::sandbox::cloudformation
