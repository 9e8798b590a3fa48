#include "sandbox/app/cloud.h"

#include <utility>

#include "sandbox/app/ec2_limits.h"

namespace instantstart::sandbox {

Cloud::Cloud(CloudGround ground, WorldOptions options)
    : log_(ground.log),
      database_(ground.database),
      world_(ground.database, ground.time, ground.random, ground.log, std::move(options)),
      faults_(world_),
      keys_(world_),
      quotas_(world_),
      iam_(world_),
      ec2_(world_, [this](std::string_view region) { return ec2_limits(quotas_, region); }),
      sts_(world_, keys_, iam_, identities_),
      cloudtrail_(world_),
      service_quotas_(world_, quotas_),
      s3_(world_),
      gateway_(world_, faults_, keys_, services(), ground.log),
      control_(world_, faults_, keys_),
      background_(ground.executor, ground.time, ground.log) {
  control_.mount("PUT", "quotas",
                 [this](ControlRequest request) { return change_quota(std::move(request)); });
}

ServiceTable Cloud::services() {
  return ServiceTable({&sts_, &iam_, &ec2_, &cloudtrail_, &service_quotas_, &s3_});
}

Task<> Cloud::start() {
  auto migrated = co_await database_.migrate(World::migrations());
  if (!migrated) co_return migrated;
  auto loaded = co_await world_.load();
  if (!loaded) co_return loaded;
  background_.spawn("simulated time", world_.run_timers());
  co_return Result<>();
}

asio::awaitable<void> Cloud::stop() {
  co_await background_.stop();
  const auto flushed = co_await world_.flush();
  if (!flushed) log_.error("The last changes could not be written.", {{"reason", flushed.error().message}});
}

asio::awaitable<net::Response> Cloud::handle(net::Request request) {
  if (request.path().starts_with(k_control_prefix)) return control_.handle(std::move(request));
  return gateway_.handle(std::move(request));
}

void Cloud::on_stop(std::function<void()> stop) {
  control_.mount("POST", "stop", [stop = std::move(stop)](ControlRequest) -> Task<json::value> {
    stop();
    co_return json::object{};
  });
}

Task<json::value> Cloud::change_quota(ControlRequest request) {
  auto change = decode<QuotaChange>(request.body);
  if (!change) co_return std::unexpected(std::move(change.error()));
  if (auto changed = quotas_.change(std::move(*change)); !changed) {
    co_return std::unexpected(std::move(changed.error()));
  }
  auto done = co_await world_.commit();
  if (!done) co_return std::unexpected(std::move(done.error()));
  co_return json::object{};
}

}  // namespace instantstart::sandbox
