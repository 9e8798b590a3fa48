// OpenID Connect providers: whose web identity tokens the account trusts.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/iam/state.h"

namespace instantstart::sandbox::iam {

Reply<aws::iam::CreateOpenIDConnectProviderResponse> create_open_id_connect_provider(
    State& state, const Call& call, const aws::iam::CreateOpenIDConnectProviderRequest& in);
Reply<aws::iam::GetOpenIDConnectProviderResponse> get_open_id_connect_provider(
    State& state, const Call& call, const aws::iam::GetOpenIDConnectProviderRequest& in);
Reply<aws::iam::ListOpenIDConnectProvidersResponse> list_open_id_connect_providers(
    State& state, const Call& call, const aws::iam::ListOpenIDConnectProvidersRequest& in);
/// Nothing happens when it is gone, as IAM has it.
Reply<aws::Empty> delete_open_id_connect_provider(State& state, const Call& call,
                                                  const aws::iam::DeleteOpenIDConnectProviderRequest& in);

}  // namespace instantstart::sandbox::iam
