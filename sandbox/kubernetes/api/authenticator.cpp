#include "sandbox/kubernetes/api/authenticator.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/kubernetes/api/metadata.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_eks_prefix = "k8s-aws-v1.";
/// A presigned URL with a session token has some 2 KB.
constexpr std::size_t k_longest_token = 16 * 1024;
constexpr std::string_view k_api_audience = "https://kubernetes.default.svc";

Identity anonymous() {
  Identity nobody;
  nobody.username = k_anonymous;
  nobody.groups = {"system:unauthenticated"};
  nobody.principal = k_anonymous;
  return nobody;
}

Outcome<std::string_view> bearer_token(const net::Headers& headers) {
  const auto value = headers.get("Authorization");
  if (value.empty()) return std::string_view();
  const auto space = value.find(' ');
  if (space == std::string_view::npos || to_lower(value.substr(0, space)) != "bearer") {
    return refuse(unauthorized());
  }
  const auto token = trim(value.substr(space + 1));
  if (token.empty() || token.size() > k_longest_token) return refuse(unauthorized());
  return token;
}

}  // namespace

Outcome<Identity> Authenticator::identify(std::string_view cluster, const net::Headers& headers) const {
  const auto token = bearer_token(headers);
  if (!token) return std::unexpected(token.error());
  auto sender = token->empty() ? Outcome<Identity>(anonymous()) : identify_token(cluster, *token);
  if (!sender) return sender;
  const bool impersonates = headers.contains("Impersonate-User") || headers.contains("Impersonate-Group") ||
                            headers.contains("Impersonate-Uid");
  return impersonates ? impersonated(cluster, *sender, headers) : sender;
}

Outcome<Identity> Authenticator::identify_token(std::string_view cluster, std::string_view token) const {
  return token.starts_with(k_eks_prefix) ? of_eks_token(cluster, token) : of_service_account(cluster, token);
}

Outcome<Identity> Authenticator::of_eks_token(std::string_view cluster, std::string_view token) const {
  const OpenCluster* open = parts_.store.find_cluster(cluster);
  const auto url = from_base64url(token.substr(k_eks_prefix.size()));
  if (!open || !url) return refuse(unauthorized());
  const auto caller = parts_.verify_eks_token(*url, open->name);
  if (!caller) return refuse(unauthorized());
  auto user = parts_.directory.find_user(cluster, *caller);
  if (!user) return refuse(unauthorized());
  Identity who{.username = std::move(user->username),
               .uid = fmt::format("aws-iam-authenticator:{}", user->principal_arn),
               .groups = std::move(user->groups),
               .policies = std::move(user->policies),
               .principal = *caller};
  who.groups.emplace_back("system:authenticated");
  who.extra["arn"] = {*caller};
  who.extra["canonicalArn"] = {user->principal_arn};
  return who;
}

Outcome<Identity> Authenticator::of_service_account(std::string_view cluster, std::string_view token) const {
  std::vector<std::string> audiences{std::string(k_api_audience)};
  if (const OpenCluster* open = parts_.store.find_cluster(cluster)) audiences.push_back(open->oidc_issuer);
  const auto claims = parts_.service_account_tokens.read(cluster, token, audiences);
  if (!claims) return refuse(unauthorized());
  const json::object& about = member_object(*claims, "kubernetes.io");
  const std::string namespace_name(member_text(about, "namespace"));
  const std::string name(member_text(member_object(about, "serviceaccount"), "name"));
  const std::string uid(member_text(member_object(about, "serviceaccount"), "uid"));
  const json::object* account =
      parts_.store.find({std::string(cluster), "", "serviceaccounts", namespace_name, name});
  if (!account || uid_of(*account) != uid) return refuse(unauthorized());
  Identity who{.username = fmt::format("system:serviceaccount:{}:{}", namespace_name, name), .uid = uid};
  who.groups = {"system:serviceaccounts", fmt::format("system:serviceaccounts:{}", namespace_name),
                "system:authenticated"};
  const json::object& pod = member_object(about, "pod");
  if (!pod.empty()) {
    who.extra["authentication.kubernetes.io/pod-name"] = {std::string(member_text(pod, "name"))};
    who.extra["authentication.kubernetes.io/pod-uid"] = {std::string(member_text(pod, "uid"))};
  }
  who.principal = who.username;
  return who;
}

Outcome<Identity> Authenticator::impersonated(std::string_view cluster, const Identity& sender,
                                              const net::Headers& headers) const {
  Identity who{.username = std::string(headers.get("Impersonate-User")),
               .uid = std::string(headers.get("Impersonate-Uid"))};
  for (const auto& [name, value] : headers) {
    if (to_lower(name) == "impersonate-group") who.groups.push_back(value);
  }
  if (who.username.empty()) {
    return refuse(bad_request("requested groups or uid without impersonating a user"));
  }
  Attributes wanted{.verb = "impersonate", .resource = "users", .name = who.username};
  const auto parts = split(who.username, ':');
  if (parts.size() == 4 && who.username.starts_with("system:serviceaccount:")) {
    wanted.resource = "serviceaccounts";
    wanted.namespace_name = parts[2];
    wanted.name = parts[3];
    if (who.groups.empty()) {
      who.groups = {"system:serviceaccounts", fmt::format("system:serviceaccounts:{}", parts[2])};
    }
  }
  if (auto may = parts_.authorizer.check(cluster, sender, wanted); !may) return refuse(may.error());
  for (const auto& group : who.groups) {
    if (wanted.resource == "serviceaccounts" && group.starts_with("system:serviceaccounts")) continue;
    const Attributes join_group{.verb = "impersonate", .resource = "groups", .name = group};
    if (auto may = parts_.authorizer.check(cluster, sender, join_group); !may) return refuse(may.error());
  }
  if (who.username != k_anonymous && std::ranges::count(who.groups, "system:authenticated") == 0) {
    who.groups.emplace_back("system:authenticated");
  }
  who.principal = sender.principal;
  return who;
}

}  // namespace instantstart::sandbox::kubernetes
