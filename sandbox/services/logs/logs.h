// Simulated Amazon CloudWatch Logs: groups, streams and events. Nothing expires.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/service.h"
#include "sandbox/services/logs/log_writer.h"
#include "sandbox/services/logs/state.h"

namespace instantstart::sandbox::logs {

class Logs final : public Service, public LogWriter {
 public:
  /// The world must outlive it.
  explicit Logs(World& world, Limits limits = {});

  void append(std::string_view region, std::string_view group, std::string_view stream,
              const std::vector<std::string>& lines) override;

 protected:
  /// InvalidParameterException: there is no ValidationException here.
  AwsFault refuse_input(const std::vector<FieldProblem>& problems) const override;

 private:
  /// `handler` is one of the functions over State.
  template <class Op>
  void serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&));

  State state_;
};

}  // namespace instantstart::sandbox::logs
