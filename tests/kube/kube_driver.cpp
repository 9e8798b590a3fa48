// Lets another program use the real client against a real API server: libcurl, TLS, real time. One JSON
// object a line in, one a line out. The first line says where: server, ca, token. Then "mode" and its
// arguments; a type is said as a person would ("deployments.apps").
//
//   get, create, apply, merge_patch, json_patch, delete, list, spelled, proxy
//   watch_start (type, space, watch_list, keep), watch_until (name, present | replicas …), watch_state
#include <map>
#include <memory>
#include <optional>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "aws/json_lines.h"
#include "base/error_codes.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "kube/json_access.h"
#include "kube/service_proxy.h"
#include "kube/streams.h"
#include "kube/watch_cache.h"
#include "net/http_client.h"
#include "net/task_group.h"

namespace instantstart::kube {
namespace {

using aws::text;

/// What the watching tests index.
struct Record {
  std::string uid;
  std::string version;
  std::string value;  ///< data.value of a ConfigMap
};

class Driver {
 public:
  ~Driver() {
    std::optional<Result<>> stopped;
    asio::co_spawn(loop_, watches_.stop(), [&stopped](const std::exception_ptr&) { stopped = Result<>(); });
    turn_until([&] { return stopped.has_value(); });
  }

  Result<json::object> answer(const json::object& line) {
    auto answered = connection_ ? wait(answer_to(line)) : connect(line);
    if (answered) return answered;
    const Error& error = answered.error();
    json::array problems;
    for (const auto& problem : error.problems) {
      problems.push_back(
          json::object{{"pointer", problem.pointer}, {"rule", problem.rule}, {"message", problem.message}});
    }
    json::object said{{"code", error.code},
                      {"message", error.message},
                      {"problems", std::move(problems)},
                      {"detail", error.detail}};
    return json::object{{"error", std::move(said)}};
  }

 private:
  void turn_until(const std::function<bool()>& done) {
    loop_.restart();
    while (!done() && loop_.run_one() > 0) {
    }
  }

  template <class T>
  Result<T> wait(Task<T> task) {
    std::optional<Result<T>> outcome;
    asio::co_spawn(loop_, std::move(task), [&outcome](const std::exception_ptr& error, Result<T> result) {
      if (error) std::rethrow_exception(error);
      outcome = std::move(result);
    });
    turn_until([&] { return outcome.has_value(); });
    return std::move(outcome.value());
  }

  Result<json::object> connect(const json::object& line) {
    auto made = Connection::make({.url = text(line, "server"), .ca_pem = text(line, "ca")},
                                 static_token(Secret(text(line, "token"))), *http_, time_, random_, Log());
    if (!made) return fail(made.error());
    connection_ = std::move(*made);
    client_.emplace(*connection_);
    discovery_.emplace(*connection_);
    return json::object{{"connected", true}};
  }

  net::Deadline soon() { return net::Deadline::in(time_, std::chrono::seconds(30)); }

  static WriteOptions write_options(const json::object& line) {
    return {.dry_run = flag_at(line, {"dry_run"}),
            .force = flag_at(line, {"force"}),
            .subresource = text(line, "subresource")};
  }

  static json::object to_json(const Written& written) {
    json::array warnings;
    for (const auto& warning : written.warnings) warnings.emplace_back(warning);
    return {{"object", written.object}, {"created", written.created}, {"warnings", warnings}};
  }

  Task<json::object> answer_to(const json::object& line) {
    const std::string mode = text(line, "mode");
    if (mode == "watch_until") co_return co_await watch_until(line);
    if (mode == "watch_state") co_return watch_state();
    if (mode == "proxy") co_return co_await proxy(line);
    auto type = co_await discovery_->spelled(text(line, "type"), soon());
    if (!type) co_return fail(type.error());
    if (mode == "spelled") {
      co_return json::object{{"api_version", type->gvk.api_version()},
                             {"kind", type->gvk.kind},
                             {"plural", type->plural},
                             {"namespaced", type->namespaced},
                             {"status", type->has_subresource("status")}};
    }
    if (mode == "watch_start") co_return watch_start(*type, line);
    const ObjectName id{.space = text(line, "space"), .name = text(line, "name")};
    if (mode == "get") {
      auto object = co_await client_->get(*type, id, soon(), text(line, "subresource"));
      if (!object) co_return fail(object.error());
      co_return json::object{{"object", *object}};
    }
    if (mode == "list") co_return co_await list(*type, line);
    if (mode == "delete") co_return co_await remove(*type, id, line);
    co_return co_await write(mode, *type, id, line);
  }

  Task<json::object> write(std::string mode, ResourceType type, ObjectName id, const json::object& line) {
    const auto options = write_options(line);
    std::optional<Result<Written>> written;
    if (mode == "create")
      written = co_await client_->create(type, line.at("object").as_object(), options, soon());
    if (mode == "apply")
      written = co_await client_->apply(type, line.at("object").as_object(), options, soon());
    if (mode == "merge_patch") {
      written = co_await client_->merge_patch(type, id, line.at("patch").as_object(), options, soon());
    }
    if (mode == "json_patch") {
      written = co_await client_->json_patch(type, id, line.at("patch").as_array(), options, soon());
    }
    if (!written) co_return fail(codes::invalid_request, "no such mode");
    if (!*written) co_return fail(written->error());
    co_return to_json(**written);
  }

  Task<json::object> list(ResourceType type, const json::object& line) {
    ListOptions options{.space = text(line, "space"), .label_selector = text(line, "labels")};
    if (const auto size = integer_at(line, {"page_size"}))
      options.page_size = static_cast<std::size_t>(*size);
    if (flag_at(line, {"names_only"})) options.keep = FieldSelection{"/metadata/name"};
    auto listed = co_await client_->list_all(type, options, 1'000'000, soon());
    if (!listed) co_return fail(listed.error());
    json::array names;
    std::size_t bytes = 0;
    for (const auto& item : listed->items) {
      names.emplace_back(ObjectView(item).name());
      bytes += to_text(item).size();
    }
    co_return json::object{{"names", names}, {"bytes", bytes}, {"version", listed->resource_version}};
  }

  Task<json::object> remove(ResourceType type, ObjectName id, const json::object& line) {
    DeleteOptions options;
    if (const auto uid = text(line, "uid"); !uid.empty()) options.uid = uid;
    if (const auto version = text(line, "version"); !version.empty()) options.resource_version = version;
    if (text(line, "propagation") == "foreground") options.propagation = Propagation::foreground;
    auto deleted = co_await client_->remove(type, id, options, soon());
    if (!deleted) co_return fail(deleted.error());
    co_return json::object{{"waiting", deleted->waiting}, {"uid", deleted->uid}};
  }

  Task<json::object> proxy(const json::object& line) {
    ServiceCall call{.service = {.space = text(line, "space"), .name = text(line, "name")},
                     .port = text(line, "port")};
    call.method = "GET";
    auto answer = co_await call_service(*connection_, std::move(call), soon());
    if (!answer) co_return fail(answer.error());
    auto body = co_await read_body(time_, std::move(answer->body), 65536, soon());
    if (!body) co_return fail(body.error());
    co_return json::object{{"status", answer->status}, {"body", *body}};
  }

  json::object watch_start(ResourceType type, const json::object& line) {
    ReflectorOptions options{.type = std::move(type), .space = text(line, "space")};
    options.keep = FieldSelection{"/data/value"};
    options.page_size = 50;
    options.watch_list = flag_at(line, {"watch_list"});
    cache_ = std::make_unique<WatchCache<Record>>(*connection_, options, [](const json::object& object) {
      return Record{.uid = std::string(ObjectView(object).uid()),
                    .version = std::string(ObjectView(object).resource_version()),
                    .value = std::string(text_at(object, {"data", "value"}))};
    });
    deltas_ = 0;
    listening_ = cache_->subscribe([this](const auto& delta) {
      ++deltas_;
      if (delta.before && delta.after && delta.before->version == delta.after->version) ++doubled_;
      changed_.notify();
    });
    watches_.spawn("watch", cache_->run());
    return {{"started", true}};
  }

  json::object watch_state() {
    const auto& freshness = cache_->freshness();
    const auto age = freshness.age(time_.steady());
    return {{"size", cache_->size()},
            {"deltas", deltas_},
            {"doubled", doubled_},
            {"lists", freshness.lists},
            {"watches", freshness.watches},
            {"live", freshness.live},
            {"synced", freshness.synced},
            {"version", freshness.resource_version},
            {"age_ms", age ? json::value(age->count()) : json::value()},
            {"last_error", freshness.last_error ? json::value(freshness.last_error->code) : json::value()}};
  }

  /// Until the cache holds `size` objects, or the value of `name` is `value`.
  Task<json::object> watch_until(const json::object& line) {
    const auto deadline = net::Deadline::in(time_, std::chrono::seconds(40));
    const auto size = integer_at(line, {"size"});
    const std::string value = text(line, "value");
    const ObjectName id{.space = text(line, "space"), .name = text(line, "name")};
    auto synced = co_await cache_->synced(deadline);
    if (!synced) co_return fail(synced.error());
    for (;;) {
      const Record* record = cache_->find(id);
      const bool has_size = !size || std::cmp_equal(cache_->size(), *size);
      if (has_size && (value.empty() || (record && record->value == value))) co_return watch_state();
      const bool woken = co_await changed_.wait(deadline);
      if (!woken) {
        Error error{.code = std::string(codes::deadline_exceeded), .message = "it did not come"};
        error.detail = watch_state();
        co_return fail(std::move(error));
      }
    }
  }

  asio::io_context loop_{1};
  net::SystemTimekeeper time_;
  SystemRandom random_;
  std::unique_ptr<net::HttpClient> http_ = net::make_curl_client(loop_.get_executor(), time_, Log());
  std::unique_ptr<Connection> connection_;
  std::optional<Client> client_;
  std::optional<Discovery> discovery_;
  net::Signal changed_{time_};
  std::uint64_t deltas_ = 0;
  std::uint64_t doubled_ = 0;
  std::unique_ptr<WatchCache<Record>> cache_;
  Subscription listening_;
  net::TaskGroup watches_{loop_.get_executor(), time_, Log()};
};

}  // namespace
}  // namespace instantstart::kube

int main() {
  instantstart::kube::Driver driver;
  return instantstart::aws::run_lines([&driver](const auto& line) { return driver.answer(line); });
}
