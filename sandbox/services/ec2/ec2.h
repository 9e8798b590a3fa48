// Simulated Amazon EC2: the parts of it that a cluster's network is made of, and what instance types there
// are.
#pragma once

#include <vector>

#include "aws/shapes/ec2.h"
#include "sandbox/core/service.h"
#include "sandbox/services/ec2/network.h"
#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

/// Everything is per region; a region gets its default VPC at the first call. DryRun answers DryRunOperation
/// for every valid request.
class Ec2 final : public Service {
 public:
  /// The world must outlive it. The default is AWS's defaults.
  explicit Ec2(World& world, LimitsSource limits = [](std::string_view) { return Limits{}; });

  /// For other services.
  Network& network() { return network_; }

 protected:
  /// An instance type that the model doesn't list is answered as one that doesn't exist.
  AwsFault refuse_input(const std::vector<FieldProblem>& problems) const override;

 private:
  /// `handler` is one of the functions over State.
  template <class Op>
  void serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&));
  void serve_vpcs();
  void serve_routing();
  void serve_security_groups();
  void serve_endpoints_and_tags();
  void serve_catalogue();

  State state_;
  Network network_;
};

}  // namespace instantstart::sandbox::ec2
