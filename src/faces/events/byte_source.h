// Bytes that are followed over the events socket: a log, a terminal's record. Whoever has some registers an
// opener for topics of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "contract/caller.h"
#include "net/task.h"

namespace instantstart::faces {

/// One follower's. Destroyed when the follower goes; `next` is cancelled before.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// At least one byte and at most `most` of them, as soon as there are any; nullopt at the end.
  virtual Task<std::optional<std::string>> next(std::size_t most) = 0;
};

struct SourceRequest {
  std::string topic;                   ///< The whole of it.
  std::optional<std::int64_t> offset;  ///< Where to begin, in bytes; absent: the source decides.
  contract::Caller caller;             ///< Its rights on what the topic names are the opener's to check.
};

using ByteSourceOpener = std::function<Task<std::unique_ptr<ByteSource>>(SourceRequest)>;

}  // namespace instantstart::faces
