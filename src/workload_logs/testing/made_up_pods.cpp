#include "workload_logs/testing/made_up_pods.h"

#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/time.h"
#include "kube/streams.h"

namespace instantstart::workload_logs {
namespace {

std::string without_times(std::string_view kept) {
  std::string text;
  while (!kept.empty()) {
    const auto end = kept.find('\n');
    const auto line = kept.substr(0, end == kept.npos ? kept.size() : end + 1);
    text += line.substr(line.find(' ') + 1);
    kept.remove_prefix(line.size());
  }
  return text;
}

/// Where the lines of a second begin.
std::size_t begin_of(std::string_view kept, const std::string& since) {
  if (since.empty()) return 0;
  const auto from = parse_rfc3339(since).value();
  for (std::size_t at = 0; at < kept.size();) {
    const auto line = kept.substr(at);
    if (parse_rfc3339(line.substr(0, line.find(' '))).value() >= from) return at;
    const auto end = line.find('\n');
    at = end == line.npos ? kept.size() : at + end + 1;
  }
  return kept.size();
}

Error broken() { return {.code = std::string(codes::unknown_outcome), .message = "connection reset"}; }

net::ClientResponse status(int code, std::string_view reason, std::string_view message) {
  return {.status = code,
          .body = to_text(json::object{{"kind", "Status"},
                                       {"apiVersion", "v1"},
                                       {"status", "Failure"},
                                       {"message", message},
                                       {"reason", reason},
                                       {"code", code}})};
}

}  // namespace

class MadeUpPods::LogBody final : public net::ClientBodyStream {
 public:
  LogBody(MadeUpPods& server, std::string pod, std::size_t run, std::size_t at, bool follow)
      : server_(server),
        pod_(std::move(pod)),
        run_(run),
        at_(at),
        follow_(follow),
        generation_(server.generation_),
        open_(server.open_logs_) {
    ++*open_;
  }
  ~LogBody() override { --*open_; }

  asio::awaitable<std::optional<std::string>> next() override {
    while (true) {
      const auto seen = server_.changed_.generation();
      if (generation_ != server_.generation_) {
        error_ = broken();
        co_return std::nullopt;
      }
      const auto pod = server_.pods_.find(pod_);
      if (pod == server_.pods_.end()) co_return std::nullopt;
      const Run& run = pod->second.runs.at(run_);
      if (at_ < run.kept.size()) {
        // Small pieces, so that they end anywhere.
        std::string piece = run.kept.substr(at_, 7);
        at_ += piece.size();
        co_return piece;
      }
      if (!follow_ || run.over) co_return std::nullopt;
      co_await server_.changed_.wait_after(seen, net::Deadline::never());
    }
  }
  const std::optional<Error>& error() const override { return error_; }

 private:
  MadeUpPods& server_;
  std::string pod_;
  std::size_t run_;
  std::size_t at_;
  bool follow_;
  int generation_;
  std::shared_ptr<int> open_;
  std::optional<Error> error_;
};

class MadeUpPods::WatchBody final : public net::ClientBodyStream {
 public:
  WatchBody(MadeUpPods& server, std::string first)
      : server_(server),
        first_(std::move(first)),
        at_(server.events_.size()),
        generation_(server.generation_),
        expired_(server.expired_) {}

  asio::awaitable<std::optional<std::string>> next() override {
    if (!first_.empty()) co_return std::exchange(first_, "");
    while (true) {
      const auto seen = server_.changed_.generation();
      if (generation_ != server_.generation_) {
        error_ = broken();
        co_return std::nullopt;
      }
      if (expired_ != server_.expired_) {
        expired_ = server_.expired_;
        co_return R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"old"}})"
                  "\n";
      }
      if (at_ < server_.events_.size()) co_return server_.events_[at_++];
      co_await server_.changed_.wait_after(seen, net::Deadline::never());
    }
  }
  const std::optional<Error>& error() const override { return error_; }

 private:
  MadeUpPods& server_;
  std::string first_;
  std::size_t at_;
  int generation_;
  int expired_;
  std::optional<Error> error_;
};

std::string MadeUpPods::time_text() const {
  std::string text = to_rfc3339(time_.wall());
  text.pop_back();
  return text + "000000Z";
}

json::object MadeUpPods::object_of(const std::string& name, const Pod& pod) const {
  json::object state;
  if (pod.runs.back().over) {
    state["terminated"] = json::object{{"exitCode", 0}};
  } else {
    state["running"] = json::object{{"startedAt", "2026-01-01T00:00:00Z"}};
  }
  json::object container{{"name", "main"},
                         {"restartCount", std::ssize(pod.runs) - 1},
                         {"containerID", fmt::format("containerd://{}", pod.runs.size())},
                         {"state", std::move(state)}};
  if (pod.runs.size() > 1) {
    container["lastState"] = json::object{
        {"terminated", json::object{{"containerID", fmt::format("containerd://{}", pod.runs.size() - 1)}}}};
  }
  return {{"kind", "Pod"},
          {"apiVersion", "v1"},
          {"metadata", json::object{{"name", name},
                                    {"namespace", "default"},
                                    {"uid", pod.uid},
                                    {"resourceVersion", std::to_string(version_)},
                                    {"labels", json::object{{"job", "train"}}}}},
          {"spec", json::object{{"containers", json::array{json::object{{"name", "main"}}}}}},
          {"status", json::object{{"phase", pod.over ? "Succeeded" : "Running"},
                                  {"containerStatuses", json::array{std::move(container)}}}}};
}

void MadeUpPods::tell(std::string_view type, const std::string& pod) {
  ++version_;
  events_.push_back(to_text(json::object{{"type", type}, {"object", object_of(pod, pods_.at(pod))}}) + "\n");
  changed_.notify();
}

void MadeUpPods::start(const std::string& pod) {
  pods_[pod] = {.uid = fmt::format("uid-{}-{}", pod, version_), .runs = {Run{}}};
  tell("ADDED", pod);
}

void MadeUpPods::write(const std::string& pod, std::string_view text) {
  Run& run = pods_.at(pod).runs.back();
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end == text.npos ? text.size() : end + 1);
    if (run.kept.empty() || run.kept.back() == '\n') run.kept += time_text() + " ";
    run.kept += line;
    text.remove_prefix(line.size());
  }
  changed_.notify();
}

void MadeUpPods::end(const std::string& pod) {
  pods_.at(pod).runs.back().over = true;
  pods_.at(pod).over = true;
  tell("MODIFIED", pod);
}

void MadeUpPods::restart(const std::string& pod) {
  pods_.at(pod).runs.back().over = true;
  pods_.at(pod).runs.emplace_back();
  tell("MODIFIED", pod);
}

void MadeUpPods::remove(const std::string& pod) {
  tell("DELETED", pod);
  pods_.erase(pod);
  changed_.notify();
}

std::string MadeUpPods::log(const std::string& pod, bool previous) const {
  const auto& runs = pods_.at(pod).runs;
  return without_times(runs.at(runs.size() - (previous ? 2 : 1)).kept);
}

void MadeUpPods::cut() {
  down_ = true;
  ++generation_;
  changed_.notify();
}

void MadeUpPods::expire_watch() {
  ++expired_;
  changed_.notify();
}

Result<std::unique_ptr<net::ClientBodyStream>> MadeUpPods::open_log(const kube::ScriptedApi::Seen& seen,
                                                                    const std::string& name) {
  ++log_requests_;
  const auto pod = pods_.find(name);
  if (pod == pods_.end()) return fail(codes::not_found, "no pod");
  const bool previous = seen.query("previous") == "true";
  const auto& runs = pod->second.runs;
  if (previous && runs.size() < 2) return fail(codes::invalid_request, "no previous run");
  const std::size_t run = runs.size() - (previous ? 2 : 1);
  return std::make_unique<LogBody>(*this, name, run, begin_of(runs.at(run).kept, seen.query("sinceTime")),
                                   seen.query("follow") == "true");
}

Task<net::ClientResponse> MadeUpPods::send(net::ClientRequest request, net::Deadline) {
  if (down_) co_return fail(broken());
  const kube::ScriptedApi::Seen seen{.request = std::move(request), .at = {}};
  const std::string line = seen.line();
  const std::string path = line.substr(4, line.find('?') == line.npos ? line.npos : line.find('?') - 4);
  const std::string pods = "/api/v1/namespaces/default/pods/";
  if (path.starts_with(pods)) {
    const auto pod = pods_.find(path.substr(pods.size()));
    if (pod == pods_.end()) co_return status(404, "NotFound", "no pod");
    co_return net::ClientResponse{.status = 200, .body = to_text(object_of(pod->first, pod->second))};
  }
  const auto owner = owners_.find(path);
  if (owner == owners_.end()) co_return status(404, "NotFound", "no owner");
  co_return net::ClientResponse{.status = 200, .body = to_text(owner->second)};
}

Task<net::HttpClient::Stream> MadeUpPods::open(net::ClientRequest request, net::Deadline) {
  if (down_) co_return fail(broken());
  const kube::ScriptedApi::Seen seen{.request = std::move(request), .at = {}};
  const std::string line = seen.line();
  Stream stream{.status = 200};
  const auto refuse = [&stream](const net::ClientResponse& with) {
    stream.status = with.status;
    stream.body = kube::stream_of(with.body);
  };
  const std::string pods = "GET /api/v1/namespaces/default/pods";
  if (const auto end = line.find("/log?"); line.starts_with(pods + "/") && end != line.npos) {
    if (refuses_logs_) {
      refuse(status(403, "Forbidden", "not allowed"));
      co_return stream;
    }
    auto body = open_log(seen, line.substr(pods.size() + 1, end - pods.size() - 1));
    if (body) {
      stream.body = std::move(*body);
    } else if (body.error().code == codes::not_found) {
      refuse(status(404, "NotFound", "no pod"));
    } else {
      refuse(status(400, "BadRequest", "previous terminated container not found"));
    }
    co_return stream;
  }
  std::string first;
  if (seen.query("sendInitialEvents") == "true") {
    for (const auto& [name, pod] : pods_) {
      first += to_text(json::object{{"type", "ADDED"}, {"object", object_of(name, pod)}}) + "\n";
    }
    first += fmt::format(
        R"({{"type":"BOOKMARK","object":{{"kind":"Pod","metadata":{{"resourceVersion":"{}","annotations":{{"k8s.io/initial-events-end":"true"}}}}}}}})"
        "\n",
        version_);
  } else if (seen.query("resourceVersion") != std::to_string(version_)) {
    // What happened meanwhile is not remembered here.
    first = R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"old"}})"
            "\n";
  }
  stream.body = std::make_unique<WatchBody>(*this, std::move(first));
  co_return stream;
}

}  // namespace instantstart::workload_logs
