// A call that waits, as server-sent events: progress whenever something moved, a comment when it is quiet so
// that no proxy takes the connection for dead, and the result at the end.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "contract/problem.h"
#include "faces/mcp/methods.h"
#include "faces/mcp/progress.h"
#include "faces/mcp/tool_result.h"

namespace instantstart::faces {
namespace {

/// Also the least time between two notes of progress.
constexpr seconds k_slice{2};
constexpr milliseconds k_quiet{15'000};

std::string event(const json::object& message) {
  return fmt::format("event: message\ndata: {}\n\n", to_text(message));
}

class WaitingStream final : public net::BodyStream {
 public:
  WaitingStream(Methods& methods, McpCaller caller, RpcId id, WaitingCall call)
      : methods_(methods),
        caller_(std::move(caller)),
        id_(std::move(id)),
        call_(std::move(call)),
        end_(net::Deadline::in(methods.time(), call_.wait)),
        spoke_(methods.time().steady()) {}

  asio::awaitable<std::optional<std::string>> next() override {
    while (!done_) {
      auto said = co_await look();
      if (said) {
        spoke_ = methods_.time().steady();
        co_return said;
      }
      if (methods_.time().steady() - spoke_ >= k_quiet) {
        spoke_ = methods_.time().steady();
        co_return std::string(": waiting\n\n");
      }
    }
    co_return std::nullopt;
  }

 private:
  /// Waits for one slice of the time. An answer that comes before its time is over is the final one: the
  /// action had nothing more to wait for.
  asio::awaitable<std::optional<std::string>> look() {
    const auto left = std::chrono::ceil<seconds>(end_.left(methods_.time()));
    const seconds slice = std::min(left, k_slice);
    // The first look doesn't wait: it is the first word of progress.
    const seconds wait = first_ ? seconds(0) : slice;
    const net::Deadline slice_end = net::Deadline::in(methods_.time(), wait);
    call_.arguments["wait_seconds"] = wait.count();
    access::Invocation invocation{
        .action = call_.action->spec.name, .arguments = call_.arguments, .scalars_from_text = true};
    auto answer = co_await methods_.dispatcher().call(caller_.caller, std::move(invocation));
    if (!answer) {
      const auto problem = contract::to_problem(answer.error(), caller_.caller.request_id);
      co_return finish(problem_result(problem, caller_.revision));
    }
    const bool early = !first_ && !slice_end.passed(methods_.time());
    first_ = false;
    if (early || left <= seconds(0)) {
      co_return finish(methods_.shown(caller_, *call_.action, std::move(answer->body), k_result_bytes));
    }
    if (!answer->body.is_object()) co_return std::nullopt;
    Progress progress = progress_of(answer->body.get_object());
    if (told_ == progress) co_return std::nullopt;
    told_ = progress;
    co_return event(progress_notification(call_.progress_token, progress, last_));
  }

  std::string finish(json::object result) {
    done_ = true;
    return event(rpc_result(id_, methods_.finished(caller_.revision, std::move(result))));
  }

  Methods& methods_;
  McpCaller caller_;
  RpcId id_;
  WaitingCall call_;
  net::Deadline end_;
  SteadyTime spoke_;
  std::optional<Progress> told_;
  double last_ = -1;
  bool first_ = true;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<net::BodyStream> Methods::stream(McpCaller caller, RpcId id, WaitingCall call) {
  return std::make_unique<WaitingStream>(*this, std::move(caller), std::move(id), std::move(call));
}

}  // namespace instantstart::faces
