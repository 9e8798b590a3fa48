#include "sandbox/app/cloud.h"

#include <utility>

#include "sandbox/app/ec2_limits.h"
#include "sandbox/app/eks_limits.h"
#include "sandbox/app/eks_tokens.h"
#include "sandbox/kubernetes/serving/serving.h"

namespace instantstart::sandbox {

Cloud::Cloud(CloudGround ground, WorldOptions options)
    : log_(ground.log),
      database_(ground.database),
      world_(ground.database, ground.time, ground.random, ground.log, std::move(options)),
      faults_(world_),
      keys_(world_),
      quotas_(world_),
      internal_calls_(world_, faults_),
      iam_(world_),
      ec2_(world_, [this](std::string_view region) { return ec2_limits(quotas_, region); }),
      eks_(world_, iam_, ec2_.network(), host_,
           [this](std::string_view region) { return eks_limits(quotas_, region); }),
      runtime_(world_),
      training_(world_, runtime_),
      cloudformation_(world_, internal_calls_),
      sts_(world_, keys_, iam_, eks_),
      cloudtrail_(world_),
      service_quotas_(world_, quotas_),
      s3_(world_),
      buckets_(s3_, iam_, eks_),
      logs_(world_),
      sagemaker_(world_, {.iam = iam_,
                          .network = ec2_.network(),
                          .eks = eks_,
                          .s3 = s3_,
                          .logs = logs_,
                          .quotas = quotas_,
                          .calls = internal_calls_,
                          .nodes = runtime_.nodes()}),
      gateway_(world_, faults_, keys_, services(), ground.log),
      control_(world_, faults_, keys_),
      background_(ground.executor, ground.time, ground.log) {
  runtime_.programs().add(&kubernetes::recognise_model_server);
  internal_calls_.add(iam_);
  internal_calls_.add(ec2_);
  internal_calls_.add(eks_);
  control_.mount("PUT", "quotas",
                 [this](ControlRequest request) { return change_quota(std::move(request)); });
  control_.mount("PUT", "node-fault",
                 [this](ControlRequest request) { return break_node(std::move(request)); });
  control_.mount("POST", "pod-fault",
                 [this](ControlRequest request) { return break_pod(std::move(request)); });
}

Result<std::unique_ptr<Cloud>> Cloud::make(CloudGround ground, WorldOptions options, KubernetesFront front) {
  std::unique_ptr<Cloud> cloud(new Cloud(ground, std::move(options)));
  auto servers = kubernetes::ApiServers::make(
      {.world = cloud->world_,
       .faults = cloud->faults_,
       .directory = cloud->eks_,
       .tokens = cloud->eks_,
       .logs = cloud->runtime_.logs(),
       .proxy = cloud->runtime_.proxy(),
       .verify_eks_token =
           [&keys = cloud->keys_, &world = cloud->world_](std::string_view url, std::string_view cluster) {
             return verify_eks_token(url, cluster, keys, world.now());
           },
       .log = ground.log,
       .base_url = std::move(front.url),
       .ca_pem = std::move(front.authority_pem)});
  if (!servers) return std::unexpected(std::move(servers.error()));
  cloud->api_servers_ = std::move(*servers);
  cloud->host_.attach(*cloud->api_servers_);
  cloud->runtime_.attach(*cloud->api_servers_);
  cloud->runtime_.set_node_watcher(cloud->sagemaker_);
  cloud->runtime_.set_buckets(cloud->buckets_);
  return cloud;
}

ServiceTable Cloud::services() {
  return ServiceTable({&sts_, &iam_, &ec2_, &eks_, &cloudformation_, &cloudtrail_, &service_quotas_, &s3_,
                       &logs_, &sagemaker_});
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

asio::awaitable<net::Response> Cloud::handle_kubernetes(net::Request request) {
  return api_servers_->handle(std::move(request));
}

void Cloud::hurry() {
  gateway_.hurry();
  api_servers_->hurry();
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

Task<json::value> Cloud::break_node(ControlRequest request) {
  auto fault = decode<sagemaker::NodeFault>(request.body);
  if (!fault) co_return std::unexpected(std::move(fault.error()));
  if (auto broken = sagemaker_.break_node(*fault); !broken)
    co_return std::unexpected(std::move(broken.error()));
  auto done = co_await world_.commit();
  if (!done) co_return std::unexpected(std::move(done.error()));
  co_return json::object{};
}

Task<json::value> Cloud::break_pod(ControlRequest request) {
  auto fault = decode<kubernetes::PodFault>(request.body);
  if (!fault) co_return std::unexpected(std::move(fault.error()));
  for (const auto& [id, cluster] : api_servers_->store().clusters()) {
    if (cluster.name == fault->cluster) fault->cluster = id;
  }
  if (auto broken = runtime_.pods().break_pod(*fault); !broken) {
    co_return std::unexpected(std::move(broken.error()));
  }
  auto done = co_await world_.commit();
  if (!done) co_return std::unexpected(std::move(done.error()));
  co_return json::object{};
}

}  // namespace instantstart::sandbox
