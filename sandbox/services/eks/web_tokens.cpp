#include "sandbox/services/eks/web_tokens.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/eks/signing_keys.h"

namespace instantstart::sandbox::eks {
namespace {

/// AssumeRoleWithWebIdentity's limit on WebIdentityToken (STS API reference).
constexpr std::size_t k_longest_token = 20000;
constexpr std::string_view k_scheme = "https://";

/// A token taken apart; nothing of it is believed yet.
struct Parts {
  std::string_view signed_text;
  std::string signature;
  json::object header;
  json::object claims;
};

std::optional<json::object> object_of(std::string_view base64url) {
  const auto text = from_base64url(base64url);
  if (!text) return std::nullopt;
  auto value = parse_json(*text);
  if (!value || !value->is_object()) return std::nullopt;
  return std::move(value->get_object());
}

std::optional<Parts> take_apart(std::string_view token) {
  if (token.size() > k_longest_token) return std::nullopt;
  const auto pieces = split(token, '.');
  if (pieces.size() != 3) return std::nullopt;
  auto header = object_of(pieces[0]);
  auto claims = object_of(pieces[1]);
  auto signature = from_base64url(pieces[2]);
  if (!header || !claims || !signature) return std::nullopt;
  return Parts{.signed_text = token.substr(0, pieces[0].size() + 1 + pieces[1].size()),
               .signature = std::move(*signature),
               .header = std::move(*header),
               .claims = std::move(*claims)};
}

std::string text_claim(const json::object& claims, std::string_view name) {
  const auto* value = claims.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

/// Seconds since 1970; nullopt when there is none.
std::optional<std::int64_t> time_claim(const json::object& claims, std::string_view name) {
  const auto* value = claims.if_contains(name);
  if (!value || !value->is_number()) return std::nullopt;
  boost::system::error_code inexact;
  const auto number = value->to_number<std::int64_t>(inexact);
  if (inexact) return std::nullopt;
  return number;
}

std::vector<std::string> audiences_of(const json::object& claims) {
  const auto* value = claims.if_contains("aud");
  if (!value) return {};
  if (value->is_string()) return {std::string(value->get_string())};
  std::vector<std::string> audiences;
  if (!value->is_array()) return audiences;
  for (const auto& one : value->get_array()) {
    if (one.is_string()) audiences.emplace_back(one.get_string());
  }
  return audiences;
}

bool is_signed_by(const ClusterInternals& cluster, const Parts& token) {
  return text_claim(token.header, "alg") == "RS256" &&
         verify_rs256(cluster.signing_key, token.signed_text, token.signature);
}

std::int64_t seconds_now(const State& state) {
  return std::chrono::floor<seconds>(state.world.now()).time_since_epoch().count();
}

/// One of the token's audiences that is among the accepted ones.
std::optional<std::string> accepted_audience(const json::object& claims,
                                             const std::vector<std::string>& accepted) {
  for (auto& audience : audiences_of(claims)) {
    if (std::ranges::find(accepted, audience) != accepted.end()) return std::move(audience);
  }
  return std::nullopt;
}

std::unexpected<AwsFault> invalid_token(std::string message) {
  return fault("InvalidIdentityToken", std::move(message));
}

std::optional<AwsFault> refuse_times(const State& state, const json::object& claims) {
  const std::int64_t now = seconds_now(state);
  const auto expires = time_claim(claims, "exp");
  if (!expires) return invalid_token("Missing a required claim: exp").error();
  if (now >= *expires) {
    return fault("ExpiredTokenException",
                 fmt::format("Token expired: current date/time {} must be before the expiration date/time {}",
                             now, *expires))
        .error();
  }
  if (time_claim(claims, "nbf").value_or(0) > now) {
    return invalid_token("The token is not valid yet").error();
  }
  return std::nullopt;
}

const ClusterInternals* find_by_issuer(const State& state, std::string_view issuer) {
  for (const auto& [key, cluster] : state.cluster_internals) {
    if (issuer_url(cluster.region, cluster.id) == issuer) return &cluster;
  }
  return nullptr;
}

json::object claims_of(const State& state, const ClusterInternals& cluster,
                       const ServiceAccountTokenSpec& spec) {
  const std::int64_t now = seconds_now(state);
  json::array audiences;
  for (const auto& audience : spec.audiences) audiences.emplace_back(audience);
  json::object kubernetes{
      {"namespace", spec.namespace_name},
      {"serviceaccount", {{"name", spec.service_account}, {"uid", spec.service_account_uid}}}};
  if (spec.pod_name) {
    kubernetes["pod"] = {{"name", *spec.pod_name}, {"uid", spec.pod_uid.value_or("")}};
  }
  return {{"aud", std::move(audiences)},
          {"exp", now + spec.lifetime.count()},
          {"iat", now},
          {"iss", issuer_url(cluster.region, cluster.id)},
          {"jti", state.world.make_request_id()},
          {"kubernetes.io", std::move(kubernetes)},
          {"nbf", now},
          {"sub", fmt::format("system:serviceaccount:{}:{}", spec.namespace_name, spec.service_account)}};
}

}  // namespace

std::string issuer_url(std::string_view region, std::string_view cluster_id) {
  const std::string_view suffix =
      partition_of(region) == "aws-cn" ? std::string_view("amazonaws.com.cn") : "amazonaws.com";
  return fmt::format("{}oidc.eks.{}.{}/id/{}", k_scheme, region, suffix, cluster_id);
}

Result<std::string> sign_token(const State& state, const ClusterInternals& cluster,
                               const ServiceAccountTokenSpec& spec) {
  if (spec.audiences.empty()) return fail(codes::invalid_request, "A token needs an audience.");
  const auto key = public_jwk(cluster.signing_key);
  if (!key) return std::unexpected(key.error());
  const json::object header{{"alg", "RS256"}, {"kid", key->at("kid")}};
  std::string text = fmt::format("{}.{}", to_base64url(to_text(header)),
                                 to_base64url(to_text(claims_of(state, cluster, spec))));
  const auto signature = sign_rs256(cluster.signing_key, text);
  if (!signature) return std::unexpected(signature.error());
  text += '.';
  text += to_base64url(*signature);
  return text;
}

Result<json::object> read_token(const State& state, const ClusterInternals& cluster, std::string_view token,
                                const std::vector<std::string>& audiences) {
  auto parts = take_apart(token);
  if (!parts || !is_signed_by(cluster, *parts) ||
      text_claim(parts->claims, "iss") != issuer_url(cluster.region, cluster.id)) {
    return fail(codes::unauthenticated, "The token is none of this cluster.");
  }
  if (auto refusal = refuse_times(state, parts->claims)) {
    return fail(codes::unauthenticated, std::move(refusal->message));
  }
  if (!accepted_audience(parts->claims, audiences)) {
    return fail(codes::unauthenticated, "The token is for another audience.");
  }
  return std::move(parts->claims);
}

Result<json::object> key_set(const ClusterInternals& cluster) {
  auto key = public_jwk(cluster.signing_key);
  if (!key) return std::unexpected(std::move(key.error()));
  return json::object{{"keys", json::array{std::move(*key)}}};
}

Reply<WebIdentity> verify_web_identity(const State& state, std::string_view token) {
  const auto parts = take_apart(token);
  if (!parts) {
    return invalid_token(
        "The ID Token provided is not a valid JWT. (You may see this error if you sent an "
        "Access Token)");
  }
  const std::string url = text_claim(parts->claims, "iss");
  if (!url.starts_with(k_scheme)) return invalid_token("Issuer must be a valid URL");
  std::string issuer = url.substr(k_scheme.size());
  const ClusterInternals* cluster = find_by_issuer(state, url);
  std::string provider_arn =
      make_global_arn("iam", cluster ? std::string_view(cluster->region) : std::string_view(),
                      state.world.account(), fmt::format("oidc-provider/{}", issuer));
  const auto* provider = state.iam.find_oidc_provider(provider_arn);
  if (!provider) {
    return invalid_token(fmt::format("No OpenIDConnect provider found in your account for {}", url));
  }
  // A provider outlives its cluster, and one may be made for an issuer of nobody's.
  if (!cluster || !is_signed_by(*cluster, *parts)) {
    return invalid_token(
        "Couldn't retrieve verification key from your identity provider, please reference "
        "AssumeRoleWithWebIdentity documentation for requirements");
  }
  if (auto refusal = refuse_times(state, parts->claims)) return std::unexpected(std::move(*refusal));
  auto audience = accepted_audience(parts->claims, aws::items(provider->client_id_list));
  if (!audience) return invalid_token("Incorrect token audience");
  return WebIdentity{.provider_arn = std::move(provider_arn),
                     .issuer = std::move(issuer),
                     .subject = text_claim(parts->claims, "sub"),
                     .audience = std::move(*audience)};
}

}  // namespace instantstart::sandbox::eks
