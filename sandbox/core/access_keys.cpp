#include "sandbox/core/access_keys.h"

#include <array>
#include <stdexcept>
#include <vector>

#include "base/digest.h"
#include "sandbox/core/arn.h"

namespace instantstart::sandbox {
namespace {

constexpr std::size_t k_key_id_length = 20;
constexpr std::size_t k_secret_bytes = 30;  // 40 characters of base64
constexpr std::size_t k_token_bytes = 240;
constexpr seconds k_remembered{24 * 60 * 60};

}  // namespace

Type describe(AccessKey*) {
  using K = AccessKey;
  return object_type<K>(
      "AccessKey", "Somebody who may sign.",
      {field<&K::id>("id", "Access key id."),
       field<&K::secret>("secret", "Secret access key.", {.secret = true}),
       field<&K::session_token>("session_token", "Session token.", {.secret = true}),
       field<&K::principal_arn>("principal_arn", "ARN of the user or session."),
       field<&K::principal_id>("principal_id", "Unique id of the user or session."),
       field<&K::expires_ms>("expires_ms", "Wall time, milliseconds since 1970; absent: never."),
       field<&K::role_arn>("role_arn", "The role of a session.")});
}

AccessKeys::AccessKeys(World& world)
    : world_(world), users_(world, "sandbox.access_key", OnReset::keep), sessions_(world, "sandbox.session") {
  world_.on_new_account([this] {
    if (users_.size() == 0) make_root();
  });
}

const AccessKey* AccessKeys::find(std::string_view id) const {
  const AccessKey* user = users_.find(id);
  return user ? user : sessions_.find(id);
}

const AccessKey& AccessKeys::root() const {
  if (users_.size() == 0) throw std::logic_error("The account has no key: the world is not loaded");
  return users_.begin()->second;
}

/// A user, not the account's root: that one can't assume roles.
void AccessKeys::make_root() {
  std::string id = world_.make_capital_id("AKID", k_key_id_length);
  users_.put(id, AccessKey{.id = id,
                           .secret = make_secret(k_secret_bytes),
                           .principal_arn = make_global_arn("iam", "", world_.account(), "user/sandbox"),
                           .principal_id = world_.make_capital_id("AIDA")});
}

const AccessKey& AccessKeys::make_session(SessionSubject subject, seconds duration) {
  forget_old_sessions();
  std::string id = world_.make_capital_id("ASID", k_key_id_length);
  const milliseconds end = world_.now().time_since_epoch() + duration;
  sessions_.put(id, AccessKey{.id = id,
                              .secret = make_secret(k_secret_bytes),
                              .session_token = make_secret(k_token_bytes),
                              .principal_arn = std::move(subject.principal_arn),
                              .principal_id = std::move(subject.principal_id),
                              .expires_ms = end.count(),
                              .role_arn = std::move(subject.role_arn)});
  return *sessions_.find(id);
}

void AccessKeys::expire_sessions() {
  const WallTime now = world_.now();
  for (const auto& [id, key] : sessions_) {
    if (key.expired(now)) continue;
    sessions_.edit(id, [now](AccessKey& session) { session.expires_ms = now.time_since_epoch().count(); });
  }
}

void AccessKeys::forget_old_sessions() {
  const WallTime long_ago = world_.now() - k_remembered;
  std::vector<std::string> old;
  for (const auto& [id, key] : sessions_) {
    if (key.expired(long_ago)) old.push_back(id);
  }
  for (const auto& id : old) sessions_.erase(id);
}

std::string AccessKeys::make_secret(std::size_t bytes) {
  std::string random(bytes, '\0');
  world_.random().fill({reinterpret_cast<std::uint8_t*>(random.data()), random.size()});
  return to_base64(random);
}

}  // namespace instantstart::sandbox
