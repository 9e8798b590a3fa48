#include "capabilities/clusters/testing/fake_hyperpod_aws.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/digest.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::capabilities::testing {
namespace {

constexpr std::string_view k_eks_arn = "arn:aws:eks:us-west-2:123456789012:cluster/demo";
constexpr std::string_view k_hyperpod_arn = "arn:aws:sagemaker:us-west-2:123456789012:cluster/abc123";

net::ClientResponse ok(std::string body) { return {.status = 200, .headers = {}, .body = std::move(body)}; }

net::ClientResponse in_json(const json::value& value) { return ok(to_text(value)); }

net::ClientResponse query(std::string_view action, std::string_view result) {
  return ok(fmt::format("<{0}Response><{0}Result>{1}</{0}Result></{0}Response>", action, result));
}

net::ClientResponse members(std::string_view action, std::string_view inside) {
  return ok(fmt::format("<{0}Response>{1}</{0}Response>", action, inside));
}

net::ClientResponse no_such(std::string_view code, int status = 404) {
  return {.status = status,
          .headers = {},
          .body = fmt::format("<ErrorResponse><Error><Code>{0}</Code><Message>none</Message></Error></"
                              "ErrorResponse>",
                              code)};
}

net::ClientResponse no_such_in_s3(std::string_view code) {
  return {.status = 404,
          .headers = {},
          .body = fmt::format("<Error><Code>{0}</Code><Message>none</Message></Error>", code)};
}

net::ClientResponse missing_in_json(std::string_view code) {
  net::ClientResponse response{
      .status = 400, .headers = {}, .body = fmt::format(R"({{"__type":"{}","message":"none"}})", code)};
  response.headers.add("x-amzn-errortype", std::string(code));
  return response;
}

std::map<std::string, std::string> fields_of(std::string body) {
  std::map<std::string, std::string> fields;
  std::ranges::replace(body, '+', ' ');
  for (const auto pair : split(body, '&')) {
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    fields[percent_decode(pair.substr(0, equals)).value_or("")] =
        percent_decode(pair.substr(equals + 1)).value_or("");
  }
  return fields;
}

std::string field(const std::map<std::string, std::string>& form, const std::string& name) {
  const auto found = form.find(name);
  return found == form.end() ? "" : found->second;
}

FakeHyperpodAws::Tags tags_at(const std::map<std::string, std::string>& form, std::string_view prefix) {
  FakeHyperpodAws::Tags tags;
  for (int i = 1;; ++i) {
    const auto key = field(form, fmt::format("{}{}.Key", prefix, i));
    if (key.empty()) return tags;
    tags[key] = field(form, fmt::format("{}{}.Value", prefix, i));
  }
}

std::string in_xml(const FakeHyperpodAws::Tags& tags, std::string_view item, std::string_view key,
                   std::string_view value) {
  std::string text;
  for (const auto& [name, content] : tags) {
    text += fmt::format("<{0}><{1}>{3}</{1}><{2}>{4}</{2}></{0}>", item, key, value, name, content);
  }
  return text;
}

std::string between(std::string_view text, std::string_view from, std::string_view to) {
  const auto begin = text.find(from);
  if (begin == std::string_view::npos) return "";
  const auto end = text.find(to, begin + from.size());
  return std::string(text.substr(begin + from.size(), end - begin - from.size()));
}

/// Of a body of S3's.
FakeHyperpodAws::Tags tags_in(std::string_view xml) {
  FakeHyperpodAws::Tags tags;
  for (auto at = xml.find("<Tag>"); at != std::string_view::npos; at = xml.find("<Tag>", at + 1)) {
    const auto tag = xml.substr(at);
    tags[between(tag, "<Key>", "</Key>")] = between(tag, "<Value>", "</Value>");
  }
  return tags;
}

}  // namespace

Task<net::ClientResponse> FakeHyperpodAws::send(net::ClientRequest request, net::Deadline) {
  std::string action;
  auto response = answer(request, action);
  if (!lose_reply_of.empty() && action == lose_reply_of) {
    lose_reply_of.clear();
    Error error{.code = std::string(codes::unknown_outcome), .message = "connection reset"};
    error.detail["sent"] = true;
    co_return fail(std::move(error));
  }
  co_return response;
}

Task<net::HttpClient::Stream> FakeHyperpodAws::open(net::ClientRequest, net::Deadline) {
  co_return fail(codes::internal, "nothing streams here");
}

net::ClientResponse FakeHyperpodAws::answer(const net::ClientRequest& request, std::string& action) {
  const std::string host = request.url.substr(8, request.url.find('/', 8) - 8);
  if (host.find("s3.") != std::string::npos) return s3(request, action);
  const std::string target(request.headers.get("x-amz-target"));
  if (!target.empty()) {
    action = target.substr(target.find('.') + 1);
    const auto input = parse_json(request.body).value_or(json::object{});
    if (host.starts_with("servicequotas.")) {
      return in_json({{"Quotas", json::array{json::object{{"QuotaName", "ml.g5.xlarge for cluster usage"},
                                                          {"QuotaCode", "L-1"},
                                                          {"Value", quota}}}}});
    }
    if (host.starts_with("logs.")) return missing_in_json("ResourceNotFoundException");
    return sagemaker(action, input.as_object());
  }
  if (host.starts_with("eks.")) {
    action = "eks";
    if (request.url.ends_with("/clusters")) return in_json({{"clusters", json::array{"demo"}}});
    if (request.url.find("/clusters/demo") == std::string::npos ||
        request.url.find("/clusters/demo/") != std::string::npos) {
      auto response = missing_in_json("ResourceNotFoundException");
      response.status = 404;
      return response;
    }
    return ok(
        fmt::format(R"({{"cluster":{{"name":"demo","arn":"{}","status":"ACTIVE","version":"1.34",)"
                    R"("accessConfig":{{"authenticationMode":"API"}},"resourcesVpcConfig":{{"vpcId":"vpc-1",)"
                    R"("subnetIds":["subnet-cp"],"securityGroupIds":["sg-1"]}}}}}})",
                    k_eks_arn));
  }
  const auto form = fields_of(request.body);
  action = field(form, "Action");
  if (action == refuse)
    return no_such(host.starts_with("ec2.") ? "UnauthorizedOperation" : "AccessDenied", 403);
  if (host.starts_with("cloudformation.")) {
    return {.status = 400,
            .headers = {},
            .body =
                "<ErrorResponse><Error><Code>ValidationError</Code><Message>Stack with id x does not "
                "exist</Message></Error></ErrorResponse>"};
  }
  if (host.starts_with("sts.")) {
    return query(action, "<Arn>arn:aws:iam::123456789012:user/ann</Arn><Account>123456789012</Account>");
  }
  return host.starts_with("iam.") ? iam(action, form) : ec2(action, form);
}

net::ClientResponse FakeHyperpodAws::describe_hyperpod() {
  if (!hyperpod) return missing_in_json("ResourceNotFound");
  if (hyperpod->looks_left > 0 && --hyperpod->looks_left == 0) {
    if (hyperpod->status == "Deleting") {
      hyperpod.reset();
      return missing_in_json("ResourceNotFound");
    }
    hyperpod->status = failure ? "Failed" : "InService";
  }
  json::object answer = hyperpod->request;
  answer["ClusterArn"] = k_hyperpod_arn;
  answer["ClusterStatus"] = hyperpod->status;
  if (hyperpod->status == "Failed") answer["FailureMessage"] = failure.value_or("");
  for (auto& group : answer["InstanceGroups"].as_array()) {
    auto& fields = group.as_object();
    fields["TargetCount"] = fields["InstanceCount"];
    fields["CurrentCount"] = hyperpod->status == "InService" ? fields["InstanceCount"] : json::value(0);
    fields["Status"] = hyperpod->status;
    fields.erase("InstanceCount");
  }
  answer.erase("Tags");
  return in_json(answer);
}

net::ClientResponse FakeHyperpodAws::sagemaker(const std::string& action, const json::object& input) {
  if (action == "ListClusters") {
    json::array all;
    if (hyperpod) all.push_back(json::object{{"ClusterName", "demo"}, {"ClusterArn", k_hyperpod_arn}});
    if (slurm) all.push_back(json::object{{"ClusterName", "slurm"}});
    return in_json({{"ClusterSummaries", std::move(all)}});
  }
  if (action == "DescribeCluster") {
    if (input.at("ClusterName").as_string() == "slurm") {
      return in_json({{"ClusterName", "slurm"}, {"ClusterStatus", "InService"}});
    }
    return describe_hyperpod();
  }
  if (action == "ListTags") {
    if (goes_before_its_tags && hyperpod && hyperpod->status == "Deleting") {
      hyperpod.reset();
      return missing_in_json("ResourceNotFound");
    }
    return in_json({{"Tags", hyperpod ? hyperpod->request.at("Tags") : json::value(json::array{})}});
  }
  if (action == "ListClusterNodes") {
    json::array nodes;
    const bool second = input.contains("NextToken");
    for (int i = second ? 100 : 0; i < (second ? 101 : 100); ++i) {
      nodes.push_back(json::object{{"InstanceGroupName", "workers"},
                                   {"InstanceId", fmt::format("i-{:017}", i)},
                                   {"InstanceStatus", {{"Status", "Running"}}}});
    }
    json::object page{{"ClusterNodeSummaries", std::move(nodes)}};
    if (!second) page["NextToken"] = "more";
    return in_json(page);
  }
  if (action == "CreateCluster") {
    changes.push_back(action);
    hyperpod = Hyperpod{.request = input};
    return in_json({{"ClusterArn", k_hyperpod_arn}});
  }
  if (action == "UpdateCluster") {
    changes.push_back(action);
    hyperpod->request["InstanceGroups"] = input.at("InstanceGroups");
    hyperpod->status = "Updating";
    hyperpod->looks_left = 2;
    return in_json({{"ClusterArn", k_hyperpod_arn}});
  }
  if (action == "DeleteCluster") {
    changes.push_back(action);
    hyperpod->status = "Deleting";
    hyperpod->looks_left = 2;
    return in_json({{"ClusterArn", k_hyperpod_arn}});
  }
  return in_json(json::object{});
}

net::ClientResponse FakeHyperpodAws::iam(const std::string& action, const Form& form) {
  if (action == "SimulatePrincipalPolicy") return query(action, "");
  if (action == "CreateRole") {
    changes.push_back(action);
    role = Role{.tags = tags_at(form, "Tags.member."), .trust = field(form, "AssumeRolePolicyDocument")};
    return query(action, "");
  }
  if (!role) return no_such("NoSuchEntity");
  if (action == "GetRole") {
    return query(action,
                 fmt::format("<Role><Path>/instantstart/</Path><AssumeRolePolicyDocument>{}</"
                             "AssumeRolePolicyDocument><Tags>{}</Tags></Role>",
                             percent_encode(role->trust), in_xml(role->tags, "member", "Key", "Value")));
  }
  if (action == "ListAttachedRolePolicies") {
    return query(action, role->attached.empty()
                             ? ""
                             : fmt::format("<AttachedPolicies><member><PolicyArn>{}</PolicyArn></member></"
                                           "AttachedPolicies>",
                                           role->attached));
  }
  if (action == "ListRolePolicies") {
    return query(action,
                 role->policy.empty() ? "" : "<PolicyNames><member>hyperpod-nodes</member></PolicyNames>");
  }
  if (action == "GetRolePolicy") {
    if (role->policy.empty()) return no_such("NoSuchEntity");
    return query(action, fmt::format("<PolicyDocument>{}</PolicyDocument>", percent_encode(role->policy)));
  }
  changes.push_back(action);
  if (action == "AttachRolePolicy") role->attached = field(form, "PolicyArn");
  if (action == "PutRolePolicy") role->policy = field(form, "PolicyDocument");
  if (action == "DetachRolePolicy") role->attached.clear();
  if (action == "DeleteRolePolicy") role->policy.clear();
  if (action == "DeleteRole") role.reset();
  return query(action, "");
}

net::ClientResponse FakeHyperpodAws::s3(const net::ClientRequest& request, std::string& action) {
  const auto path_at = request.url.find('/', 8);
  const auto query_at = request.url.find('?');
  std::string path = path_at == std::string::npos ? "" : request.url.substr(path_at, query_at - path_at);
  const std::string asked = query_at == std::string::npos ? "" : request.url.substr(query_at + 1);
  // A bucket is in the host, or first in the path.
  if (request.url.find("sagemaker-") > path_at) {
    const auto slash = path.find('/', 1);
    path = slash == std::string::npos ? "" : path.substr(slash);
  }
  const std::string key = path.size() > 1 ? path.substr(1) : "";
  const bool tagging = asked.find("tagging") != std::string::npos;
  const bool block = asked.find("publicAccessBlock") != std::string::npos;
  if (request.method == "PUT") {
    action = !key.empty() ? "PutObject"
             : tagging    ? "PutBucketTagging"
             : block      ? "PutPublicAccessBlock"
                          : "CreateBucket";
    changes.push_back(action);
    if (action == "CreateBucket") bucket = Bucket{.tags = tags_in(request.body)};
    if (tagging) bucket->tags = tags_in(request.body);
    if (block) bucket->blocked = true;
    if (!key.empty()) bucket->objects[key] = request.body;
    return ok("");
  }
  if (!bucket)
    return request.method == "HEAD" ? net::ClientResponse{.status = 404} : no_such_in_s3("NoSuchBucket");
  if (request.method == "DELETE") {
    action = key.empty() ? "DeleteBucket" : "DeleteObject";
    changes.push_back(action);
    if (key.empty()) {
      bucket.reset();
    } else {
      bucket->objects.erase(key);
    }
    return {.status = 204};
  }
  if (request.method == "HEAD") return ok("");
  if (tagging) {
    if (bucket->tags.empty()) return no_such_in_s3("NoSuchTagSet");
    return ok("<Tagging><TagSet>" + in_xml(bucket->tags, "Tag", "Key", "Value") + "</TagSet></Tagging>");
  }
  if (block) {
    if (!bucket->blocked) return no_such_in_s3("NoSuchPublicAccessBlockConfiguration");
    return ok(
        "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls><IgnorePublicAcls>true"
        "</IgnorePublicAcls><BlockPublicPolicy>true</BlockPublicPolicy><RestrictPublicBuckets>true"
        "</RestrictPublicBuckets></PublicAccessBlockConfiguration>");
  }
  if (!key.empty()) {
    const auto found = bucket->objects.find(key);
    return found == bucket->objects.end() ? no_such_in_s3("NoSuchKey") : ok(found->second);
  }
  std::string contents;
  for (const auto& [name, bytes] : bucket->objects)
    contents += "<Contents><Key>" + name + "</Key></Contents>";
  return ok("<ListBucketResult>" + contents + "</ListBucketResult>");
}

std::string FakeHyperpodAws::route_tables() const {
  if (!table) return "";
  std::string associations;
  if (table->associated) {
    associations = "<item><subnetId>subnet-nodes</subnetId><routeTableId>rtb-nodes</routeTableId></item>";
  }
  std::string routes;
  if (!table->nat.empty()) {
    routes = "<item><destinationCidrBlock>0.0.0.0/0</destinationCidrBlock><natGatewayId>" + table->nat +
             "</natGatewayId></item>";
  }
  return fmt::format(
      "<item><routeTableId>rtb-nodes</routeTableId><associationSet>{}</associationSet><routeSet>{}</routeSet>"
      "<tagSet>{}</tagSet></item>",
      associations, routes, in_xml(table->tags, "item", "key", "value"));
}

net::ClientResponse FakeHyperpodAws::ec2(const std::string& action, const Form& form) {
  if (!action.starts_with("Describe")) return ec2_change(action, form);
  if (action == "DescribeVpcs") {
    return members(action,
                   "<vpcSet><item><vpcId>vpc-1</vpcId><cidrBlock>10.64.0.0/16</cidrBlock></item></vpcSet>");
  }
  if (action == "DescribeSubnets") {
    std::string items =
        "<item><subnetId>subnet-cp</subnetId><cidrBlock>10.64.0.0/24</cidrBlock>"
        "<availabilityZone>us-west-2a</availabilityZone></item>";
    if (subnet) {
      items += fmt::format(
          "<item><subnetId>subnet-nodes</subnetId><cidrBlock>{}</cidrBlock><state>available</state>"
          "<availableIpAddressCount>4091</availableIpAddressCount>"
          "<availabilityZone>us-west-2a</availabilityZone><tagSet>{}</tagSet></item>",
          subnet->block, in_xml(subnet->tags, "item", "key", "value"));
    }
    return members(action, "<subnetSet>" + items + "</subnetSet>");
  }
  if (action == "DescribeRouteTables") {
    return members(action, "<routeTableSet>" + route_tables() + "</routeTableSet>");
  }
  if (action == "DescribeNatGateways") {
    return members(action,
                   "<natGatewaySet><item><natGatewayId>nat-1</natGatewayId><subnetId>subnet-cp</subnetId>"
                   "<state>available</state></item></natGatewaySet>");
  }
  if (action == "DescribeVpcEndpoints") {
    return members(
        action, fmt::format("<vpcEndpointSet><item><vpcEndpointId>vpce-1</vpcEndpointId><vpcEndpointType>"
                            "Gateway</vpcEndpointType><serviceName>com.amazonaws.us-west-2.s3</serviceName>"
                            "<routeTableIdSet>{}</routeTableIdSet></item></vpcEndpointSet>",
                            table && table->at_endpoint ? "<item>rtb-nodes</item>" : ""));
  }
  if (action == "DescribeInstanceTypes") {
    return members(action,
                   "<instanceTypeSet><item><instanceType>g5.xlarge</instanceType></item></instanceTypeSet>");
  }
  if (action == "DescribeInstanceTypeOfferings") {
    return members(action,
                   "<instanceTypeOfferingSet><item><instanceType>g5.xlarge</instanceType>"
                   "<location>us-west-2a</location></item></instanceTypeOfferingSet>");
  }
  return members(action, "");
}

net::ClientResponse FakeHyperpodAws::ec2_change(const std::string& action, const Form& form) {
  changes.push_back(action);
  if (action == "CreateSubnet") {
    subnet = Subnet{field(form, "CidrBlock"), tags_at(form, "TagSpecification.1.Tag.")};
  }
  if (action == "CreateRouteTable") table = Table{.tags = tags_at(form, "TagSpecification.1.Tag.")};
  if (action == "CreateRoute") table->nat = field(form, "NatGatewayId");
  if (action == "AssociateRouteTable") table->associated = true;
  if (action == "ModifyVpcEndpoint") table->at_endpoint = form.contains("AddRouteTableId.1");
  if (action == "DeleteSubnet") {
    subnet.reset();
    if (table) table->associated = false;
  }
  if (action == "DeleteRouteTable") table.reset();
  return members(action, "<return>true</return>");
}

}  // namespace instantstart::capabilities::testing
