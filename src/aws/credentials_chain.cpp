#include "aws/credentials_chain.h"

#include "aws/assume_role_credentials.h"
#include "aws/container_credentials.h"
#include "aws/environment_credentials.h"
#include "aws/instance_credentials.h"
#include "aws/profile_credentials.h"
#include "aws/web_identity_credentials.h"
#include "base/error_codes.h"

namespace instantstart::aws {

std::vector<std::unique_ptr<CredentialsSource>> profile_sources(CredentialsContext context,
                                                                const SharedConfig& config,
                                                                std::string profile, bool profile_only) {
  using Way = UnsupportedProfile::Way;
  std::vector<std::unique_ptr<CredentialsSource>> sources;
  sources.push_back(
      std::make_unique<WebIdentityCredentials>(std::move(context), config, profile, profile_only));
  sources.push_back(std::make_unique<UnsupportedProfile>(config, profile, Way::single_sign_on));
  sources.push_back(std::make_unique<CredentialsFileKeys>(config, profile));
  sources.push_back(std::make_unique<UnsupportedProfile>(config, profile, Way::login));
  sources.push_back(std::make_unique<UnsupportedProfile>(config, profile, Way::credential_process));
  sources.push_back(std::make_unique<ConfigFileKeys>(config, profile));
  return sources;
}

std::vector<std::unique_ptr<CredentialsSource>> credential_sources(CredentialsContext context,
                                                                   const SharedConfig& config) {
  std::vector<std::unique_ptr<CredentialsSource>> sources;
  if (!config.profile_asked) sources.push_back(std::make_unique<EnvironmentCredentials>(context.environment));
  sources.push_back(std::make_unique<AssumeRoleCredentials>(context, config, config.profile_name));
  for (auto& source : profile_sources(context, config, config.profile_name, config.profile_asked)) {
    sources.push_back(std::move(source));
  }
  sources.push_back(std::make_unique<ContainerCredentials>(context));
  sources.push_back(std::make_unique<InstanceCredentials>(context, config));
  return sources;
}

Result<std::shared_ptr<CredentialsChain::Search>> CredentialsChain::search() {
  if (search_) return search_;
  auto config = load_shared_config(context_.environment, profile_);
  if (!config) return fail(std::move(config.error()));
  auto search = std::make_shared<Search>();
  search->config = std::move(*config);
  search->sources = credential_sources(context_, search->config);
  return search;
}

Task<Credentials> CredentialsChain::get(net::Deadline deadline) {
  const auto current = search();
  if (!current) co_return fail(current.error());
  Search& search = **current;
  for (const auto& source : search.sources) {
    if (search.found && search.found != source.get()) continue;
    auto credentials = co_await source->load(deadline);
    if (!credentials) co_return fail(std::move(credentials.error()));
    if (!*credentials) continue;
    search.found = source.get();
    search_ = *current;
    co_return std::move(**credentials);
  }
  if (deadline.passed(context_.time)) {
    co_return fail(codes::deadline_exceeded, "The deadline passed while looking for AWS credentials");
  }
  co_return fail(
      codes::credentials_missing,
      "There are no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a profile by "
      "AWS_PROFILE, or run where AWS gives a role");
}

void CredentialsChain::refused(const Credentials&) { search_.reset(); }

}  // namespace instantstart::aws
