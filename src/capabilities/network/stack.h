// A CloudFormation stack as it is seen, and what may be decided about it. Pure: the calls are in
// stack_calls.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aws/shapes/cloudformation.h"
#include "base/describe.h"
#include "domain/ownership.h"
#include "operations/step.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_stack_resource = "cloudformation:stack";

/// A resource that could not be made, changed or deleted.
struct StackFailure {
  std::string logical_id;
  std::string type;
  std::string reason;
};

/// Something that the stack did not make and that would be orphaned with it, or keeps it from going.
struct Stranger {
  std::string type;  ///< "network_interface", "subnet", "security_group", "hyperpod_cluster", "load_balancer"
  std::string id;
  std::string what;  ///< In words, as AWS describes it.
};

struct StackSeen {
  bool exists = false;
  std::string stack_id;
  std::string status;  ///< CloudFormation's: "CREATE_COMPLETE"
  std::map<std::string, std::string> parameters;
  std::map<std::string, std::string> tags;
  std::map<std::string, std::string> outputs;
  std::int64_t resources_done = 0;
  std::int64_t resources_total = 0;
  std::vector<StackFailure> failures;  ///< Of the last thing done with it: the first is the cause.
  std::vector<Stranger> strangers;     ///< Looked for when the stack shall go.
  /// An EKS cluster that has the name though no stack of this name made it.
  std::optional<std::string> foreign_cluster;
};
Type describe(StackFailure*);
Type describe(Stranger*);
Type describe(StackSeen*);

/// Without strangers, failures and progress.
StackSeen to_seen(const aws::cloudformation::Stack& stack);

/// The failures of the stack's last operation, oldest first, from events as AWS lists them (newest first).
/// What was cancelled because something else failed is no cause and left out. `complete` is set when the
/// beginning of the operation was among the events.
std::vector<StackFailure> failures_of(std::span<const aws::cloudformation::StackEvent> newest_first,
                                      bool& complete);

/// Our code for a reason that CloudFormation hands on from another service.
std::string_view cause_of(std::string_view reason);

/// The error of a stack that failed: the first failure with its logical id and reason, all in detail
/// "failures".
Error explained(const StackSeen& seen, std::string_view what);

bool is_ours(const StackSeen& seen, std::string_view cluster_key);

struct StackWanted {
  std::string name;
  std::string cluster_key;
  std::string operation_id;
  std::map<std::string, std::string> parameters;
};

enum class StackCall { create_stack, update_stack, delete_stack };

/// What is sent; `stack_id` for all but create: another stack that took the name is never touched.
struct StackRequest {
  StackCall call = StackCall::create_stack;
  std::string stack_id;
};
Type describe(StackCall*);
Type describe(StackRequest*);

/// Whether the stack is there, healthy, ours, and has these parameters; else what to do about it.
operations::Decision choose_stack(const StackWanted& wanted, const StackSeen& seen,
                                  const operations::History& history);

/// Whether it is gone. `only_operation`: nothing is deleted but what that operation made (an undo).
operations::Decision choose_stack_deletion(const StackWanted& wanted, const StackSeen& seen,
                                           const operations::History& history,
                                           const std::optional<std::string>& only_operation);

/// "blocked" with the strangers, for plans and steps.
Error orphans(const std::vector<Stranger>& strangers);

/// "name_taken", and how what has the name differs from what is wanted.
Error taken_by_another(const StackWanted& wanted, const StackSeen& seen);

}  // namespace instantstart::capabilities
