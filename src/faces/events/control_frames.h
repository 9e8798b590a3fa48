// What is said on the events socket, as values. The client's frames are decoded strictly; a frame of the
// server is made once and sent as it is to all who want it.
//
//   client   {"type":"subscribe","channel":1,"topic":"operations","cursor":17,"credit":64}
//            {"type":"credit","channel":1,"credit":32}
//            {"type":"unsubscribe","channel":1}
//   server   {"type":"subscribed","channel":1,"topic":"operations","cursor":17}
//            {"type":"events","topic":"operations","cursor":19,"events":[…]}
//            {"type":"view","topic":"operation/0193…","cursor":19,"view":{…}}
//            {"type":"ended","channel":2,"topic":"…"}        a source of bytes has no more
//            {"type":"unsubscribed","channel":1,"topic":"operations"}
//            {"type":"error","channel":1,"problem":{…}}      RFC 9457
//            binary: the channel as 4 bytes, most significant first, then at most 65,532 bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/describe.h"
#include "base/error.h"
#include "base/result.h"
#include "operations/engine.h"

namespace instantstart::faces {

inline constexpr std::string_view k_events_path = "/ws";
inline constexpr std::string_view k_events_subprotocol = "instantstart.v1";
/// Of one frame of the client.
inline constexpr std::size_t k_client_frame_bytes = 4 * 1024;
/// Of one binary frame, channel and all.
inline constexpr std::size_t k_binary_frame_bytes = 64 * 1024;
inline constexpr std::size_t k_binary_head_bytes = 4;
/// The most that a channel can hold: frames of a topic, or bytes of a source.
inline constexpr std::int64_t k_most_credit = 16 * 1024 * 1024;

enum class ClientFrameType { subscribe, unsubscribe, credit };

struct Subscribe {
  ClientFrameType type = ClientFrameType::subscribe;
  std::int32_t channel = 0;
  std::string topic;
  /// What the client has already: events after it are sent. Absent: only what happens from now on. Of a
  /// source of bytes, the offset to begin at.
  std::optional<std::int64_t> cursor;
  std::int64_t credit = 0;
};

struct Unsubscribe {
  ClientFrameType type = ClientFrameType::unsubscribe;
  std::int32_t channel = 0;
};

struct Credit {
  ClientFrameType type = ClientFrameType::credit;
  std::int32_t channel = 0;
  std::int64_t credit = 1;  ///< Comes on top of what is left.
};

Type describe(ClientFrameType*);
Type describe(Subscribe*);
Type describe(Unsubscribe*);
Type describe(Credit*);

using ClientFrame = std::variant<Subscribe, Unsubscribe, Credit>;

/// Errors: `invalid_json`, `invalid_request` with all problems.
Result<ClientFrame> decode_client_frame(std::string_view text);
/// The channel that a frame names, for the answer to one that is wrong otherwise.
std::optional<std::int64_t> channel_of(std::string_view text);

std::string subscribed_frame(std::int32_t channel, std::string_view topic,
                             std::optional<std::int64_t> cursor);
std::string unsubscribed_frame(std::int32_t channel, std::string_view topic);
std::string ended_frame(std::int32_t channel, std::string_view topic);
std::string error_frame(std::optional<std::int64_t> channel, const Error& error,
                        const std::string& request_id);
/// `events` has at least one.
std::string events_frame(std::string_view topic, const std::vector<operations::Event>& events);
/// As of event `cursor` or later.
std::string view_frame(std::string_view topic, std::int64_t cursor, const operations::OperationView& view);
std::string bytes_frame(std::int32_t channel, std::string_view bytes);

/// "operations" has no id; "operation/<id>" has.
struct OperationTopic {
  std::optional<std::string> operation_id;
};

/// nullopt for a topic of another kind; `invalid_request` for an id that can be none.
Result<std::optional<OperationTopic>> operation_topic(std::string_view topic);

}  // namespace instantstart::faces
