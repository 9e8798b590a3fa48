#include "faces/events/event_socket.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "net/task_group.h"

namespace instantstart::faces {
namespace {

/// Answers that a client has not taken yet; with so many its next frames wait.
constexpr std::size_t k_most_replies = 16;

std::unexpected<Error> wrong_channel(std::int32_t channel, std::string_view why) {
  Error error{.code = std::string(codes::invalid_request), .message = std::string(why)};
  error.problems.push_back({.pointer = "/channel",
                            .rule = "value",
                            .message = std::string(why),
                            .value = std::to_string(channel),
                            .nearest = {}});
  return fail(std::move(error));
}

std::int32_t channel_named_in(const ClientFrame& frame) {
  return std::visit([](const auto& one) { return one.channel; }, frame);
}

}  // namespace

std::optional<SocketEnd> end_by_rights(const contract::Caller& caller, const Result<access::Principal>& now) {
  if (now) {
    const bool same = now->id == caller.principal && access::role_includes(now->role, caller.role);
    if (same) return std::nullopt;
    return SocketEnd{k_close_forbidden, "Your rights have changed. Connect again."};
  }
  if (now.error().code == codes::unauthenticated) {
    return SocketEnd{k_close_unauthenticated, "The session or token is not valid any more."};
  }
  return SocketEnd{net::WebSocketClose::try_again_later, "Your rights can't be checked now. Connect again."};
}

EventSocket::EventSocket(SocketParts parts, contract::Caller caller, Credential credential,
                         net::WebSocket& socket)
    : parts_(std::move(parts)),
      caller_(std::move(caller)),
      credential_(std::move(credential)),
      socket_(socket),
      idle_since_(parts_.time.steady()),
      wake_(parts_.time),
      room_(parts_.time) {}

asio::awaitable<void> EventSocket::serve() {
  net::TaskGroup beside(parts_.executor, parts_.time, parts_.log);
  beside.spawn("events socket, writing", write());
  beside.spawn("events socket, rights", watch_rights());
  std::exception_ptr broken;
  try {
    co_await read();
  } catch (...) {
    broken = std::current_exception();
  }
  // Those beside use this, so they must be gone first, whoever cancels it once more.
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  co_await beside.stop();
  co_await leave_all();
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  if (broken) std::rethrow_exception(broken);
}

asio::awaitable<void> EventSocket::leave_all() {
  for (const auto& [channel, following] : followings_) following->topic->forget(wake_);
  followings_.clear();
  while (!bytes_.empty()) leave(bytes_.begin());
  for (const auto& bytes : leaving_) co_await bytes->stop();
  leaving_.clear();
}

/// What was begun is over when it says so, not when nobody wants it any more.
ByteChannel& EventSocket::leave(std::map<std::int32_t, std::unique_ptr<ByteChannel>>::iterator channel) {
  std::erase_if(leaving_, [](const auto& bytes) { return bytes->has_ended(); });
  leaving_.push_back(std::move(channel->second));
  bytes_.erase(channel);
  return *leaving_.back();
}

// --- what the client says ----------------------------------------------------------------------------------

asio::awaitable<void> EventSocket::read() {
  while (!over_) {
    if (replies_.size() >= k_most_replies) {
      co_await room_.wait(net::Deadline::never());
      continue;
    }
    auto message = co_await socket_.read();
    if (!message) co_return;
    if (!message->text) {
      co_await socket_.close(net::WebSocketClose::unsupported_data, "Clients send text frames.");
      co_return;
    }
    auto frame = decode_client_frame(message->data);
    if (!frame) {
      refuse(channel_of(message->data), frame.error());
      continue;
    }
    const std::int32_t channel = channel_named_in(*frame);
    auto taken = co_await take(std::move(*frame));
    if (!taken) refuse(channel, taken.error());
    if (!followings_.empty() || !bytes_.empty()) idle_since_ = parts_.time.steady();
  }
}

Task<> EventSocket::take(ClientFrame frame) {
  if (auto* wanted = std::get_if<Subscribe>(&frame)) co_return co_await subscribe(std::move(*wanted));
  if (const auto* unwanted = std::get_if<Unsubscribe>(&frame)) co_return co_await unsubscribe(*unwanted);
  co_return add_credit(std::get<Credit>(frame));
}

Result<> EventSocket::check_free(const Subscribe& wanted) const {
  if (followings_.contains(wanted.channel) || bytes_.contains(wanted.channel)) {
    return wrong_channel(wanted.channel, "this channel is in use");
  }
  if (followings_.size() + bytes_.size() >= parts_.limits.channels) {
    return fail(codes::rate_limited,
                fmt::format("A socket has at most {} channels. Unsubscribe first.", parts_.limits.channels));
  }
  return {};
}

Task<> EventSocket::subscribe(Subscribe wanted) {
  if (auto fits = check_free(wanted); !fits) co_return fits;
  auto topic = operation_topic(wanted.topic);
  if (!topic) co_return std::unexpected(topic.error());
  if (*topic) co_return co_await follow(std::move(wanted), std::move(**topic));

  const auto kind = std::ranges::find_if(
      parts_.sources, [&](const SourceKind& source) { return wanted.topic.starts_with(source.prefix); });
  if (kind == parts_.sources.end()) co_return fail(codes::not_found, "There is no such topic.");
  if (!access::role_includes(caller_.role, kind->least_role)) {
    co_return fail(codes::forbidden, "Your role may not follow this topic.");
  }
  auto bytes = std::make_unique<ByteChannel>(parts_.executor, parts_.time, parts_.log, wake_, wanted.channel,
                                             wanted.topic, wanted.credit);
  bytes->start(kind->open, {.topic = wanted.topic, .offset = wanted.cursor, .caller = caller_});
  bytes_.emplace(wanted.channel, std::move(bytes));
  co_return Result<>();
}

Task<> EventSocket::follow(Subscribe wanted, OperationTopic topic) {
  const auto same = [&](const auto& entry) { return entry.second->topic->name() == wanted.topic; };
  if (std::ranges::any_of(followings_, same)) {
    co_return fail(codes::conflict, "This socket follows this topic already.");
  }
  const auto cursor = co_await parts_.feed.begin_at(wanted.cursor);
  if (!cursor) co_return std::unexpected(cursor.error());
  auto opened = co_await parts_.feed.open(wanted.topic, std::move(topic));
  if (!opened) co_return std::unexpected(opened.error());
  (*opened)->follow(wake_);
  reply(subscribed_frame(wanted.channel, wanted.topic, *cursor));
  followings_.emplace(wanted.channel, std::make_shared<Following>(Following{.channel = wanted.channel,
                                                                            .topic = std::move(*opened),
                                                                            .cursor = *cursor,
                                                                            .credit = wanted.credit}));
  co_return Result<>();
}

Task<> EventSocket::unsubscribe(Unsubscribe unwanted) {
  if (const auto found = followings_.find(unwanted.channel); found != followings_.end()) {
    const auto following = found->second;
    drop(*following);
    reply(unsubscribed_frame(unwanted.channel, following->topic->name()));
    co_return Result<>();
  }
  const auto found = bytes_.find(unwanted.channel);
  if (found == bytes_.end()) co_return wrong_channel(unwanted.channel, "nothing is followed on this channel");
  ByteChannel& bytes = leave(found);
  const std::string topic = bytes.topic();
  co_await bytes.stop();
  reply(unsubscribed_frame(unwanted.channel, topic));
  co_return Result<>();
}

Result<> EventSocket::add_credit(const Credit& more) {
  if (const auto found = followings_.find(more.channel); found != followings_.end()) {
    if (more.credit > k_most_credit - found->second->credit) {
      return wrong_channel(more.channel, "this channel has all the credit that it can hold");
    }
    found->second->credit += more.credit;
    wake_.notify();
    return {};
  }
  const auto found = bytes_.find(more.channel);
  if (found == bytes_.end()) return wrong_channel(more.channel, "nothing is followed on this channel");
  if (found->second->add_credit(more.credit)) return {};
  return wrong_channel(more.channel, "this channel has all the credit that it can hold");
}

void EventSocket::drop(Following& following) {
  following.gone = true;
  following.topic->forget(wake_);
  followings_.erase(following.channel);
}

void EventSocket::reply(std::string frame) {
  replies_.push_back(std::move(frame));
  wake_.notify();
}

void EventSocket::refuse(std::optional<std::int64_t> channel, const Error& error) {
  reply(error_frame(channel, error, caller_.request_id));
}

// --- what it is told ---------------------------------------------------------------------------------------

asio::awaitable<void> EventSocket::write() {
  while (true) {
    const std::uint64_t seen = wake_.generation();
    auto outgoing = co_await next_frame();
    if (!outgoing) {
      co_await wake_.wait_after(seen, net::Deadline::never());
      continue;
    }
    auto writing = outgoing->binary ? socket_.write_binary(std::move(outgoing->frame))
                                    : socket_.write_text(std::move(outgoing->frame));
    const bool written = co_await std::move(writing);
    if (!written) {
      over_ = true;
      room_.notify();
      co_return;
    }
  }
}

asio::awaitable<std::optional<EventSocket::Outgoing>> EventSocket::next_frame() {
  if (!replies_.empty()) {
    Outgoing outgoing{.frame = std::move(replies_.front())};
    replies_.pop_front();
    room_.notify();
    co_return outgoing;
  }
  auto events = co_await next_events();
  if (events) co_return events;
  if (auto view = next_view()) co_return view;
  co_return next_bytes();
}

/// Channels take turns.
template <class Pred>
std::shared_ptr<EventSocket::Following> EventSocket::pick(Pred wants) {
  auto at = followings_.upper_bound(events_turn_);
  for (std::size_t i = 0; i < followings_.size(); ++i, ++at) {
    if (at == followings_.end()) at = followings_.begin();
    if (at->second->credit == 0 || !wants(*at->second)) continue;
    events_turn_ = at->first;
    return at->second;
  }
  return nullptr;
}

asio::awaitable<std::optional<EventSocket::Outgoing>> EventSocket::next_events() {
  const auto wants = [](const Following& one) {
    return one.topic->next(one.cursor).kind != Topic::Next::Kind::nothing;
  };
  while (const auto following = pick(wants)) {
    auto piece = co_await parts_.feed.next(following->topic, following->cursor);
    if (following->gone) continue;
    if (!piece) {
      drop(*following);
      co_return Outgoing{error_frame(following->channel, piece.error(), caller_.request_id)};
    }
    following->cursor = piece->cursor;
    if (!piece->frame) continue;
    --following->credit;
    co_return Outgoing{*piece->frame};
  }
  co_return std::nullopt;
}

std::optional<EventSocket::Outgoing> EventSocket::next_view() {
  const auto following = pick([](const Following& one) { return one.topic->view().version > one.seen_view; });
  if (!following) return std::nullopt;
  following->seen_view = following->topic->view().version;
  --following->credit;
  return Outgoing{*following->topic->view().frame};
}

std::optional<EventSocket::Outgoing> EventSocket::next_bytes() {
  auto at = bytes_.upper_bound(bytes_turn_);
  for (std::size_t i = 0; i < bytes_.size(); ++i, ++at) {
    if (at == bytes_.end()) at = bytes_.begin();
    auto said = at->second->take();
    if (!said) continue;
    bytes_turn_ = at->first;
    if (said->last) leave(at);
    return Outgoing{.frame = std::move(said->frame), .binary = said->binary};
  }
  return std::nullopt;
}

// --- whether it still may ----------------------------------------------------------------------------------

asio::awaitable<void> EventSocket::watch_rights() {
  while (true) {
    co_await parts_.time.sleep(parts_.limits.check_rights_every);
    const auto principal = co_await principal_of(parts_.credentials, credential_);
    auto end = end_by_rights(caller_, principal);
    const bool idle = followings_.empty() && bytes_.empty() &&
                      parts_.time.steady() >= net::later(idle_since_, parts_.limits.idle);
    if (!end && idle) end = SocketEnd{net::WebSocketClose::policy_violation, "Nothing was subscribed to."};
    if (!end) continue;
    co_await socket_.close(end->code, std::move(end->reason));
    co_return;
  }
}

}  // namespace instantstart::faces
