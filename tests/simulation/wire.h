// The network between one process of the product and the simulated cloud: no sockets, virtual time, and it
// can refuse, hold back and break.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/random.h"
#include "net/http_client.h"
#include "net/signal.h"
#include "operations/testing/made_up_process.h"
#include "sandbox/app/cloud.h"

namespace instantstart::simulation {

using Process = operations::testing::MadeUpProcess;

/// Where the simulated cloud answers.
inline constexpr std::string_view k_aws_url = "http://127.0.0.1:4566";
inline constexpr std::string_view k_kubernetes_url = "https://127.0.0.1:6443";

/// How often what goes wrong.
struct WireFaults {
  double refused = 0;  ///< No connection: provably nothing was sent.
  double held_up = 0;  ///< The request is under way for up to `longest_delay`.
  milliseconds longest_delay{20'000};
};

/// What was sent is carried out, whatever becomes of its sender: a process that dies, or that waits no
/// longer, only doesn't hear of it.
class Wire final : public net::HttpClient {
 public:
  Wire(sandbox::Cloud& cloud, Process& process, const WireFaults& faults, Random& random)
      : cloud_(cloud),
        process_(process),
        faults_(faults),
        random_(random),
        news_(std::make_shared<net::Signal>(process.world_time())) {}

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline deadline) override;
  Task<Stream> open(net::ClientRequest request, net::Deadline header_deadline) override;

  /// After the death of the process: nobody waits any longer.
  void wake() { news_->notify(); }

 private:
  struct Exchange;
  Task<std::shared_ptr<Exchange>> exchange(net::ClientRequest request, net::Deadline deadline,
                                           bool whole_body);

  sandbox::Cloud& cloud_;
  Process& process_;
  const WireFaults& faults_;
  Random& random_;
  std::shared_ptr<net::Signal> news_;
};

}  // namespace instantstart::simulation
