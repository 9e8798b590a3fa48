#include "faces/mcp/sessions.h"

#include <algorithm>
#include <utility>

namespace instantstart::faces {

Sessions::Sessions(const Clock& clock, Random& random, SessionLimits limits)
    : clock_(clock), random_(random), limits_(limits) {}

std::string Sessions::begin(std::string principal, Revision revision) {
  make_room();
  std::string id = make_token(random_);
  sessions_[id] = {.principal = std::move(principal), .revision = revision, .used = clock_.steady()};
  return id;
}

std::optional<Revision> Sessions::find(std::string_view id, std::string_view principal) {
  const auto session = live(id, principal);
  if (session == sessions_.end()) return std::nullopt;
  session->second.used = clock_.steady();
  return session->second.revision;
}

bool Sessions::end(std::string_view id, std::string_view principal) {
  const auto session = live(id, principal);
  if (session == sessions_.end()) return false;
  sessions_.erase(session);
  return true;
}

Sessions::Map::iterator Sessions::live(std::string_view id, std::string_view principal) {
  const auto session = sessions_.find(id);
  if (session == sessions_.end() || session->second.principal != principal) return sessions_.end();
  if (clock_.steady() - session->second.used > limits_.idle) {
    sessions_.erase(session);
    return sessions_.end();
  }
  return session;
}

void Sessions::make_room() {
  if (sessions_.size() < limits_.sessions) return;
  const auto oldest =
      std::ranges::min_element(sessions_, {}, [](const auto& session) { return session.second.used; });
  sessions_.erase(oldest);
}

}  // namespace instantstart::faces
