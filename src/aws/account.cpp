#include "aws/account.h"

#include <charconv>

#include "aws/credentials_chain.h"
#include "aws/region.h"
#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

constexpr int k_default_attempts = 3;

/// AWS_MAX_ATTEMPTS, else the profile's max_attempts.
Result<int> max_attempts(const Environment& environment, const SharedConfig& config) {
  const auto text = setting(environment, config, "AWS_MAX_ATTEMPTS", "max_attempts");
  if (!text) return k_default_attempts;
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || value < 1 || value > 100) {
    return fail(codes::credentials_invalid, "max_attempts (AWS_MAX_ATTEMPTS) is not a number from 1 to 100");
  }
  return value;
}

}  // namespace

Result<std::unique_ptr<Account>> Account::open(AccountRequest request, const Environment& environment,
                                               net::HttpClient& http, net::Timekeeper& time, Random& random,
                                               Log log) {
  const auto config = load_shared_config(environment, request.profile);
  if (!config) return fail(config.error());
  auto region = configured_region(environment, *config, request.region);
  if (!region) {
    return fail(codes::invalid_request,
                "No AWS region is set: name one, or set AWS_REGION or the profile's region");
  }
  auto endpoints = load_endpoint_config(environment, *config);
  if (!endpoints) return fail(std::move(endpoints.error()));
  const auto attempts = max_attempts(environment, *config);
  if (!attempts) return fail(attempts.error());
  ClientConfig client{.region = std::move(*region),
                      .endpoints = std::move(*endpoints),
                      .user_agent = std::move(request.user_agent),
                      .max_attempts = *attempts};
  return std::unique_ptr<Account>(new Account(std::move(client), std::move(request.profile), environment,
                                              http, time, random, std::move(log)));
}

Account::Account(ClientConfig config, std::optional<std::string> profile, const Environment& environment,
                 net::HttpClient& http, net::Timekeeper& time, Random& random, Log log)
    : roles_(config, http, time, random, log),
      credentials_(std::make_unique<CredentialsChain>(CredentialsContext{.environment = environment,
                                                                         .http = http,
                                                                         .roles = roles_,
                                                                         .time = time,
                                                                         .random = random,
                                                                         .log = log},
                                                      std::move(profile)),
                   time, log),
      client_(std::move(config), credentials_, http, time, random, log) {}

Task<EksToken> Account::eks_token(std::string cluster_id, net::Deadline deadline) {
  const auto endpoint = client_.endpoint("sts");
  if (!endpoint) co_return fail(endpoint.error());
  auto credentials = co_await credentials_.get(deadline);
  if (!credentials) co_return fail(std::move(credentials.error()));
  co_return make_eks_token({.cluster_id = std::move(cluster_id),
                            .region = endpoint->signing_region,
                            .sts_endpoint = endpoint->url},
                           *credentials, client_.aws_time());
}

}  // namespace instantstart::aws
