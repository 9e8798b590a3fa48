// Sessions of the revisions that begin with a handshake. They hold nothing but the revision: operations,
// confirmations and selections belong to the principal and outlive them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/time.h"
#include "faces/mcp/revision.h"

namespace instantstart::faces {

struct SessionLimits {
  std::size_t sessions = 1024;          ///< The one unused for longest makes room.
  milliseconds idle{24 * 3600 * 1000};  ///< Unused for so long, a session ends.
};

class Sessions {
 public:
  Sessions(const Clock& clock, Random& random, SessionLimits limits = {});

  /// The new session's id: unguessable, visible ASCII.
  std::string begin(std::string principal, Revision revision);
  /// Its revision; nullopt when it is unknown, has ended, or belongs to somebody else. Counts as use.
  std::optional<Revision> find(std::string_view id, std::string_view principal);
  /// False when there was none.
  bool end(std::string_view id, std::string_view principal);

  std::size_t size() const { return sessions_.size(); }

 private:
  struct Session {
    std::string principal;
    Revision revision;
    SteadyTime used;
  };
  using Map = std::map<std::string, Session, std::less<>>;

  Map::iterator live(std::string_view id, std::string_view principal);
  void make_room();

  const Clock& clock_;
  Random& random_;
  SessionLimits limits_;
  Map sessions_;
};

}  // namespace instantstart::faces
