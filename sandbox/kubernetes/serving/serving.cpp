#include "sandbox/kubernetes/serving/serving.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/kubernetes/serving/completions.h"
#include "sandbox/kubernetes/serving/model_facts.h"
#include "sandbox/kubernetes/serving/server_arguments.h"
#include "sandbox/kubernetes/serving/server_metrics.h"
#include "sandbox/kubernetes/serving/server_start.h"

namespace instantstart::sandbox::kubernetes {
namespace {

struct Route {
  std::string_view path;
  bool get;
  bool post;
};
constexpr std::array<Route, 8> k_routes{{{"/health", true, false},
                                         {"/ping", true, true},
                                         {"/load", true, false},
                                         {"/version", true, false},
                                         {"/metrics", true, false},
                                         {"/v1/models", true, false},
                                         {"/v1/chat/completions", false, true},
                                         {"/v1/completions", false, true}}};

std::string_view words_of_status(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    default: return "";
  }
}

class Events final : public net::BodyStream {
 public:
  explicit Events(std::vector<std::string> events) : events_(std::move(events)) {}
  net::asio::awaitable<std::optional<std::string>> next() override {
    if (sent_ == events_.size()) co_return std::nullopt;
    co_return std::move(events_[sent_++]);
  }

 private:
  std::vector<std::string> events_;
  std::size_t sent_ = 0;
};

net::Response json_response(int status, json::object object) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}, {"Server", "uvicorn"}},
          .body = to_text(json::value(std::move(object)))};
}

net::Response text_response(std::string_view type, std::string text) {
  return {.headers = {{"Content-Type", std::string(type)}, {"Server", "uvicorn"}}, .body = std::move(text)};
}

class ModelServer final : public Program {
 public:
  ModelServer(const ContainerView& container, ServerArguments arguments)
      : arguments_(std::move(arguments)),
        facts_(model_facts(arguments_.model)),
        seed_(fmt::format("{}/{}", container.pod_uid, container.attempt)) {}

  ProgramStep step(const ProgramSite& site, std::int64_t index) override {
    const auto steps = server_start(site.container, arguments_, facts_, server_place(site, arguments_));
    now_ = site.now;
    // Past the last step it serves for ever, whatever becomes of its files.
    serves_ = index >= std::ssize(steps);
    if (serves_) return {.idle = true};
    const StartStep& now = steps[static_cast<std::size_t>(index)];
    ProgramStep step{.after = now.takes};
    for (auto line : now.lines) {
      if (const auto place = line.find("{T}"); place != line.npos)
        line.replace(place, 3, line_time(site.now));
      step.lines.push_back(std::move(line));
    }
    if (now.fails) step.exit_code = 1;
    return step;
  }
  ProgramEnd terminate(const ProgramSite&) override {
    if (!serves_) return {};
    ProgramEnd end{.after = milliseconds(1500), .lines = {}, .exit_code = 0};
    for (const auto* line :
         {"Shutting down", "Waiting for application shutdown.", "Application shutdown complete."}) {
      end.lines.push_back(fmt::format("{}INFO:     {}", k_server_prefix, line));
    }
    return end;
  }
  bool is_ready(const ProgramSite&) override { return serves_; }
  bool passes(const ProgramSite&, const ProbeTarget& target) override {
    if (target.port == 0) return serves_;
    if (!listens(target.port)) return false;
    if (target.path.empty()) return true;
    const Route* route = find_route(target.path);
    const bool open = arguments_.api_key.empty() || !target.path.starts_with("/v1");
    return route && route->get && open;
  }
  bool listens(std::int64_t port) const override {
    return serves_ && !arguments_.headless && port == arguments_.port;
  }
  void is_asked(WallTime now) override { now_ = now; }
  std::vector<std::string> take_lines() override { return std::exchange(lines_, {}); }

  boost::asio::awaitable<net::Response> answer(net::Request request) override {
    net::Response response = respond(request);
    lines_.push_back(fmt::format("{}INFO:     {}:{} - \"{} {} HTTP/1.1\" {} {}", k_server_prefix,
                                 request.peer.address.empty() ? "10.0.1.2" : request.peer.address,
                                 request.peer.port == 0 ? 40000 : request.peer.port, request.method,
                                 request.path(), response.status, words_of_status(response.status)));
    co_return response;
  }

 private:
  static const Route* find_route(std::string_view path) {
    const auto found = std::ranges::find(k_routes, path, &Route::path);
    return found == k_routes.end() ? nullptr : &*found;
  }

  net::Response respond(const net::Request& request) {
    const auto path = request.path();
    const bool guarded = !arguments_.api_key.empty() && path.starts_with("/v1");
    if (guarded && request.headers.get("Authorization") != "Bearer " + arguments_.api_key) {
      return json_response(401, {{"error", "Unauthorized"}});
    }
    const Route* route = find_route(path);
    if (!route) return json_response(404, {{"detail", "Not Found"}});
    const bool fits = (route->get && request.method == "GET") || (route->post && request.method == "POST");
    if (!fits) return json_response(405, {{"detail", "Method Not Allowed"}});
    if (path == "/v1/chat/completions") return completion(CompletionKind::chat, request.body);
    if (path == "/v1/completions") return completion(CompletionKind::text, request.body);
    if (path == "/v1/models") return json_response(200, models());
    if (path == "/version") return json_response(200, {{"version", k_server_version}});
    if (path == "/load") return json_response(200, {{"server_load", 0}});
    if (path == "/metrics") {
      return text_response("text/plain; version=0.0.4; charset=utf-8",
                           metrics_.text(arguments_.served_names.front()));
    }
    return text_response("text/plain; charset=utf-8", "");
  }

  net::Response completion(CompletionKind kind, std::string_view body) {
    const auto made = complete(kind, body, {.names = arguments_.served_names, .max_len = max_len()});
    if (!made) return json_response(made.error().status, to_json(made.error()));
    metrics_.count(*made);
    const std::string id = to_hex(sha256(fmt::format("{}/{}", seed_, ++answers_))).substr(0, 32);
    const std::int64_t created = unix_seconds();
    if (!made->stream) return json_response(200, whole_answer(*made, id, created));
    return {.headers = {{"Content-Type", "text/event-stream; charset=utf-8"}, {"Server", "uvicorn"}},
            .body = std::make_unique<Events>(streamed_answer(*made, id, created))};
  }

  json::object models() const {
    json::array data;
    for (const auto& name : arguments_.served_names) {
      data.emplace_back(json::object{{"id", name},
                                     {"object", "model"},
                                     {"created", unix_seconds()},
                                     {"owned_by", "vllm"},
                                     {"root", arguments_.model},
                                     {"parent", nullptr},
                                     {"max_model_len", max_len()},
                                     {"permission", json::array{}}});
    }
    return {{"object", "list"}, {"data", std::move(data)}};
  }

  std::int64_t max_len() const {
    return arguments_.max_model_len > 0 ? arguments_.max_model_len : facts_.max_len;
  }
  std::int64_t unix_seconds() const {
    return std::chrono::duration_cast<seconds>(now_.time_since_epoch()).count();
  }

  ServerArguments arguments_;
  ModelFacts facts_;
  std::string seed_;
  ServerMetrics metrics_;
  std::vector<std::string> lines_;
  WallTime now_{};
  std::uint64_t answers_ = 0;
  bool serves_ = false;
};

}  // namespace

std::unique_ptr<Program> recognise_model_server(const ContainerView& container) {
  auto arguments = server_arguments(container);
  if (!arguments) return nullptr;
  return std::make_unique<ModelServer>(container, std::move(*arguments));
}

}  // namespace instantstart::sandbox::kubernetes
