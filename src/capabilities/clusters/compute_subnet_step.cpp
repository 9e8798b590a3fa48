#include "base/decode.h"
#include "capabilities/clusters/client_of.h"
#include "capabilities/clusters/compute_subnet_calls.h"
#include "capabilities/clusters/hyperpod_steps.h"

namespace instantstart::capabilities {
namespace {

using operations::Decision;
using operations::History;
using operations::Step;
using operations::StepContext;

/// The block that the last accepted call, of this step or of the one that is undone, carried.
std::string added_block_of(const StepContext& context) {
  if (!context.receipt) return "";
  const auto last = decode<SubnetRequest>(*context.receipt);
  return last ? last->added_block : "";
}

class SubnetStep : public Step<ComputeSubnetInput, ComputeSubnetSeen, SubnetRequest> {
 public:
  explicit SubnetStep(aws::Accounts& accounts) : accounts_(accounts) {}

  Task<ComputeSubnetSeen> look(const StepContext& context, const ComputeSubnetInput& input) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await look_at_compute_subnet(**client, input, added_block_of(context), context.deadline);
  }
  Task<json::value> send(const StepContext& context, const ComputeSubnetInput& input,
                         const SubnetRequest& request) const override {
    auto client = client_of(accounts_, input.cluster);
    if (!client) co_return fail(client.error());
    co_return co_await send_about_subnet(**client, input, request, context.operation_id, context.token,
                                         context.deadline);
  }

 private:
  aws::Accounts& accounts_;
};

class UndoSubnet final : public SubnetStep {
 public:
  using SubnetStep::SubnetStep;
  std::string_view name() const override { return "compute_subnet_undo"; }
  Decision choose(const StepContext& context, const ComputeSubnetInput& input, const ComputeSubnetSeen& seen,
                  const History& history) const override {
    return choose_compute_subnet_removal(input, seen, history, context.operation_id);
  }
};

class MakeSubnet final : public SubnetStep {
 public:
  explicit MakeSubnet(aws::Accounts& accounts) : SubnetStep(accounts), undo_(accounts) {}
  std::string_view name() const override { return k_compute_subnet_step; }
  const operations::StepKind* undo() const override { return &undo_; }
  Decision choose(const StepContext& context, const ComputeSubnetInput& input, const ComputeSubnetSeen& seen,
                  const History& history) const override {
    return choose_compute_subnet(context.operation_id, input, seen, history);
  }

 private:
  UndoSubnet undo_;
};

class RemoveSubnet final : public SubnetStep {
 public:
  using SubnetStep::SubnetStep;
  std::string_view name() const override { return k_compute_subnet_removal_step; }
  Decision choose(const StepContext&, const ComputeSubnetInput& input, const ComputeSubnetSeen& seen,
                  const History& history) const override {
    return choose_compute_subnet_removal(input, seen, history, std::nullopt);
  }
};

}  // namespace

std::unique_ptr<const operations::StepKind> compute_subnet_step(aws::Accounts& accounts) {
  return std::make_unique<MakeSubnet>(accounts);
}
std::unique_ptr<const operations::StepKind> compute_subnet_removal_step(aws::Accounts& accounts) {
  return std::make_unique<RemoveSubnet>(accounts);
}

}  // namespace instantstart::capabilities
