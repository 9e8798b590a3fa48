#include "sandbox/kubernetes/api/reviews.h"

#include <string>
#include <utility>

#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_authentication = "authentication.k8s.io";
constexpr std::string_view k_authorization = "authorization.k8s.io";

std::string text(const json::object& object, std::string_view member) {
  return std::string(member_text(object, member));
}

Outcome<Attributes> attributes_of(const json::object& spec) {
  const json::object& resource = member_object(spec, "resourceAttributes");
  const json::object& path = member_object(spec, "nonResourceAttributes");
  if (resource.empty() == path.empty()) {
    return refuse(bad_request("exactly one of resourceAttributes and nonResourceAttributes must be given"));
  }
  if (resource.empty()) {
    return Attributes{.is_resource = false, .verb = text(path, "verb"), .path = text(path, "path")};
  }
  return Attributes{.verb = text(resource, "verb"),
                    .group = text(resource, "group"),
                    .resource = text(resource, "resource"),
                    .subresource = text(resource, "subresource"),
                    .namespace_name = text(resource, "namespace"),
                    .name = text(resource, "name")};
}

Identity subject_of(const json::object& spec) {
  Identity subject{.username = text(spec, "user"), .uid = text(spec, "uid")};
  for (const auto& value : member_array(spec, "groups")) {
    if (const auto* group = value.if_string()) subject.groups.emplace_back(*group);
  }
  return subject;
}

json::object user_info(const Identity& who) {
  json::object info{{"username", who.username}};
  if (!who.uid.empty()) info["uid"] = who.uid;
  json::array groups;
  for (const auto& group : who.groups) groups.emplace_back(group);
  info["groups"] = std::move(groups);
  if (who.extra.empty()) return info;
  json::object extra;
  for (const auto& [key, values] : who.extra) {
    json::array list;
    for (const auto& value : values) list.emplace_back(value);
    extra[key] = std::move(list);
  }
  info["extra"] = std::move(extra);
  return info;
}

json::object rules_status(const std::vector<PolicyRule>& rules) {
  json::array resources;
  json::array paths;
  for (const auto& rule : rules) {
    (rule.urls.empty() ? resources : paths).emplace_back(to_json(rule));
  }
  return {
      {"resourceRules", std::move(resources)}, {"nonResourceRules", std::move(paths)}, {"incomplete", false}};
}

Outcome<json::object> access(const ApiCall& call, const json::object& spec, const Authorizer& authorizer) {
  auto wanted = attributes_of(spec);
  if (!wanted) return std::unexpected(std::move(wanted.error()));
  const bool of_self = call.info.resource == "selfsubjectaccessreviews";
  if (call.info.resource == "localsubjectaccessreviews") wanted->namespace_name = call.info.namespace_name;
  const bool allowed = authorizer.allows(call.cluster, of_self ? call.who : subject_of(spec), *wanted);
  return json::object{{"allowed", allowed}};
}

json::object token_status(const ApiCall& call, const json::object& spec, const Authenticator& authenticator) {
  const auto user = authenticator.identify_token(call.cluster, member_text(spec, "token"));
  if (!user) {
    return {{"user", json::object{}}, {"error", "[invalid bearer token, token lookup failed]"}};
  }
  return {{"authenticated", true},
          {"user", user_info(*user)},
          {"audiences", json::array{"https://kubernetes.default.svc"}}};
}

}  // namespace

bool is_review(const RequestInfo& info) {
  return info.group == k_authentication || info.group == k_authorization;
}

Outcome<json::object> answer_review(const ApiCall& call, json::object review, const Authorizer& authorizer,
                                    const Authenticator& authenticator) {
  const json::object spec = member_object(review, "spec");
  json::object& metadata = metadata_of(review);
  metadata["creationTimestamp"] = nullptr;
  const std::string& resource = call.info.resource;
  if (resource == "selfsubjectreviews") {
    review["status"] = json::object{{"userInfo", user_info(call.who)}};
  } else if (resource == "tokenreviews") {
    review["status"] = token_status(call, spec, authenticator);
  } else if (resource == "selfsubjectrulesreviews") {
    review["status"] = rules_status(authorizer.rules(call.cluster, call.who, member_text(spec, "namespace")));
  } else {
    auto status = access(call, spec, authorizer);
    if (!status) return status;
    review["status"] = std::move(*status);
  }
  return review;
}

}  // namespace instantstart::sandbox::kubernetes
