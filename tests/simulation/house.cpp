#include "simulation/house.h"

#include <stdexcept>
#include <utility>

#include <fmt/core.h>
#include <boost/asio/co_spawn.hpp>

#include "base/json.h"
#include "store/connection.h"

namespace instantstart::simulation {
namespace {

/// Longer than anything that was sent can still be under way.
constexpr milliseconds k_longest_call{20 * 60'000};

/// Of an assertion of the simulation itself.
template <class T>
T must(Result<T> value) {
  if (!value) throw std::runtime_error(value.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*value);
}

/// How often a controller says something depends on what it waited for; and the simulated cloud at times
/// keeps the Endpoints of a Service that is gone.
bool is_counted(std::string_view kind) {
  return kind != "kubernetes.object events" && kind != "kubernetes.object endpoints";
}

/// Of a record of the cloud; that of an object ("CLUSTER/deployments.apps/default/web") with its resource.
std::string kind_of(std::string collection, std::string_view id) {
  if (collection != "kubernetes.object") return collection;
  const auto begin = id.find('/') + 1;
  return fmt::format("{} {}", collection, id.substr(begin, id.find('/', begin) - begin));
}

net::Request control(std::string method, std::string name, std::string body = {}) {
  net::Request request{.method = std::move(method),
                       .target = "/_sandbox/" + name,
                       .headers = {{"Host", "127.0.0.1"}, {"Content-Type", "application/json"}},
                       .body = std::move(body)};
  request.peer.loopback = true;
  return request;
}

}  // namespace

Snapshot empty_snapshot() {
  return {.cloud = std::make_unique<store::MemoryStore>(),
          .product = std::make_unique<store::MemoryStore>(),
          .at = net::VirtualTime().wall()};
}

House::House(const Snapshot& from, std::uint64_t seed)
    : time_(from.at),
      cloud_store_(from.cloud->copy()),
      product_store_(from.product->copy()),
      cloud_database_(*cloud_store_),
      cloud_random_(seed),
      cloud_(must(sandbox::Cloud::make({.executor = time_.context().get_executor(),
                                        .time = time_,
                                        .random = cloud_random_,
                                        .log = {},
                                        .database = cloud_database_},
                                       {.seed = seed},
                                       {.url = std::string(k_kubernetes_url), .authority_pem = "made-up"}))) {
  std::optional<Result<>> started;
  asio::co_spawn(time_.context(), cloud_->start(), [&](const std::exception_ptr& error, Result<> value) {
    if (error) std::rethrow_exception(error);
    started = std::move(value);
  });
  time_.run_until([&] { return started.has_value(); });
  must(std::move(*started));
  const auto& key = cloud_->root_key();
  environment_.variables = {{"AWS_ENDPOINT_URL", std::string(k_aws_url)},
                            {"AWS_ACCESS_KEY_ID", key.id},
                            {"AWS_SECRET_ACCESS_KEY", key.secret},
                            {"AWS_REGION", "us-west-2"}};
}

House::~House() {
  cloud_->hurry();
  asio::co_spawn(time_.context(), cloud_->stop(), [](const std::exception_ptr&) {});
  time_.run_for(k_longest_call);
}

Snapshot House::snapshot() {
  audit();  // Writes what was only noted.
  return {.cloud = cloud_store_->copy(), .product = product_store_->copy(), .at = time_.wall()};
}

asio::awaitable<void> House::set_faults(std::vector<sandbox::FaultRule> rules) {
  json::array list;
  for (const auto& rule : rules) list.push_back(encode(rule));
  auto answer = co_await cloud_->handle(control("PUT", "faults", to_text(json::object{{"rules", list}})));
  if (answer.status != 200)
    throw std::runtime_error("The fault plan was refused: " + std::get<std::string>(answer.body));
}

std::vector<json::object> House::audit(std::int64_t after) {
  std::vector<json::object> rows;
  while (true) {
    std::optional<net::Response> answer;
    asio::co_spawn(time_.context(),
                   cloud_->handle(control("GET", fmt::format("audit?after={}&limit=1000", after))),
                   [&](const std::exception_ptr& error, net::Response response) {
                     if (error) std::rethrow_exception(error);
                     answer = std::move(response);
                   });
    time_.run_until([&] { return answer.has_value(); });
    const auto body = must(parse_json(std::get<std::string>(answer->body), {.max_bytes = 256 * 1024 * 1024}));
    const auto& page = body.as_object().at("entries").as_array();
    for (const auto& row : page) {
      rows.push_back(row.as_object());
      after = rows.back().at("sequence").to_number<std::int64_t>();
    }
    if (page.size() < 1000) return rows;
  }
}

std::int64_t House::last_audit_row() {
  const auto rows =
      must(cloud_store_->connection().query("SELECT coalesce(max(sequence), 0) FROM sandbox_audit", {}));
  return rows.front().integer(0);
}

std::map<std::string, std::int64_t> House::records() {
  std::map<std::string, std::int64_t> counts;
  const auto rows = must(cloud_store_->connection().query("SELECT collection, id FROM sandbox_record", {}));
  for (const auto& row : rows) {
    const std::string kind = kind_of(row.text(0), row.text(1));
    if (is_counted(kind)) ++counts[kind];
  }
  return counts;
}

Life::Life(House& house, const operations::testing::CommitHooks& hooks, std::uint64_t& commits,
           const WireFaults& faults, std::uint64_t seed, std::function<void(Process&)> on_fault_point)
    : memory(house.product_store()),
      process(house.time(), memory, hooks, commits),
      random(seed),
      wire_random(seed + 1),
      wire(house.cloud(), process, faults, wire_random),
      server({.executor = house.time().context().get_executor(),
              .time = process.time(),
              .random = random,
              .log = {},
              .database = process.database(),
              .http = wire,
              .environment = house.environment()},
             {},
             [this, told = std::move(on_fault_point)](std::string_view, std::string_view, std::string_view) {
               told(process);
             }) {}

}  // namespace instantstart::simulation
