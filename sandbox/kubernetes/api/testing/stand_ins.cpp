#include "sandbox/kubernetes/api/testing/stand_ins.h"

#include <algorithm>

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_sts = "https://sts.example/?cluster=";
constexpr std::string_view k_users = "arn:aws:iam::123456789012:user/";

class Lines final : public net::BodyStream {
 public:
  explicit Lines(std::vector<std::string> lines) : lines_(std::move(lines)) {}
  asio::awaitable<std::optional<std::string>> next() override {
    if (at_ == lines_.size()) co_return std::nullopt;
    co_return lines_[at_++] + "\n";
  }

 private:
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

}  // namespace

ControlPlaneRef test_cluster(std::string id, std::string name) {
  return {.id = std::move(id),
          .region = "us-west-2",
          .name = name,
          .arn = fmt::format("arn:aws:eks:us-west-2:123456789012:cluster/{}", name),
          .kubernetes_version = "1.34",
          .service_cidr = "172.20.0.0/16",
          .oidc_issuer = "https://oidc.eks.us-west-2.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF"};
}

std::string test_token(std::string_view user, std::string_view cluster_name) {
  return fmt::format("k8s-aws-v1.{}", to_base64url(fmt::format("{}{}&user={}", k_sts, cluster_name, user)));
}

std::expected<std::string, std::string> verify_test_token(std::string_view url,
                                                          std::string_view cluster_name) {
  const std::string expected = fmt::format("{}{}&user=", k_sts, cluster_name);
  if (!url.starts_with(expected)) return std::unexpected("the signature does not match");
  return fmt::format("{}{}", k_users, url.substr(expected.size()));
}

std::optional<ClusterUser> TestDirectory::find_user(std::string_view, std::string_view caller_arn) const {
  if (!caller_arn.starts_with(k_users)) return std::nullopt;
  const auto name = caller_arn.substr(k_users.size());
  ClusterUser user{.username = std::string(caller_arn), .principal_arn = std::string(caller_arn)};
  if (name == "admin") {
    user.groups = {"system:masters"};
  } else if (name == "viewer") {
    user.policies = {{.name = "AmazonEKSViewPolicy", .namespaces = {"default"}}};
  } else if (name != "guest") {
    return std::nullopt;
  }
  return user;
}

Result<std::string> TestTokens::sign(std::string_view cluster_id, const ServiceAccountTokenSpec& spec) const {
  json::array audiences;
  for (const auto& audience : spec.audiences) audiences.emplace_back(audience);
  json::object about{{"namespace", spec.namespace_name},
                     {"serviceaccount", {{"name", spec.service_account}, {"uid", spec.service_account_uid}}}};
  if (spec.pod_name) about["pod"] = {{"name", *spec.pod_name}, {"uid", spec.pod_uid.value_or("")}};
  const WallTime expires = clock_.wall() + spec.lifetime;
  const json::object token{{"cluster", cluster_id},
                           {"aud", std::move(audiences)},
                           {"exp", expires.time_since_epoch().count()},
                           {"kubernetes.io", std::move(about)}};
  return to_base64url(to_text(token));
}

Result<json::object> TestTokens::read(std::string_view cluster_id, std::string_view token,
                                      const std::vector<std::string>& audiences) const {
  const auto text = from_base64url(token);
  const auto value = text ? parse_json(*text) : Result<json::value>(json::value());
  if (!value || !value->is_object()) return fail("unauthenticated", "It is no token.");
  const json::object& said = value->get_object();
  const auto* expires = said.if_contains("exp");
  const auto is_for_us = [&audiences](const json::value& audience) {
    return audience.is_string() &&
           std::ranges::find(audiences, std::string_view(audience.get_string())) != audiences.end();
  };
  if (member_text(said, "cluster") != cluster_id || !expires || !expires->is_int64() ||
      WallTime(milliseconds(expires->get_int64())) <= clock_.wall() ||
      std::ranges::none_of(member_array(said, "aud"), is_for_us)) {
    return fail("unauthenticated", "The token is no good.");
  }
  return said;
}

Result<json::object> TestTokens::key_set(std::string_view) const {
  return fail("not_found", "There are no keys.");
}

Outcome<std::unique_ptr<net::BodyStream>> TestLogs::open(const LogRequest& request) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 3; ++i)
    lines.push_back(fmt::format("{} {} line {}", request.pod, request.container, i));
  const auto wanted = request.tail_lines.value_or(3);
  if (wanted < 3) lines.erase(lines.begin(), lines.end() - wanted);
  return std::make_unique<Lines>(std::move(lines));
}

asio::awaitable<net::Response> TestProxy::forward(ProxyTarget target, net::Request request) {
  const json::object seen{{"kind", target.service ? "service" : "pod"},
                          {"name", target.name},
                          {"port", target.port},
                          {"method", request.method},
                          {"target", request.target},
                          {"body", request.body}};
  co_return net::Response{.headers = {{"Content-Type", "application/json"}}, .body = to_text(seen)};
}

}  // namespace instantstart::sandbox::kubernetes
