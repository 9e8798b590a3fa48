// One topic: the latest frames of its events, ready to be sent to all who follow it, and where each follower
// goes on. A follower that is too far behind reads from the journal until it is back among these frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/signal.h"

namespace instantstart::faces {

using SharedFrame = std::shared_ptr<const std::string>;

/// Loop thread only.
class Topic {
 public:
  /// `position`: the newest event that was looked at; those after it are added.
  Topic(std::string name, std::optional<std::string> operation_id, std::int64_t position,
        std::size_t kept_bytes);

  const std::string& name() const { return name_; }
  /// nullopt: all operations.
  const std::optional<std::string>& operation_id() const { return operation_id_; }

  /// A frame with the topic's events of [first, last]; nothing of the topic lies between it and the one
  /// before.
  void add(std::int64_t first, std::int64_t last, SharedFrame frame);

  struct Next {
    enum class Kind { nothing, frame, read };
    Kind kind = Kind::nothing;
    std::int64_t last = 0;  ///< frame: where the follower is then. read: the last event to read.
    SharedFrame frame = nullptr;
  };
  /// What a follower gets that has everything up to `cursor`. `read`: its events after the cursor up to
  /// `last` are in the journal only; with none of them it is at `last`.
  Next next(std::int64_t cursor) const;

  struct View {
    std::uint64_t version = 0;  ///< 0: none yet. A follower that saw an older one wants this one.
    SharedFrame frame = nullptr;
  };
  const View& view() const { return view_; }
  void set_view(SharedFrame frame);

  /// Notified with everything new; must stay until `forget`.
  void follow(net::Signal& wake) { followers_.push_back(&wake); }
  void forget(net::Signal& wake);
  std::size_t followers() const { return followers_.size(); }

 private:
  struct Batch {
    std::int64_t first;
    std::int64_t last;
    SharedFrame frame;
  };
  void wake() const;

  std::string name_;
  std::optional<std::string> operation_id_;
  std::int64_t floor_;  ///< Every event of the topic after it is in a batch.
  std::size_t kept_bytes_;
  std::size_t bytes_ = 0;
  std::deque<Batch> batches_;
  View view_;
  std::vector<net::Signal*> followers_;
};

}  // namespace instantstart::faces
