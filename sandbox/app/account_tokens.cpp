#include "sandbox/app/account_tokens.h"

#include <chrono>
#include <stdexcept>
#include <utility>

#include "base/decode.h"

namespace instantstart::sandbox {
namespace {

const std::string k_api_audience = "https://kubernetes.default.svc";

std::string text_at(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

const json::object& object_at(const json::object& object, std::string_view name) {
  static const json::object k_none;
  const auto* value = object.if_contains(name);
  return value && value->is_object() ? value->get_object() : k_none;
}

}  // namespace

kubernetes::IssuedToken AccountTokens::issue(std::string_view cluster_id,
                                             const kubernetes::ServiceAccountClaims& claims) {
  const auto lifetime = std::chrono::duration_cast<seconds>(claims.expires - clock_.wall());
  ServiceAccountTokenSpec spec{.namespace_name = claims.namespace_name,
                               .service_account = claims.name,
                               .service_account_uid = claims.uid,
                               .audiences = claims.audiences,
                               .lifetime = lifetime};
  if (!claims.pod_name.empty()) {
    spec.pod_name = claims.pod_name;
    spec.pod_uid = claims.pod_uid;
  }
  auto token = tokens_.sign(cluster_id, spec);
  // A cluster whose API answers is one that EKS knows.
  if (!token) throw std::logic_error(token.error().message);
  return {.token = std::move(*token), .expires = claims.expires};
}

std::optional<kubernetes::ServiceAccountClaims> AccountTokens::verify(std::string_view cluster_id,
                                                                      std::string_view token) {
  const auto said = tokens_.read(cluster_id, token, {k_api_audience});
  if (!said) return std::nullopt;
  const json::object& about = object_at(*said, "kubernetes.io");
  const json::object& account = object_at(about, "serviceaccount");
  const json::object& pod = object_at(about, "pod");
  return kubernetes::ServiceAccountClaims{
      .namespace_name = text_at(about, "namespace"),
      .name = text_at(account, "name"),
      .uid = text_at(account, "uid"),
      .audiences = {k_api_audience},
      .pod_name = text_at(pod, "name"),
      .pod_uid = text_at(pod, "uid"),
      .expires = WallTime(seconds(said->at("exp").to_number<std::int64_t>()))};
}

}  // namespace instantstart::sandbox
