#include "sandbox/services/iam/oidc_providers.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/pattern.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/iam/role_rules.h"

namespace instantstart::sandbox::iam {
namespace {

using aws::iam::GetOpenIDConnectProviderResponse;

constexpr std::string_view k_scheme = "https://";
constexpr std::size_t k_most_client_ids = 100;
constexpr std::size_t k_most_thumbprints = 5;

AwsFault invalid(std::string_view message) { return fault("InvalidInput", std::string(message)).error(); }

std::optional<AwsFault> refuse(const State& state, const Call& call,
                               const aws::iam::CreateOpenIDConnectProviderRequest& in) {
  static const Pattern k_url("^https://[A-Za-z0-9.-]+(:[0-9]+)?(/[^?#]*)?$");
  static const Pattern k_thumbprint("^[0-9A-Fa-f]{40}$");
  if (!k_url.matches(*in.url))
    return fault("ValidationError", "Invalid Open ID Connect Provider URL").error();
  if (aws::items(in.client_id_list).size() > k_most_client_ids) {
    return fault("LimitExceeded", fmt::format("Cannot exceed quota for ClientIdsPerOpenIdConnectProvider: {}",
                                              k_most_client_ids))
        .error();
  }
  const auto& thumbprints = aws::items(in.thumbprint_list);
  if (thumbprints.size() > k_most_thumbprints)
    return invalid("Thumbprint list must contain fewer than 5 entries.");
  if (!std::ranges::all_of(thumbprints, [](const auto& text) { return k_thumbprint.matches(text); })) {
    return fault("ValidationError", "Invalid thumbprint").error();
  }
  if (auto refusal = refuse_tags(state, call, {}, aws::items(in.tags))) return refusal;
  if (in.context_provider || in.identity_center_instance_arn) {
    return invalid("The sandbox does not simulate trusted identity propagation.");
  }
  if (state.oidc_providers.size() < state.limits.oidc_providers) return std::nullopt;
  return fault("LimitExceeded", fmt::format("Cannot exceed quota for OpenIdConnectProvidersPerAccount: {}",
                                            state.limits.oidc_providers))
      .error();
}

/// Without the scheme and the slash at the end, as ARNs and conditions name an issuer.
std::string issuer_of(std::string_view url) {
  url.remove_prefix(k_scheme.size());
  while (url.ends_with('/')) url.remove_suffix(1);
  return std::string(url);
}

}  // namespace

Reply<aws::iam::CreateOpenIDConnectProviderResponse> create_open_id_connect_provider(
    State& state, const Call& call, const aws::iam::CreateOpenIDConnectProviderRequest& in) {
  if (auto refusal = refuse(state, call, in)) return std::unexpected(std::move(*refusal));
  const std::string issuer = issuer_of(*in.url);
  std::string arn =
      make_global_arn("iam", call.region, state.world.account(), fmt::format("oidc-provider/{}", issuer));
  if (state.oidc_providers.contains(arn)) {
    return fault("EntityAlreadyExists", fmt::format("Provider with url {} already exists.", *in.url));
  }
  state.oidc_providers.put(arn, {.url = issuer,
                                 .client_id_list = aws::items(in.client_id_list),
                                 .thumbprint_list = aws::items(in.thumbprint_list),
                                 .create_date = timestamp(state.world.now()),
                                 .tags = aws::items(in.tags)});
  return aws::iam::CreateOpenIDConnectProviderResponse{.open_id_connect_provider_arn = std::move(arn),
                                                       .tags = aws::items(in.tags)};
}

Reply<GetOpenIDConnectProviderResponse> get_open_id_connect_provider(
    State& state, const Call&, const aws::iam::GetOpenIDConnectProviderRequest& in) {
  const auto* provider = state.oidc_providers.find(*in.open_id_connect_provider_arn);
  if (provider) return *provider;
  return fault("NoSuchEntity",
               fmt::format("OpenIDConnect Provider not found for arn {}", *in.open_id_connect_provider_arn));
}

Reply<aws::iam::ListOpenIDConnectProvidersResponse> list_open_id_connect_providers(
    State& state, const Call&, const aws::iam::ListOpenIDConnectProvidersRequest&) {
  std::vector<aws::iam::OpenIDConnectProviderListEntry> entries;
  for (const auto& [arn, provider] : state.oidc_providers) entries.push_back({.arn = arn});
  return aws::iam::ListOpenIDConnectProvidersResponse{.open_id_connect_provider_list = std::move(entries)};
}

Reply<aws::Empty> delete_open_id_connect_provider(State& state, const Call&,
                                                  const aws::iam::DeleteOpenIDConnectProviderRequest& in) {
  state.oidc_providers.erase(*in.open_id_connect_provider_arn);
  return {};
}

}  // namespace instantstart::sandbox::iam
