#include "faces/events/control_frames.h"

#include <utility>

#include "base/decode.h"
#include "base/error_codes.h"
#include "base/json.h"
#include "base/pattern.h"
#include "contract/problem.h"

namespace instantstart::faces {
namespace {

constexpr std::string_view k_all_operations = "operations";
constexpr std::string_view k_one_operation = "operation/";
constexpr double k_most_cursor = 9'007'199'254'740'991;  // 2^53 - 1: what every JSON reader keeps exactly.

Rule channel_rule() { return {.min = 1, .max = 65'535}; }
Rule credit_rule(double least) { return {.min = least, .max = static_cast<double>(k_most_credit)}; }

struct AnyFrame {
  ClientFrameType type = ClientFrameType::subscribe;
};

Type describe(AnyFrame*) {
  return object_type<AnyFrame>("ClientFrame", "A frame of a client.",
                               {field<&AnyFrame::type>("type", "What the client wants.")});
}

template <class T>
Result<ClientFrame> decode_as(const json::value& value) {
  auto frame = decode<T>(value);
  if (!frame) return std::unexpected(frame.error());
  return ClientFrame(std::move(*frame));
}

json::object frame_head(std::string_view type, std::int32_t channel, std::string_view topic) {
  return {{"type", type}, {"channel", channel}, {"topic", topic}};
}

}  // namespace

Type describe(ClientFrameType*) {
  return enum_type<ClientFrameType>("ClientFrameType", "What a client wants.",
                                    {{ClientFrameType::subscribe, {"subscribe", "To hear of a topic."}},
                                     {ClientFrameType::unsubscribe, {"unsubscribe", "To hear no more."}},
                                     {ClientFrameType::credit, {"credit", "To be sent more."}}});
}

Type describe(Subscribe*) {
  return object_type<Subscribe>(
      "Subscribe", "Begins a channel.",
      {field<&Subscribe::type>("type", "subscribe"),
       field<&Subscribe::channel>("channel", "Its number; free on this socket.", {.rule = channel_rule()}),
       field<&Subscribe::topic>("topic", "What it is about.",
                                {.rule = {.min = 1, .max = 512}, .examples = {"operations"}}),
       field<&Subscribe::cursor>("cursor", "What is after it is sent; absent: only what comes from now on.",
                                 {.rule = {.min = 0, .max = k_most_cursor}}),
       field<&Subscribe::credit>("credit", "How many frames, or bytes, may be sent.",
                                 {.defaulted = true, .rule = credit_rule(0)})});
}

Type describe(Unsubscribe*) {
  return object_type<Unsubscribe>(
      "Unsubscribe", "Ends a channel.",
      {field<&Unsubscribe::type>("type", "unsubscribe"),
       field<&Unsubscribe::channel>("channel", "Its number.", {.rule = channel_rule()})});
}

Type describe(Credit*) {
  return object_type<Credit>(
      "Credit", "Lets a channel send more.",
      {field<&Credit::type>("type", "credit"),
       field<&Credit::channel>("channel", "Its number.", {.rule = channel_rule()}),
       field<&Credit::credit>("credit", "How many more frames, or bytes.", {.rule = credit_rule(1)})});
}

Result<ClientFrame> decode_client_frame(std::string_view text) {
  auto value = parse_json(text, {.max_bytes = k_client_frame_bytes, .max_depth = 4});
  if (!value) return std::unexpected(value.error());
  json::object head;
  if (const auto* object = value->if_object()) {
    if (const auto* type = object->if_contains("type")) head["type"] = *type;
  }
  auto any = decode<AnyFrame>(head);
  if (!any) return std::unexpected(any.error());
  switch (any->type) {
    case ClientFrameType::subscribe: return decode_as<Subscribe>(*value);
    case ClientFrameType::unsubscribe: return decode_as<Unsubscribe>(*value);
    case ClientFrameType::credit: return decode_as<Credit>(*value);
  }
  std::unreachable();
}

std::optional<std::int64_t> channel_of(std::string_view text) {
  const auto value = parse_json(text, {.max_bytes = k_client_frame_bytes, .max_depth = 4});
  if (!value || !value->is_object()) return std::nullopt;
  const auto* channel = value->get_object().if_contains("channel");
  if (channel == nullptr || !channel->is_int64()) return std::nullopt;
  return channel->get_int64();
}

std::string subscribed_frame(std::int32_t channel, std::string_view topic,
                             std::optional<std::int64_t> cursor) {
  json::object frame = frame_head("subscribed", channel, topic);
  if (cursor) frame["cursor"] = *cursor;
  return to_text(frame);
}

std::string unsubscribed_frame(std::int32_t channel, std::string_view topic) {
  return to_text(frame_head("unsubscribed", channel, topic));
}

std::string ended_frame(std::int32_t channel, std::string_view topic) {
  return to_text(frame_head("ended", channel, topic));
}

std::string error_frame(std::optional<std::int64_t> channel, const Error& error,
                        const std::string& request_id) {
  json::object frame{{"type", "error"}};
  if (channel) frame["channel"] = *channel;
  frame["problem"] = encode(contract::to_problem(error, request_id));
  return to_text(frame);
}

std::string events_frame(std::string_view topic, const std::vector<operations::Event>& events) {
  json::array all;
  for (const auto& event : events) all.push_back(encode(event));
  return to_text(json::object{
      {"type", "events"}, {"topic", topic}, {"cursor", events.back().sequence}, {"events", std::move(all)}});
}

std::string view_frame(std::string_view topic, std::int64_t cursor, const operations::OperationView& view) {
  return to_text(
      json::object{{"type", "view"}, {"topic", topic}, {"cursor", cursor}, {"view", encode(view)}});
}

std::string bytes_frame(std::int32_t channel, std::string_view bytes) {
  const auto number = static_cast<std::uint32_t>(channel);
  std::string frame;
  frame.reserve(k_binary_head_bytes + bytes.size());
  for (const int shift : {24, 16, 8, 0}) frame.push_back(static_cast<char>((number >> shift) & 0xFFU));
  frame.append(bytes);
  return frame;
}

Result<std::optional<OperationTopic>> operation_topic(std::string_view topic) {
  if (topic == k_all_operations) return OperationTopic{};
  if (!topic.starts_with(k_one_operation)) return std::nullopt;
  const std::string_view id = topic.substr(k_one_operation.size());
  static const Pattern k_id("^[0-9a-zA-Z-]{1,64}$");
  if (!k_id.matches(id)) return fail(codes::invalid_request, "That can't be the id of an operation.");
  return OperationTopic{std::string(id)};
}

}  // namespace instantstart::faces
