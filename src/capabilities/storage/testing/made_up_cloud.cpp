#include "capabilities/storage/testing/made_up_cloud.h"

#include <algorithm>
#include <memory>

#include "base/digest.h"
#include "base/error_codes.h"
#include "kube/json_access.h"
#include "net/http.h"

namespace instantstart::capabilities::testing {
namespace {

constexpr std::string_view k_kubernetes = "https://k8s.example";

class OnePiece final : public net::ClientBodyStream {
 public:
  explicit OnePiece(std::string text) : text_(std::move(text)) {}
  asio::awaitable<std::optional<std::string>> next() override {
    co_return std::exchange(text_, std::nullopt);
  }
  const std::optional<Error>& error() const override { return error_; }

 private:
  std::optional<std::string> text_;
  std::optional<Error> error_;
};

net::ClientResponse ok(const json::value& body, int status = 200) {
  return {.status = status,
          .headers = {{"content-type", "application/json"}},
          .body = instantstart::to_text(body)};
}

net::ClientResponse not_found() {
  return {
      .status = 404,
      .headers = {{"content-type", "application/json"}, {"x-amzn-errortype", "ResourceNotFoundException"}},
      .body = R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404,"message":"none"})"};
}

net::ClientResponse xml(const std::string& body, int status = 200) {
  return {.status = status, .headers = {{"content-type", "text/xml"}}, .body = body};
}

net::ClientResponse s3_fault(const std::string& code, int status) {
  return xml("<Error><Code>" + code + "</Code><Message>none</Message></Error>", status);
}

net::ClientResponse list(json::array items) {
  return ok(json::object{{"kind", "List"},
                         {"apiVersion", "v1"},
                         {"metadata", {{"resourceVersion", "1"}}},
                         {"items", std::move(items)}});
}

std::string parameter(std::string_view form, std::string_view name) {
  const auto pairs = net::parse_query(form);
  for (const auto& [key, value] : pairs.value()) {
    if (key == name) return value;
  }
  return {};
}

std::string tags_of(std::string_view form) {
  std::string text = "<Tags>";
  for (int i = 1; i <= 2; ++i) {
    const std::string member = "Tags.member." + std::to_string(i);
    text += "<member><Key>" + parameter(form, member + ".Key") + "</Key><Value>" +
            parameter(form, member + ".Value") + "</Value></member>";
  }
  return text + "</Tags>";
}

net::ClientResponse answered(const std::string& action, const std::string& result) {
  return xml("<" + action + "Response><" + action + "Result>" + result + "</" + action + "Result></" +
             action + "Response>");
}

net::ClientResponse no_such_entity() {
  return xml(
      "<ErrorResponse><Error><Type>Sender</Type><Code>NoSuchEntity</Code><Message>none</Message></Error>"
      "</ErrorResponse>",
      404);
}

/// The texts between an element's tags, one after the other.
std::vector<std::string> elements(std::string_view text, std::string_view name) {
  const std::string begin = "<" + std::string(name) + ">";
  const std::string end = "</" + std::string(name) + ">";
  std::vector<std::string> found;
  for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at)) {
    at += begin.size();
    found.emplace_back(text.substr(at, text.find(end, at) - at));
  }
  return found;
}

}  // namespace

MadeUpCloud::MadeUpCloud() {
  objects["/api/v1/namespaces/default"] = {
      {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "default"}}}};
}

Task<net::ClientResponse> MadeUpCloud::send(net::ClientRequest request, net::Deadline) {
  auto answer = answer_to(request);
  if (lose.erase(last_) > 0) {
    Error error{.code = std::string(codes::unknown_outcome), .message = "connection reset"};
    error.detail["sent"] = true;
    co_return fail(std::move(error));
  }
  co_return answer;
}

Task<MadeUpCloud::Stream> MadeUpCloud::open(net::ClientRequest request, net::Deadline) {
  auto answer = answer_to(request);
  co_return Stream{answer.status, answer.headers, std::make_unique<OnePiece>(std::move(answer.body))};
}

void MadeUpCloud::note(std::string what) {
  last_ = what;
  mutations.push_back(std::move(what));
}

net::ClientResponse MadeUpCloud::answer_to(const net::ClientRequest& request) {
  last_.clear();
  const std::string_view url = request.url;
  const auto start = url.find("//") + 2;
  const auto at = std::min(url.find('/', start), url.size());
  const std::string host(url.substr(start, at - start));
  const std::string target(at == url.size() ? "/" : url.substr(at));
  const std::string path = target.substr(0, target.find('?'));
  if (url.starts_with(k_kubernetes)) return kubernetes(request, path);
  if (host.starts_with("iam.")) return iam(request.body);
  if (host.find("s3.") != std::string::npos) return s3(request, host, path);
  return eks(request, path);
}

net::ClientResponse MadeUpCloud::apply(const net::ClientRequest& request, const std::string& path) {
  note("PATCH " + path);
  auto object = parse_json(request.body)->as_object();
  object["metadata"].as_object()["uid"] = "uid-" + path;
  const bool made = !objects.contains(path);
  const bool claim = path.find("/persistentvolumeclaims/") != std::string::npos;
  if (claim && binds) {
    object["status"] = {{"phase", "Bound"}};
    const std::string volume(kube::text_at(object, {"spec", "volumeName"}));
    objects.at("/api/v1/persistentvolumes/" + volume)["status"] = {{"phase", "Bound"}};
  }
  objects[path] = object;
  return ok(object, made ? 201 : 200);
}

net::ClientResponse MadeUpCloud::kubernetes(const net::ClientRequest& request, const std::string& path) {
  if (path == "/api/v1/nodes") return list({});
  if (path.ends_with("/pods")) {
    json::array items;
    for (const auto& pod : pods) items.push_back(pod);
    return list(std::move(items));
  }
  if (path == "/api/v1/persistentvolumes") {
    json::array items;
    for (const auto& [at, object] : objects) {
      if (at.starts_with(path + "/")) items.push_back(object);
    }
    return list(std::move(items));
  }
  if (request.method == "PATCH") return apply(request, path);
  const auto found = objects.find(path);
  if (found == objects.end()) return not_found();
  if (request.method == "DELETE") {
    note("DELETE " + path);
    objects.erase(found);
    return ok(json::object{{"kind", "Status"}, {"status", "Success"}});
  }
  return ok(found->second);
}

net::ClientResponse MadeUpCloud::eks(const net::ClientRequest& request, const std::string& path) {
  constexpr std::string_view all_addons = "/clusters/demo/addons";
  if (path == "/clusters/demo") {
    return ok({{"cluster",
                {{"name", "demo"},
                 {"arn", "arn:aws:eks:us-west-2:123456789012:cluster/demo"},
                 {"status", "ACTIVE"},
                 {"version", "1.34"},
                 {"endpoint", k_kubernetes},
                 {"certificateAuthority", {{"data", to_base64("PEM")}}}}}});
  }
  if (path == "/addons/supported-versions") {
    return ok(*parse_json(R"({"addons":[{"addonName":"x","addonVersions":[{"addonVersion":"v2.0.0-eksbuild.1",
        "compatibilities":[{"clusterVersion":"1.34","defaultVersion":true}]}]}]})"));
  }
  if (path.starts_with("/clusters/demo/pod-identity-associations")) return pod_identity(request);
  if (path == all_addons && request.method == "POST") {
    auto addon = parse_json(request.body)->as_object();
    const std::string name(kube::text_at(addon, {"addonName"}));
    if (!tokens_.emplace(kube::text_at(addon, {"clientRequestToken"})).second)
      return ok({{"addon", addons.at(name)}});
    note("CreateAddon " + name);
    addon["status"] = "ACTIVE";
    addons[name] = addon;
    return ok({{"addon", addon}});
  }
  const auto addon = addons.find(path.substr(std::min(path.size(), all_addons.size() + 1)));
  if (addon == addons.end()) return not_found();
  if (request.method == "DELETE") {
    note("DeleteAddon " + addon->first);
    addons.erase(addon);
    return ok(json::object());
  }
  return ok({{"addon", addon->second}});
}

net::ClientResponse MadeUpCloud::pod_identity(const net::ClientRequest& request) {
  if (request.method == "POST") {
    note("CreatePodIdentityAssociation");
    association = parse_json(request.body)->as_object();
    (*association)["associationId"] = "a-1";
    return ok({{"association", *association}});
  }
  if (request.method == "DELETE") {
    note("DeletePodIdentityAssociation");
    association.reset();
    return ok(json::object());
  }
  if (request.url.find("/a-1") != std::string::npos) return ok({{"association", *association}});
  json::array summaries;
  if (association) summaries.push_back(*association);
  return ok({{"associations", std::move(summaries)}});
}

net::ClientResponse MadeUpCloud::iam(const std::string& form) {
  const auto action = parameter(form, "Action");
  const auto policy = parameter(form, "PolicyName");
  if (action == "GetRole") return role ? answered(action, "<Role>" + *role + "</Role>") : no_such_entity();
  if (action == "GetRolePolicy") {
    if (!role || !policies.contains(policy)) return no_such_entity();
    return answered(action, "<PolicyDocument>" + percent_encode(policies.at(policy)) + "</PolicyDocument>");
  }
  note(policy.empty() ? action : action + " " + policy);
  if (action == "CreateRole") {
    role = "<Arn>arn:aws:iam::123456789012:role/instantstart/" + parameter(form, "RoleName") +
           "</Arn><AssumeRolePolicyDocument>" + percent_encode(parameter(form, "AssumeRolePolicyDocument")) +
           "</AssumeRolePolicyDocument>" + tags_of(form);
  }
  if (action == "PutRolePolicy") {
    if (!role) return no_such_entity();
    policies[policy] = parameter(form, "PolicyDocument");
  }
  if (action == "DeleteRolePolicy" && policies.erase(policy) == 0) return no_such_entity();
  if (action == "DeleteRole") role.reset();
  return answered(action, "");
}

net::ClientResponse MadeUpCloud::list_buckets() {
  std::string text = "<ListAllMyBucketsResult><Buckets>";
  for (const auto& [name, bucket] : buckets) {
    if (bucket.hidden) continue;
    text += "<Bucket><Name>" + name + "</Name><BucketRegion>" + bucket.region + "</BucketRegion></Bucket>";
  }
  return xml(text + "</Buckets></ListAllMyBucketsResult>");
}

net::ClientResponse MadeUpCloud::list_bucket(const Bucket& bucket, const std::string& query) {
  const std::string prefix = parameter(query, "prefix");
  const bool folds = !parameter(query, "delimiter").empty();
  std::string contents;
  std::set<std::string> folders;
  for (const auto& key : bucket.keys) {
    if (!key.starts_with(prefix)) continue;
    const auto slash = key.find('/', prefix.size());
    if (folds && slash != std::string::npos) {
      folders.insert(key.substr(0, slash + 1));
      continue;
    }
    contents += "<Contents><Key>" + percent_encode(key, "/") +
                "</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>5</Size></Contents>";
  }
  for (const auto& folder : folders) {
    contents += "<CommonPrefixes><Prefix>" + percent_encode(folder, "/") + "</Prefix></CommonPrefixes>";
  }
  return xml("<ListBucketResult><IsTruncated>false</IsTruncated>" + contents + "</ListBucketResult>");
}

net::ClientResponse MadeUpCloud::s3(const net::ClientRequest& request, const std::string& host,
                                    const std::string& path) {
  // Names with dots stand in the path, others in the host.
  const bool in_path = host.starts_with("s3.");
  const std::string name = in_path ? path.substr(1, path.find('/', 1) - 1) : host.substr(0, host.find('.'));
  if (name.empty()) return list_buckets();
  const std::string query =
      request.url.contains('?') ? request.url.substr(request.url.find('?') + 1) : std::string();
  const auto found = buckets.find(name);
  if (request.method == "PUT" && query.empty()) {
    note("CreateBucket " + name);
    if (found != buckets.end()) return s3_fault("BucketAlreadyExists", 409);
    Bucket made{.closed = !opens_new_buckets};
    const auto keys = elements(request.body, "Key");
    const auto values = elements(request.body, "Value");
    for (std::size_t i = 0; i < keys.size(); ++i) made.tags.emplace_back(keys.at(i), values.at(i));
    const auto where = elements(request.body, "LocationConstraint");
    made.region = where.empty() ? "us-east-1" : where.front();
    buckets[name] = std::move(made);
    return xml("");
  }
  if (found == buckets.end()) return s3_fault("NoSuchBucket", 404);
  Bucket& bucket = found->second;
  if (bucket.hidden) return request.method == "HEAD" ? xml("", 403) : s3_fault("AccessDenied", 403);
  if (host.find(bucket.region) == std::string::npos) {
    return request.method == "HEAD" ? xml("", 400) : s3_fault("AuthorizationHeaderMalformed", 400);
  }
  if (request.method == "HEAD") {
    return {.status = 200, .headers = {{"x-amz-bucket-region", bucket.region}}};
  }
  if (request.method == "DELETE") {
    if (!bucket.keys.empty()) return s3_fault("BucketNotEmpty", 409);
    note("DeleteBucket " + name);
    buckets.erase(found);
    return xml("", 204);
  }
  if (query.starts_with("tagging")) {
    if (bucket.tags.empty()) return s3_fault("NoSuchTagSet", 404);
    std::string text = "<Tagging><TagSet>";
    for (const auto& [key, value] : bucket.tags)
      text += "<Tag><Key>" + key + "</Key><Value>" + value + "</Value></Tag>";
    return xml(text + "</TagSet></Tagging>");
  }
  if (query.starts_with("publicAccessBlock")) {
    if (request.method == "PUT") {
      note("PutPublicAccessBlock " + name);
      bucket.closed = true;
      return xml("");
    }
    if (!bucket.closed) return s3_fault("NoSuchPublicAccessBlockConfiguration", 404);
    std::string text = "<PublicAccessBlockConfiguration>";
    for (const std::string one :
         {"BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"})
      text += "<" + one + ">true</" + one + ">";
    return xml(text + "</PublicAccessBlockConfiguration>");
  }
  return list_bucket(bucket, query);
}

}  // namespace instantstart::capabilities::testing
