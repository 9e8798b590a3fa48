#include "sandbox/services/sts/sts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/pattern.h"
#include "base/text.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/sts/trust_policy.h"

namespace instantstart::sandbox {
namespace {

namespace sts = aws::sts;

/// STS API reference, AssumeRole: DurationSeconds defaults to an hour; a session of a session lasts an hour
/// at most.
constexpr std::int64_t k_default_seconds = 3600;
constexpr std::int64_t k_longest_chained = 3600;

Reply<std::string> checked_session_name(const std::string& name) {
  static const Pattern allowed(R"(^[\w+=,.@-]*$)");
  if (allowed.matches(name)) return name;
  return fault("ValidationError",
               fmt::format("1 validation error detected: Value '{}' at 'roleSessionName' failed to satisfy "
                           "constraint: Member must satisfy regular expression pattern: [\\w+=,.@-]*",
                           shortened(name, 100)));
}

Reply<seconds> checked_duration(const std::optional<std::int64_t>& asked, const AssumableRole& role,
                                bool chained) {
  const std::int64_t duration = asked.value_or(k_default_seconds);
  if (duration > role.max_session_seconds) {
    return fault("ValidationError",
                 "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.");
  }
  if (chained && duration > k_longest_chained) {
    return fault("ValidationError",
                 "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role "
                 "chaining.");
  }
  return seconds(duration);
}

std::unexpected<AwsFault> not_authorized(std::string_view who, std::string_view action,
                                         std::string_view role) {
  if (who.empty()) return fault("AccessDenied", fmt::format("Not authorized to perform {}", action), 403);
  return fault("AccessDenied",
               fmt::format("User: {} is not authorized to perform: {} on resource: {}", who, action, role),
               403);
}

/// The conditions that an OIDC provider's token answers (IAM User Guide, "Available keys for AWS OIDC
/// federation").
ConditionContext token_context(const WebIdentity& identity) {
  return {{to_lower(identity.issuer + ":sub"), {identity.subject}},
          {to_lower(identity.issuer + ":aud"), {identity.audience}}};
}

}  // namespace

struct StsService::NewSession {
  sts::Credentials credentials;
  sts::AssumedRoleUser user;
};

StsService::StsService(World& world, AccessKeys& keys, const RoleDirectory& roles,
                       const IdentityProviders& providers)
    : Service(sts::service()), world_(world), keys_(keys), roles_(roles), providers_(providers) {
  on<sts::GetCallerIdentity>(
      [this](const Call& call, const sts::GetCallerIdentityRequest&) { return get_caller_identity(call); });
  on<sts::AssumeRole>(
      [this](const Call& call, const sts::AssumeRoleRequest& in) { return assume_role(call, in); });
  on<sts::AssumeRoleWithWebIdentity>(
      [this](const Call& call, const sts::AssumeRoleWithWebIdentityRequest& in) {
        return assume_role_with_web_identity(call, in);
      });
}

Reply<sts::GetCallerIdentityResponse> StsService::get_caller_identity(const Call& call) const {
  return sts::GetCallerIdentityResponse{
      .user_id = call.principal_id, .account = world_.account(), .arn = call.principal_arn};
}

Reply<sts::AssumeRoleResponse> StsService::assume_role(const Call& call, const sts::AssumeRoleRequest& in) {
  const auto name = checked_session_name(*in.role_session_name);
  if (!name) return std::unexpected(name.error());
  const AccessKey* caller = keys_.find(call.access_key_id);
  TrustQuestion question{.action = "sts:AssumeRole",
                         .account = world_.account(),
                         .principal_arn = call.principal_arn,
                         .role_arn = caller ? caller->role_arn : std::nullopt,
                         .provider_arn = {},
                         .context = {}};
  if (in.external_id) question.context["sts:externalid"] = {*in.external_id};
  question.context["sts:rolesessionname"] = {*name};
  question.context["aws:principalarn"] = {call.principal_arn};
  question.context["aws:principalaccount"] = {world_.account()};

  const auto role = roles_.find_role(*in.role_arn);
  if (!role || !is_trusted(role->trust_policy, question)) {
    return not_authorized(call.principal_arn, question.action, *in.role_arn);
  }
  const auto duration = checked_duration(in.duration_seconds, *role, caller && caller->is_session());
  if (!duration) return std::unexpected(duration.error());
  auto session = make_session(call, *role, *name, *duration);
  return sts::AssumeRoleResponse{.credentials = std::move(session.credentials),
                                 .assumed_role_user = std::move(session.user),
                                 .source_identity = in.source_identity};
}

Reply<sts::AssumeRoleWithWebIdentityResponse> StsService::assume_role_with_web_identity(
    const Call& call, const sts::AssumeRoleWithWebIdentityRequest& in) {
  const auto name = checked_session_name(*in.role_session_name);
  if (!name) return std::unexpected(name.error());
  auto identity = providers_.verify(*in.web_identity_token);
  if (!identity) return std::unexpected(std::move(identity.error()));
  TrustQuestion question{.action = "sts:AssumeRoleWithWebIdentity",
                         .account = world_.account(),
                         .principal_arn = {},
                         .role_arn = {},
                         .provider_arn = identity->provider_arn,
                         .context = token_context(*identity)};
  question.context["sts:rolesessionname"] = {*name};

  const auto role = roles_.find_role(*in.role_arn);
  if (!role || !is_trusted(role->trust_policy, question)) {
    return not_authorized("", question.action, *in.role_arn);
  }
  const auto duration = checked_duration(in.duration_seconds, *role, false);
  if (!duration) return std::unexpected(duration.error());
  auto session = make_session(call, *role, *name, *duration);
  return sts::AssumeRoleWithWebIdentityResponse{
      .credentials = std::move(session.credentials),
      .subject_from_web_identity_token = std::move(identity->subject),
      .assumed_role_user = std::move(session.user),
      .provider = std::move(identity->provider_arn),
      .audience = std::move(identity->audience)};
}

StsService::NewSession StsService::make_session(const Call& call, const AssumableRole& role,
                                                const std::string& session_name, seconds duration) {
  const std::string arn = make_global_arn("sts", call.region, world_.account(),
                                          fmt::format("assumed-role/{}/{}", role.name, session_name));
  const std::string id = fmt::format("{}:{}", role.unique_id, session_name);
  const AccessKey& key =
      keys_.make_session({.principal_arn = arn, .principal_id = id, .role_arn = role.arn}, duration);
  // AWS tells the end in whole seconds.
  const auto end = std::chrono::floor<seconds>(WallTime(milliseconds(*key.expires_ms)));
  return {.credentials = {.access_key_id = key.id,
                          .secret_access_key = key.secret,
                          .session_token = key.session_token,
                          .expiration = aws::Timestamp{end}},
          .user = {.assumed_role_id = id, .arn = arn}};
}

}  // namespace instantstart::sandbox
