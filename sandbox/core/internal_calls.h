// How a simulated service calls another on a client's behalf, as CloudFormation does: the fault plan sees
// such calls (rules with `invoked_by`), the audit tells them, nothing is sent.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "sandbox/core/faults.h"
#include "sandbox/core/service.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox {

/// Loop thread only. The services must outlive it; they are added before the first call.
class InternalCalls {
 public:
  InternalCalls(World& world, FaultPlan& faults) : world_(world), faults_(faults) {}

  void add(Service& service);

  /// `call.invoked_by` names the caller; the request id is made here. Only operations whose handlers don't
  /// wait, of services that were added: another is a fault of the program and throws. What changed becomes
  /// durable with the next commit, together with its audit row.
  template <class Op>
  Reply<typename Op::Output> call(Call call, const typename Op::Input& input) {
    auto reply = answer(Op::info(), std::move(call), &input);
    if (!reply) return std::unexpected(std::move(reply.error()));
    return std::move(*reply->template as<typename Op::Output>());
  }

 private:
  Reply<aws::ShapeValue> answer(const aws::OperationInfo& operation, Call call, const void* input);

  World& world_;
  FaultPlan& faults_;
  std::map<std::string, Service*, std::less<>> services_;  ///< By botocore's name.
};

}  // namespace instantstart::sandbox
