// The one door of all simulated services: finds the service, checks the signature, lets the fault plan have
// its say, runs the call, makes it durable, and only then answers, in the service's own protocol.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "aws/protocols/codec.h"
#include "base/log.h"
#include "net/http.h"
#include "net/signal.h"
#include "sandbox/core/access_keys.h"
#include "sandbox/core/faults.h"
#include "sandbox/core/service.h"
#include "sandbox/core/world.h"
#include "sandbox/gateway/authentication.h"
#include "sandbox/gateway/service_table.h"

namespace instantstart::sandbox {

/// The largest request: an object of S3 in one piece.
inline constexpr std::size_t k_largest_request = aws::k_max_payload_bytes;

/// Loop thread only. What it refers to must outlive it.
class Gateway {
 public:
  Gateway(World& world, FaultPlan& faults, AccessKeys& keys, ServiceTable services, Log log);

  /// A call that has arrived is carried out and made durable even when its caller goes away meanwhile, as at
  /// AWS: cancelling this has no effect.
  asio::awaitable<net::Response> handle(net::Request request);

  /// What the HTTP server refuses by itself.
  static net::Response refuse(int status, std::string_view reason);

  /// Delays of the fault plan end now: the server is about to stop.
  void hurry();

 private:
  /// A request on its way through the gateway.
  struct Passage;

  asio::awaitable<net::Response> answer(net::Request request);
  asio::awaitable<net::Response> carry_out(Passage passage);
  asio::awaitable<void> delay(const FaultRule& rule);
  Task<> record(const Passage& passage, const Reply<aws::ShapeValue>& reply);

  World& world_;
  FaultPlan& faults_;
  AccessKeys& keys_;
  ServiceTable services_;
  Log log_;
  net::Signal hurried_;
  bool in_a_hurry_ = false;
};

}  // namespace instantstart::sandbox
