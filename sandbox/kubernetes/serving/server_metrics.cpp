#include "sandbox/kubernetes/serving/server_metrics.h"

#include <fmt/format.h>

namespace instantstart::sandbox::kubernetes {
namespace {

/// What a request would have taken on a GPU: told, not waited for.
constexpr double k_seconds_a_prompt_token = 0.0001;
constexpr double k_first_token_seconds = 0.03;
constexpr double k_seconds_a_token = 0.012;

struct Sheet {
  std::string text = {};
  std::string labels;

  void head(std::string_view name, std::string_view kind, std::string_view help) {
    text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, kind, help);
  }
  void value(std::string_view name, double number, std::string_view more = "") {
    text += fmt::format("{}{{{}{}}} {:.6g}\n", name, labels, more, number);
  }
  void one(std::string_view name, std::string_view kind, std::string_view help, double number) {
    head(name, kind, help);
    value(name, number);
  }
  /// With one bucket, since a mean is all that is known.
  void histogram(std::string_view name, std::string_view help, double sum, std::int64_t count) {
    head(name, "histogram", help);
    const auto all = static_cast<double>(count);
    const double mean = count > 0 ? sum / all : 0;
    for (const double edge : {0.01, 0.1, 1.0, 10.0}) {
      value(fmt::format("{}_bucket", name), mean <= edge ? all : 0, fmt::format(",le=\"{}\"", edge));
    }
    value(fmt::format("{}_bucket", name), all, ",le=\"+Inf\"");
    value(fmt::format("{}_count", name), all);
    value(fmt::format("{}_sum", name), sum);
  }
};

}  // namespace

void ServerMetrics::count(const Completion& completion) {
  const auto made = static_cast<std::int64_t>(completion.pieces.size());
  prompt_tokens_ += completion.prompt_tokens;
  generation_tokens_ += made;
  ++requests_;
  ++finished_[completion.finish_reason];
  const double first =
      k_first_token_seconds + k_seconds_a_prompt_token * static_cast<double>(completion.prompt_tokens);
  first_token_seconds_ += first;
  latency_seconds_ += first + k_seconds_a_token * static_cast<double>(made);
}

std::string ServerMetrics::text(std::string_view model) const {
  Sheet sheet{.labels = fmt::format("engine=\"0\",model_name=\"{}\"", model)};
  const auto counted = [&](std::string_view name, std::string_view help, std::int64_t number) {
    sheet.one(name, "counter", help, static_cast<double>(number));
  };
  sheet.one("vllm:num_requests_running", "gauge", "Number of requests in model execution batches.", 0);
  sheet.one("vllm:num_requests_waiting", "gauge", "Number of requests waiting to be processed.", 0);
  sheet.one("vllm:kv_cache_usage_perc", "gauge", "KV-cache usage. 1 means 100 percent usage.", 0);
  counted("vllm:num_preemptions_total", "Cumulative number of preemption from the engine.", 0);
  counted("vllm:prompt_tokens_total", "Number of prefill tokens processed.", prompt_tokens_);
  counted("vllm:generation_tokens_total", "Number of generation tokens processed.", generation_tokens_);
  counted("vllm:prefix_cache_queries_total", "Prefix cache queries, in terms of number of queried tokens.",
          prompt_tokens_);
  counted("vllm:prefix_cache_hits_total", "Prefix cache hits, in terms of number of cached tokens.", 0);
  sheet.head("vllm:request_success_total", "counter", "Count of successfully processed requests.");
  for (const auto& [reason, number] : finished_) {
    sheet.value("vllm:request_success_total", static_cast<double>(number),
                fmt::format(",finished_reason=\"{}\"", reason));
  }
  sheet.histogram("vllm:time_to_first_token_seconds", "Histogram of time to first token in seconds.",
                  first_token_seconds_, requests_);
  sheet.histogram("vllm:inter_token_latency_seconds", "Histogram of inter-token latency in seconds.",
                  k_seconds_a_token * static_cast<double>(generation_tokens_), generation_tokens_);
  sheet.histogram("vllm:e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.",
                  latency_seconds_, requests_);
  sheet.histogram("vllm:request_queue_time_seconds", "Histogram of time spent in WAITING phase for request.",
                  0, requests_);
  return std::move(sheet.text);
}

}  // namespace instantstart::sandbox::kubernetes
