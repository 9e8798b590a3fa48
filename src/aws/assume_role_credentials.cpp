#include "aws/assume_role_credentials.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "aws/container_credentials.h"
#include "aws/credentials_chain.h"
#include "aws/environment_credentials.h"
#include "aws/instance_credentials.h"
#include "aws/web_identity_credentials.h"
#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

bool has_keys(const IniSection& profile) {
  return profile.contains("aws_access_key_id") || profile.contains("aws_secret_access_key");
}

bool has_role(const IniSection& profile) {
  return profile.contains("role_arn") && !profile.contains("web_identity_token_file");
}

std::optional<std::string> text_of(const IniSection& profile, std::string_view name) {
  const std::string* value = profile.find(name);
  return value ? std::optional(*value) : std::nullopt;
}

/// What is no number is left out, as botocore does it.
std::optional<std::int64_t> number_of(const IniSection& profile, std::string_view name) {
  const std::string* value = profile.find(name);
  std::int64_t number = 0;
  if (!value) return std::nullopt;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  return error == std::errc() && end == value->data() + value->size() ? std::optional(number) : std::nullopt;
}

std::unexpected<Error> invalid(std::string_view profile, std::string_view why) {
  return fail(codes::credentials_invalid, fmt::format("Profile '{}': {}", profile, why));
}

Result<RoleLink> link_of(const IniSection& section, std::string_view name) {
  if (section.contains("mfa_serial")) {
    return invalid(name, "its role wants an MFA code (mfa_serial), which is not supported here");
  }
  return RoleLink{.profile = std::string(name),
                  .role_arn = text_of(section, "role_arn").value_or(""),
                  .session_name = text_of(section, "role_session_name"),
                  .external_id = text_of(section, "external_id"),
                  .duration_seconds = number_of(section, "duration_seconds")};
}

/// A profile may name itself, if that is the first: its role is then assumed with its own keys.
Result<> check_source(const SharedConfig& config, std::string_view name, std::string_view source,
                      const std::vector<std::string>& visited) {
  const auto found = config.profiles.find(source);
  if (found == config.profiles.end()) {
    return invalid(name, fmt::format("its source_profile '{}' does not exist", source));
  }
  const bool again = std::ranges::find(visited, source) != visited.end();
  if (again && (source != name || !has_keys(found->second))) {
    return invalid(name, fmt::format("its source_profile '{}' leads back to itself", source));
  }
  return {};
}

Result<> check_named_source(std::string_view profile, std::string_view source) {
  if (source == "Environment" || source == "Ec2InstanceMetadata" || source == "EcsContainer") return {};
  return invalid(profile, fmt::format("there is no credential_source '{}'", source));
}

}  // namespace

Result<std::optional<RoleChain>> role_chain(const SharedConfig& config, std::string_view profile) {
  if (!has_role(config.profile(profile))) return std::nullopt;
  RoleChain chain;
  std::vector<std::string> visited{std::string(profile)};
  std::string current(profile);
  for (;;) {
    const IniSection& section = config.profile(current);
    const auto source = text_of(section, "source_profile");
    const auto named = text_of(section, "credential_source");
    if (source && named) return invalid(current, "it has both source_profile and credential_source");
    if (!source && !named)
      return invalid(current, "it has role_arn, but no source_profile or credential_source");
    auto checked =
        source ? check_source(config, current, *source, visited) : check_named_source(current, *named);
    if (!checked) return fail(std::move(checked.error()));
    auto link = link_of(section, current);
    if (!link) return fail(std::move(link.error()));
    chain.links.insert(chain.links.begin(), std::move(*link));
    if (named) {
      chain.credential_source = *named;
      return chain;
    }
    const IniSection& next = config.profile(*source);
    if (has_keys(next) || !has_role(next)) {
      chain.source_profile = *source;
      return chain;
    }
    visited.push_back(*source);
    current = *source;
  }
}

Task<std::optional<Credentials>> AssumeRoleCredentials::load(net::Deadline deadline) {
  auto chain = role_chain(config_, profile_);
  if (!chain) co_return fail(std::move(chain.error()));
  if (!*chain) co_return std::nullopt;

  Result<Credentials> credentials = Credentials{};
  if ((*chain)->credential_source.empty()) {
    credentials = co_await from_profile((*chain)->source_profile, deadline);
  } else {
    credentials = co_await from_named_source((*chain)->credential_source, profile_, deadline);
  }
  for (const auto& link : (*chain)->links) {
    if (!credentials) break;
    RoleRequest request{
        .role_arn = link.role_arn,
        .session_name = link.session_name.value_or(default_session_name(context_.time.wall())),
        .external_id = link.external_id,
        .duration_seconds = link.duration_seconds};
    credentials = co_await context_.roles.assume_role(std::move(request), std::move(*credentials), deadline);
    if (!credentials) {
      credentials = fail(within(fmt::format("Assume the role of profile '{}'", link.profile),
                                std::move(credentials.error())));
    }
  }
  if (!credentials) co_return fail(std::move(credentials.error()));
  credentials->source = "assume-role";
  co_return std::move(*credentials);
}

Task<Credentials> AssumeRoleCredentials::from_profile(std::string profile, net::Deadline deadline) {
  for (const auto& source : profile_sources(context_, config_, profile, true)) {
    auto found = co_await source->load(deadline);
    if (!found) co_return fail(std::move(found.error()));
    if (*found) co_return std::move(**found);
  }
  co_return invalid(profile, "it is a source_profile, but has no credentials");
}

Task<Credentials> AssumeRoleCredentials::from_named_source(std::string name, std::string profile,
                                                           net::Deadline deadline) {
  std::unique_ptr<CredentialsSource> source;
  if (name == "Environment") {
    source = std::make_unique<EnvironmentCredentials>(context_.environment);
  } else if (name == "EcsContainer") {
    source = std::make_unique<ContainerCredentials>(context_);
  } else {
    source = std::make_unique<InstanceCredentials>(context_, config_);
  }
  auto found = co_await source->load(deadline);
  if (!found) co_return fail(std::move(found.error()));
  if (!*found) co_return invalid(profile, fmt::format("its credential_source '{}' has no credentials", name));
  co_return std::move(**found);
}

}  // namespace instantstart::aws
