#include "app/demo.h"

#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "app/run_client.h"
#include "base/digest.h"
#include "base/error_codes.h"
#include "base/json.h"
#include "base/text.h"
#include "faces/cli/api_call.h"
#include "faces/cli/cli.h"

namespace instantstart::app {
namespace {

constexpr std::int64_t k_wait_seconds = 45;
/// Between two looks at an operation: short, so that its progress can be watched.
constexpr std::int64_t k_look_seconds = 1;
constexpr std::string_view k_image =
    "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:2.8.0-gpu-py312-cu129-ubuntu22.04-ec2";
constexpr std::string_view k_question = "What does a control plane for GPU clusters do?";

std::string text_of(const json::object& object, std::string_view name) {
  const auto* member = object.if_contains(name);
  return member && member->is_string() ? std::string(member->get_string()) : std::string();
}

const json::array& list_of(const json::object& object, std::string_view name) {
  static const json::array none;
  const auto* member = object.if_contains(name);
  return member && member->is_array() ? member->get_array() : none;
}

/// A line about what a step does now; empty for one that has not begun.
std::string step_line(const json::object& step) {
  const std::string state = text_of(step, "state");
  if (state == "pending") return {};
  std::string line = fmt::format("{:<16} {}", text_of(step, "id"), state);
  if (const auto progress = text_of(step, "progress"); !progress.empty() && state != "done")
    line += ": " + progress;
  return without_controls(line);
}

class Demo {
 public:
  Demo(const contract::ActionTable& actions, const DemoOptions& options, faces::CliConnection connection,
       net::HttpClient& client, net::Timekeeper& time)
      : actions_(actions),
        options_(options),
        connection_(std::move(connection)),
        client_(client),
        time_(time),
        begin_(time.steady()) {}

  Task<> run() {
    for (const auto& part :
         {&Demo::environment, &Demo::training, &Demo::output, &Demo::model, &Demo::overview}) {
      auto done = co_await (this->*part)();
      if (!done) co_return done;
    }
    co_return Result<>();
  }

 private:
  Task<> environment() {
    title("An environment: control plane, dependencies, HyperPod with two nodes, a shared bucket");
    auto done = co_await change(
        "environment_create",
        {{"name", options_.name},
         {"group", {{"name", "workers"}, {"instance_type", options_.instance_type}, {"count", 2}}},
         {"storage", {{"name", "shared"}, {"bucket", bucket()}, {"create", true}}}});
    if (!done) co_return done;
    auto nodes = co_await call("node_list", {{"cluster", options_.name}});
    if (!nodes) co_return std::unexpected(nodes.error());
    for (const auto& node : list_of(*nodes, "nodes")) {
      const auto& one = node.as_object();
      say(fmt::format("{:<22} {:<10} {}", text_of(one, "instance_id"), text_of(one, "status"),
                      text_of(one, "instance_type")));
    }
    co_return Result<>();
  }

  Task<> training() {
    title("A training job on both nodes, its log as it comes");
    auto done = co_await change("training_submit", {{"cluster", options_.name},
                                                    {"name", "llm-pretrain"},
                                                    {"image", k_image},
                                                    {"script", "/workspace/train.py"},
                                                    {"script_arguments", json::array{"--max_steps=120"}},
                                                    {"nodes", 2}});
    if (!done) co_return done;
    done = co_await follow_log();
    if (!done) co_return done;
    auto job = co_await call("job_get", {{"cluster", options_.name}, {"name", "llm-pretrain"}});
    if (!job) co_return std::unexpected(job.error());
    std::fputs(faces::to_human_text(*job).c_str(), stdout);
    co_return Result<>();
  }

  /// Until the job has ended and all of its log was shown.
  Task<> follow_log() {
    json::object request{{"cluster", options_.name}, {"name", "llm-pretrain"}, {"offset", 0}};
    request["wait_seconds"] = k_wait_seconds;
    announce("job_logs", request);
    for (bool ended = false; !ended;) {
      auto piece = co_await ask("job_logs", request);
      if (!piece) co_return std::unexpected(piece.error());
      const std::string text = text_of(*piece, "text");
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
      request["offset"] = piece->at("next_offset");
      ended = piece->at("ended").as_bool();
    }
    co_return Result<>();
  }

  Task<> output() {
    title("What the job wrote below /data, as the bucket has it");
    auto entries = co_await call("storage_browse",
                                 {{"cluster", options_.name}, {"name", "shared"}, {"folder", "output"}});
    if (!entries) co_return std::unexpected(entries.error());
    std::fputs(faces::to_human_text(*entries).c_str(), stdout);
    co_return Result<>();
  }

  Task<> model() {
    title("A model, served and asked");
    auto done = co_await change(
        "model_deploy",
        {{"cluster", options_.name}, {"name", "chat"}, {"model", "Qwen/Qwen2.5-7B-Instruct"}, {"gpus", 1}});
    if (!done) co_return done;
    auto answer = co_await call("model_call",
                                {{"cluster", options_.name}, {"deployment", "chat"}, {"prompt", k_question}});
    if (!answer) co_return std::unexpected(answer.error());
    say("> " + std::string(k_question));
    say("< " + without_controls(text_of(*answer, "text")));
    co_return Result<>();
  }

  Task<> overview() {
    title("All of it in one look");
    auto seen = co_await call("overview_get", {});
    if (!seen) co_return std::unexpected(seen.error());
    std::fputs(faces::to_human_text(*seen).c_str(), stdout);
    co_return Result<>();
  }

  /// Starts a change and follows it to a good end.
  Task<> change(std::string action, json::object arguments) {
    auto started = co_await call(std::move(action), std::move(arguments));
    if (!started) co_return std::unexpected(started.error());
    const json::object look{{"operation_id", text_of(*started, "operation_id")},
                            {"wait_seconds", k_look_seconds}};
    std::map<std::string, std::string> told;
    while (true) {
      auto operation = co_await ask("operation_get", look);
      if (!operation) co_return std::unexpected(operation.error());
      for (const auto& each : list_of(*operation, "steps")) {
        const auto& step = each.as_object();
        const std::string line = step_line(step);
        std::string& last = told[text_of(step, "id")];
        if (!line.empty() && line != last) say(line);
        last = line;
      }
      const std::string state = text_of(*operation, "state");
      if (state == "succeeded") co_return Result<>();
      if (state == "failed" || state == "cancelled" || state == "needs_input") {
        co_return std::unexpected(why(*operation));
      }
    }
  }

  static Error why(const json::object& operation) {
    const auto* error = operation.if_contains("error");
    const std::string message = error && error->is_object() ? text_of(error->get_object(), "message") : "";
    return {.code = text_of(operation, "state"),
            .message = fmt::format("Operation {} is {}. {}", text_of(operation, "id"),
                                   text_of(operation, "state"), without_controls(message))};
  }

  Task<json::object> call(std::string action, json::object arguments) {
    announce(action, arguments);
    co_return co_await ask(std::move(action), std::move(arguments));
  }

  Task<json::object> ask(std::string action, json::object arguments) {
    const auto* row = actions_.find(action);
    if (row == nullptr) co_return fail(codes::internal, "There is no action " + action);
    auto answer = co_await faces::call_api(client_, time_, connection_, *row, std::move(arguments));
    if (!answer) co_return std::unexpected(answer.error());
    if (!answer->body.is_object()) co_return fail(codes::upstream_error, "The answer is no object.");
    auto& body = answer->body.get_object();
    if (answer->status >= 400)
      co_return fail(text_of(body, "code"), without_controls(text_of(body, "detail")));
    co_return std::move(body);
  }

  /// As a person would type it.
  void announce(std::string_view action, const json::object& arguments) {
    std::string line = fmt::format("\n$ instantstart {} {}", dashed(contract::noun_of(action)),
                                   dashed(contract::verb_of(action)));
    for (const auto& each : arguments) {
      const auto& value = each.value();
      const std::string text = value.is_string() ? std::string(value.get_string()) : to_text(value);
      const bool plain = text.find_first_of(" {[\"?") == std::string::npos;
      line += fmt::format(" --{} {}", dashed(each.key()), plain ? text : "'" + text + "'");
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }

  static std::string dashed(std::string_view name) {
    std::string text(name);
    std::ranges::replace(text, '_', '-');
    return text;
  }

  void title(std::string_view text) { fmt::print("\n== {} ==\n", text); }

  void say(std::string_view line) {
    const double passed = std::chrono::duration<double>(time_.steady() - begin_).count();
    fmt::print("{:>6.1f} s  {}\n", passed, line);
    std::fflush(stdout);
  }

  /// Names of buckets are one world for all accounts: made from where this server is.
  std::string bucket() const {
    return fmt::format("instantstart-{}-{}", options_.name, to_hex(sha256(connection_.token)).substr(0, 12));
  }

  const contract::ActionTable& actions_;
  DemoOptions options_;
  faces::CliConnection connection_;
  net::HttpClient& client_;
  net::Timekeeper& time_;
  SteadyTime begin_;
};

}  // namespace

int run_demo(const contract::ActionTable& actions, const DemoOptions& options) {
  auto connection = faces::find_server(options.state);
  if (!connection) {
    fmt::print(stderr, "{} ({})\n", connection.error().message, connection.error().code);
    return 3;
  }
  std::unique_ptr<Demo> demo;
  const auto ran = run_client<Result<>>([&](net::HttpClient& client, net::Timekeeper& time) {
    demo = std::make_unique<Demo>(actions, options, std::move(*connection), client, time);
    return demo->run();
  });
  if (ran) return 0;
  fmt::print(stderr, "demo: {} ({})\n", ran.error().message, ran.error().code);
  return 1;
}

}  // namespace instantstart::app
