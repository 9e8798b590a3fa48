#include "sandbox/kubernetes/api/testing/api_fixture.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace instantstart::sandbox::kubernetes {
namespace {

Task<std::shared_ptr<net::Response>> call(ApiServers& servers, net::Request request) {
  auto response = co_await servers.handle(std::move(request));
  co_return std::make_shared<net::Response>(std::move(response));
}

Task<std::string> read(net::BodyStream& stream) {
  auto piece = co_await stream.next();
  co_return piece.value_or("");
}

}  // namespace

std::string Reply::text(std::string_view path) const {
  const json::value* place = &body;
  for (const auto member : split(path, '.')) {
    const auto* object = place->if_object();
    place = object ? object->if_contains(member) : nullptr;
    if (!place) return {};
  }
  return place->is_string() ? std::string(place->get_string()) : to_text(*place);
}

void ApiFixture::start_server() {
  TestWorld& begun = start();
  running = std::make_unique<Running>(begun.world(), time);
  auto made = ApiServers::make({.world = begun.world(),
                                .faults = running->faults,
                                .directory = running->directory,
                                .tokens = running->tokens,
                                .logs = running->logs,
                                .proxy = running->proxy,
                                .verify_eks_token = &verify_test_token,
                                .log = {},
                                .base_url = "https://127.0.0.1:6443",
                                .ca_pem = "a certificate"});
  ASSERT_TRUE(made) << made.error().message;
  running->servers = std::move(*made);
  ASSERT_TRUE(begun.load());
  begun.start_timers();
  running->servers->open(test_cluster());
  ASSERT_TRUE(begun.run(begun.world().commit()));
}

void ApiFixture::end_server() {
  // Timers refer to what goes first, so they are stopped by the world's end before anything runs again.
  if (running) running->servers->hurry();
  process.reset();
  running.reset();
}

Reply ApiFixture::send(std::string method, std::string path, std::string body, std::string user,
                       std::map<std::string, std::string> headers) {
  net::Request request{.method = std::move(method),
                       .target = fmt::format("/clusters/{}{}", k_test_cluster, path),
                       .body = std::move(body)};
  if (!user.empty()) request.headers.set("Authorization", fmt::format("Bearer {}", test_token(user)));
  request.headers.set("User-Agent", "test/1");
  for (const auto& [name, value] : headers) request.headers.set(name, value);
  auto answered = process->run(call(*running->servers, std::move(request)));
  Reply reply;
  if (!answered) return reply;
  net::Response& response = **answered;
  reply.status = response.status;
  reply.aborted = response.abort;
  reply.headers = std::move(response.headers);
  if (auto* stream = std::get_if<std::unique_ptr<net::BodyStream>>(&response.body)) {
    reply.stream = std::move(*stream);
  } else if (auto parsed =
                 parse_json(std::get<std::string>(response.body), {.max_bytes = 64 * 1024 * 1024})) {
    reply.body = std::move(*parsed);
  }
  return reply;
}

Reply ApiFixture::patch(std::string path, const json::value& body, std::string type) {
  return send("PATCH", std::move(path), to_text(body), "admin", {{"Content-Type", std::move(type)}});
}

std::vector<json::object> ApiFixture::next_events(net::BodyStream& stream) {
  const auto text = process->run(read(stream));
  std::vector<json::object> events;
  for (const auto line : split(text.value_or(""), '\n')) {
    auto event = parse_json(line);
    if (event && event->is_object()) events.push_back(event->get_object());
  }
  return events;
}

json::value from_text(std::string_view text) { return parse_json(text).value(); }

json::object config_map(std::string_view name) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", json::object{{"name", name}}},
          {"data", json::object{{"a", "b"}}}};
}

json::object pod(std::string_view name) {
  const json::object container{{"name", "c"}, {"image", "busybox"}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", json::object{{"name", name}}},
          {"spec", json::object{{"containers", json::array{container}}}}};
}

}  // namespace instantstart::sandbox::kubernetes
