// The counts of a vLLM server, as Prometheus reads them at /metrics.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sandbox/kubernetes/serving/completions.h"

namespace instantstart::sandbox::kubernetes {

/// They begin at 0 with the process. Answers take no time here, so nothing waits and nothing is held.
class ServerMetrics {
 public:
  void count(const Completion& completion);
  std::string text(std::string_view model) const;

 private:
  std::int64_t prompt_tokens_ = 0;
  std::int64_t generation_tokens_ = 0;
  std::int64_t requests_ = 0;
  std::map<std::string, std::int64_t> finished_{{"length", 0}, {"stop", 0}};
  double first_token_seconds_ = 0;
  double latency_seconds_ = 0;
};

}  // namespace instantstart::sandbox::kubernetes
