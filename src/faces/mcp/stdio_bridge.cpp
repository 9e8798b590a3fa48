#include "faces/mcp/stdio_bridge.h"

#include <algorithm>
#include <list>
#include <memory>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include "base/error_codes.h"
#include "faces/mcp/bridge_io.h"
#include "faces/mcp/bridge_message.h"
#include "faces/mcp/mcp.h"
#include "faces/mcp/sse_reader.h"
#include "net/signal.h"

namespace instantstart::faces {
namespace {

constexpr milliseconds k_goodbye_time{2'000};

class Bridge {
 public:
  Bridge(BridgeGround ground, BridgeOptions options)
      : ground_(std::move(ground)),
        options_(options),
        reader_(ground_.executor, ground_.input, options_.max_line_bytes),
        writer_(ground_.executor, ground_.output),
        moved_(ground_.time) {}

  asio::awaitable<void> run() {
    while (!writer_.broken()) {
      auto line = co_await reader_.next();
      if (!line) break;
      co_await take(std::move(*line));
    }
    const auto drained = net::Deadline::in(ground_.time, options_.drain);
    bool waiting = true;
    while (busy() && waiting) waiting = co_await moved_.wait(drained);
    const auto left = under_way_;  // a copy: what is cancelled takes itself off the list
    for (const auto& call : left) call->cancel.emit(asio::cancellation_type::terminal);
    co_await end_session();
    while (busy()) co_await moved_.wait(net::Deadline::never());
  }

 private:
  /// A line that was sent and is not answered yet.
  struct UnderWay {
    BridgeCall call;
    asio::cancellation_signal cancel;
    bool silent = false;  ///< The host gave it up: no answer may follow.
  };

  bool busy() const { return !under_way_.empty() || writing_; }

  asio::awaitable<void> take(LineReader::Line line) {
    if (line.too_long) {
      say(rpc_error(nullptr, {.code = rpc::invalid_request,
                              .message = "The line is longer than this server reads.",
                              .data = nullptr}));
      co_return;
    }
    if (line.text.empty()) co_return;
    auto input = parse_rpc(line.text, {.max_bytes = options_.max_line_bytes});
    if (!input) {
      say(rpc_error(input.error().id, input.error().error));
      co_return;
    }
    if (const RpcId id = cancelled_id(*input); !id.is_null()) {
      give_up(id);
      co_return;
    }
    auto call = to_call(*input);
    if (!call) co_return;  // Notifications change nothing at the server.
    while (under_way_.size() >= options_.parallel) co_await moved_.wait(net::Deadline::never());
    if (call->opens_session) {
      // What follows needs the session, so the handshake is waited for.
      handshake_ = *call;
      co_await forward(*call);
      co_return;
    }
    start(std::move(*call));
  }

  void start(BridgeCall call) {
    const auto entry = std::make_shared<UnderWay>();
    entry->call = std::move(call);
    under_way_.push_back(entry);
    auto ended = [this, entry](const std::exception_ptr& broken) {
      if (broken && !entry->silent) {
        say_all(errors_for(entry->call, {.code = std::string(codes::cancelled),
                                         .message = "The bridge ended before the answer came."}));
      }
      under_way_.remove(entry);
      moved_.notify();
    };
    asio::co_spawn(ground_.executor, forward(entry->call),
                   asio::bind_cancellation_slot(entry->cancel.slot(), std::move(ended)));
  }

  void give_up(const RpcId& id) {
    const auto given_up = std::ranges::find_if(under_way_, [&id](const auto& each) {
      return each->call.ids.size() == 1 && each->call.ids.front() == id;
    });
    if (given_up == under_way_.end()) return;
    const auto entry = *given_up;
    entry->silent = true;
    entry->cancel.emit(asio::cancellation_type::terminal);
  }

  /// Sends the call and says its answers. A session that the server has forgotten is begun again, once.
  asio::awaitable<void> forward(BridgeCall call) {
    const std::string session = session_ ? session_->id : std::string();
    auto stream = co_await send(call);
    const bool forgotten = stream && stream->status == 404 && !call.modern && !session.empty();
    if (forgotten && handshake_) {
      if (session_ && session_->id == session) {
        auto begun = co_await begin_again();
        if (!begun)
          ground_.log.warning("The session was not begun again.", {{"reason", begun.error().message}});
      }
      stream = co_await send(call);
    }
    if (!stream) {
      say_all(errors_for(call, stream.error()));
      co_return;
    }
    if (stream->headers.get("Content-Type").starts_with("text/event-stream")) {
      co_await say_events(std::move(*stream), std::move(call));
    } else {
      co_await say_body(std::move(*stream), std::move(call));
    }
  }

  Task<net::HttpClient::Stream> send(BridgeCall call) {
    auto target = ground_.find_server();
    if (!target) co_return std::unexpected(target.error());
    auto request = to_request(*target, call, session_);
    co_return co_await ground_.client.open(std::move(request),
                                           net::Deadline::in(ground_.time, options_.answer_time));
  }

  Task<std::string> read_all(net::ClientBodyStream& body) {
    std::string text;
    while (true) {
      auto piece = co_await body.next();
      if (!piece) break;
      text += *piece;
      if (text.size() > options_.max_answer_bytes) {
        co_return fail(codes::upstream_error, "The server's answer is too long.");
      }
    }
    if (body.error()) co_return std::unexpected(*body.error());
    co_return text;
  }

  void keep_session(const net::HttpClient::Stream& stream, const std::vector<json::object>& answers) {
    const std::string id(stream.headers.get(k_session_header));
    if (id.empty() || answers.empty()) return;
    const auto* result = object_member(answers.front(), "result");
    const auto revision = result ? text_member(*result, "protocolVersion") : std::nullopt;
    if (revision) session_ = BridgeSession{id, std::string(*revision)};
  }

  asio::awaitable<void> say_body(net::HttpClient::Stream stream, BridgeCall call) {
    auto text = co_await read_all(*stream.body);
    if (!text) {
      say_all(errors_for(call, text.error()));
      co_return;
    }
    const auto answers = answers_of(stream.status, *text, call);
    if (call.opens_session) keep_session(stream, answers);
    say_all(answers);
  }

  asio::awaitable<void> say_events(net::HttpClient::Stream stream, BridgeCall call) {
    SseReader events(options_.max_answer_bytes);
    bool answered = false;
    while (true) {
      auto piece = co_await stream.body->next();
      if (!piece) break;
      const auto complete = events.feed(*piece);
      if (!complete) break;
      for (const auto& text : *complete) {
        const auto value = parse_json(text, {.max_bytes = options_.max_answer_bytes});
        if (!value || !value->is_object()) continue;
        answered = answered || value->get_object().contains("id");
        say(value->get_object());
      }
    }
    if (answered) co_return;
    say_all(errors_for(call, {.code = std::string(codes::unknown_outcome),
                              .message = "The stream broke before the answer came. operation_list shows what "
                                         "runs."}));
  }

  Task<> begin_again() {
    auto stream = co_await send(*handshake_);
    if (!stream) co_return std::unexpected(stream.error());
    auto text = co_await read_all(*stream->body);
    if (!text) co_return std::unexpected(text.error());
    keep_session(*stream, answers_of(stream->status, *text, *handshake_));
    co_return Result<>();
  }

  asio::awaitable<void> end_session() {
    if (!session_) co_return;
    auto target = ground_.find_server();
    if (!target) co_return;
    net::ClientRequest request{.method = "DELETE",
                               .url = target->url + std::string(k_mcp_path),
                               .headers = {{"Authorization", "Bearer " + target->token},
                                           {std::string(k_session_header), session_->id}},
                               .use_proxy = false};
    auto ended =
        co_await ground_.client.send(std::move(request), net::Deadline::in(ground_.time, k_goodbye_time));
    if (!ended) ground_.log.debug("The session was not ended.", {{"reason", ended.error().message}});
  }

  void say_all(const std::vector<json::object>& answers) {
    for (const auto& answer : answers) say(answer);
  }

  void say(const json::object& message) {
    writer_.write(to_text(message));
    if (!writing_) flush();
  }

  void flush() {
    writing_ = true;
    asio::co_spawn(ground_.executor, writer_.flush(), [this](const std::exception_ptr&) {
      writing_ = false;
      if (writer_.broken()) reader_.stop();
      if (writer_.has_more()) flush();
      moved_.notify();
    });
  }

  BridgeGround ground_;
  BridgeOptions options_;
  LineReader reader_;
  LineWriter writer_;
  net::Signal moved_;
  std::list<std::shared_ptr<UnderWay>> under_way_;
  bool writing_ = false;
  std::optional<BridgeSession> session_;
  std::optional<BridgeCall> handshake_;
};

}  // namespace

Task<> run_stdio_bridge(BridgeGround ground, BridgeOptions options) {
  Bridge bridge(std::move(ground), options);
  co_await bridge.run();
  co_return Result<>();
}

}  // namespace instantstart::faces
