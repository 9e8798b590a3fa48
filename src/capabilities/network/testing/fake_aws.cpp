#include "capabilities/network/testing/fake_aws.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/digest.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::capabilities::testing {
namespace {

constexpr int k_looks = 3;

net::ClientResponse ok(std::string body) { return {.status = 200, .headers = {}, .body = std::move(body)}; }

net::ClientResponse query(std::string_view action, std::string_view result) {
  return ok(fmt::format("<{0}Response><{0}Result>{1}</{0}Result></{0}Response>", action, result));
}

net::ClientResponse ec2(std::string_view action, std::string_view members) {
  return ok(fmt::format("<{0}Response>{1}</{0}Response>", action, members));
}

net::ClientResponse refused(std::string_view code, std::string_view message) {
  return {.status = 400,
          .headers = {},
          .body = fmt::format("<ErrorResponse><Error><Type>Sender</Type><Code>{}</Code><Message>{}</"
                              "Message></Error></ErrorResponse>",
                              code, message)};
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

std::map<std::string, std::string> pairs_of(const std::map<std::string, std::string>& form,
                                            std::string_view list, std::string_view key,
                                            std::string_view value) {
  std::map<std::string, std::string> pairs;
  for (int i = 1;; ++i) {
    const auto found = form.find(fmt::format("{}.member.{}.{}", list, i, key));
    if (found == form.end()) return pairs;
    const auto text = form.find(fmt::format("{}.member.{}.{}", list, i, value));
    pairs[found->second] = text == form.end() ? "" : text->second;
  }
}

std::string members(const std::map<std::string, std::string>& pairs, std::string_view key,
                    std::string_view value) {
  std::string text;
  for (const auto& [name, content] : pairs) {
    text += fmt::format("<member><{0}>{2}</{0}><{1}>{3}</{1}></member>", key, value, name, content);
  }
  return text;
}

}  // namespace

Task<net::ClientResponse> FakeAws::send(net::ClientRequest request, net::Deadline) {
  const std::string host = request.url.substr(8, request.url.find('/', 8) - 8);
  const std::size_t before = changes.size();
  auto response = answer(host, request);
  if (lose_next_reply && changes.size() > before) {
    lose_next_reply = false;
    Error error{.code = std::string(codes::unknown_outcome), .message = "connection reset"};
    error.detail["sent"] = true;
    co_return fail(std::move(error));
  }
  co_return response;
}

Task<net::HttpClient::Stream> FakeAws::open(net::ClientRequest, net::Deadline) {
  co_return fail(codes::internal, "nothing streams here");
}

net::ClientResponse FakeAws::answer(const std::string& host, const net::ClientRequest& request) {
  const auto form = fields_of(request.body);
  const auto named = form.find("Action");
  const std::string action = named == form.end() ? "" : named->second;
  if (host.starts_with("cloudformation.")) return cloudformation(form);
  if (host.starts_with("sts.")) {
    return query(action, "<Arn>arn:aws:iam::123456789012:user/ann</Arn><Account>123456789012</Account>");
  }
  if (host.starts_with("iam.")) {
    return query(action,
                 fmt::format("<EvaluationResults><member><EvalActionName>{}</EvalActionName><EvalDecision>{}"
                             "</EvalDecision></member></EvaluationResults>",
                             denied.empty() ? "eks:CreateCluster" : denied,
                             denied.empty() ? "allowed" : "implicitDeny"));
  }
  if (host.starts_with("servicequotas.")) {
    const bool of_eks = request.body.find("L-1194D53C") != std::string::npos;
    return ok(fmt::format(R"({{"Quota":{{"Value":{}}}}})", of_eks ? eks_quota : 5));
  }
  if (host.starts_with("api.sagemaker.")) return ok(R"({"ClusterSummaries":[]})");
  if (host.starts_with("eks.")) {
    if (request.url.find("/cluster-versions") != std::string::npos) {
      return ok(R"({"clusterVersions":[{"clusterVersion":"1.33","versionStatus":"STANDARD_SUPPORT"},)"
                R"({"clusterVersion":"1.34","defaultVersion":true,"versionStatus":"STANDARD_SUPPORT"}]})");
    }
    if (request.url.find("/clusters/") == std::string::npos) return ok(R"({"clusters":[]})");
    if (eks_cluster) return ok(fmt::format(R"({{"cluster":{{"arn":"{}"}}}})", *eks_cluster));
    net::ClientResponse missing{.status = 404, .headers = {}, .body = R"({"message":"No cluster found"})"};
    missing.headers.add("x-amzn-errortype", "ResourceNotFoundException");
    return missing;
  }
  if (action == "DescribeAvailabilityZones") {
    std::string zones;
    for (const char* letter : {"a", "b", "c"}) {
      zones += fmt::format(
          "<item><zoneName>us-west-2{0}</zoneName><zoneId>usw2-az{0}</zoneId>"
          "<zoneState>available</zoneState><zoneType>availability-zone</zoneType></item>",
          letter);
    }
    return ec2(action, "<availabilityZoneInfo>" + zones + "</availabilityZoneInfo>");
  }
  if (action == "DescribeVpcs") {
    return ec2(action, "<vpcSet><item><cidrBlock>" + vpc_block + "</cidrBlock></item></vpcSet>");
  }
  if (action == "DescribeSubnets") {
    std::string items;
    for (const auto& [id, letter] : subnets) {
      items += fmt::format(
          "<item><subnetId>{0}</subnetId><vpcId>vpc-12345678</vpcId><availabilityZone>us-west-2{1}"
          "</availabilityZone><availabilityZoneId>usw2-az{1}</availabilityZoneId>"
          "<availableIpAddressCount>100</availableIpAddressCount></item>",
          id, letter);
    }
    return ec2(action, "<subnetSet>" + items + "</subnetSet>");
  }
  if (action == "DescribeNetworkInterfaces" && !stranger.empty()) {
    return ec2(action,
               "<networkInterfaceSet><item><networkInterfaceId>eni-1</networkInterfaceId><description>" +
                   stranger + "</description></item></networkInterfaceSet>");
  }
  return ec2(action, "");
}

net::ClientResponse FakeAws::cloudformation(const Form& form) {
  const std::string& action = form.at("Action");
  const bool there = stack && stack->status != "DELETE_COMPLETE";
  if (action == "CreateStack" || action == "UpdateStack" || action == "DeleteStack")
    return changed(action, form);
  if (!there) {
    return refused("ValidationError", "Stack with id " + form.at("StackName") + " does not exist");
  }
  if (action == "DescribeStacks") return describe_stack();
  if (action == "DescribeStackResources") {
    return query(action, "<StackResources>" + resources() + "</StackResources>");
  }
  return query(action, "<StackEvents>" + events() + "</StackEvents>");
}

net::ClientResponse FakeAws::changed(const std::string& action, const Form& form) {
  const std::string& token = form.at("ClientRequestToken");
  const auto known = tokens_.find(token);
  if (known != tokens_.end()) return query(action, "<StackId>" + known->second + "</StackId>");
  const bool there = stack && stack->status != "DELETE_COMPLETE";
  if (action == "CreateStack" && there) return refused("AlreadyExistsException", "Stack exists");
  changes.push_back(action);
  if (action == "CreateStack") stack = Stack{.id = fmt::format("arn:stack/{}", ++made_)};
  if (!stack) return query(action, "");
  tokens_[token] = stack->id;
  stack->looks_left = k_looks;
  if (action == "DeleteStack") {
    stack->status = "DELETE_IN_PROGRESS";
    return query(action, "");
  }
  stack->status = action == "CreateStack" ? "CREATE_IN_PROGRESS" : "UPDATE_IN_PROGRESS";
  stack->before = stack->parameters;
  stack->parameters = pairs_of(form, "Parameters", "ParameterKey", "ParameterValue");
  stack->tags = pairs_of(form, "Tags", "Key", "Value");
  return query(action, "<StackId>" + stack->id + "</StackId>");
}

void FakeAws::go_on() {
  if (!stack->status.ends_with("_IN_PROGRESS") || --stack->looks_left > 0) return;
  if (stack->status == "DELETE_IN_PROGRESS") {
    stack.reset();
  } else if (stack->status == "CREATE_IN_PROGRESS") {
    stack->status = failure ? "ROLLBACK_COMPLETE" : "CREATE_COMPLETE";
  } else if (failure) {
    stack->status = "UPDATE_ROLLBACK_COMPLETE";
    stack->parameters = stack->before;
  } else {
    stack->status = "UPDATE_COMPLETE";
  }
}

net::ClientResponse FakeAws::describe_stack() {
  go_on();
  if (!stack) return refused("ValidationError", "Stack with id x does not exist");
  const bool complete = stack->status.ends_with("E_COMPLETE") && stack->status != "ROLLBACK_COMPLETE";
  return query(
      "DescribeStacks",
      fmt::format("<Stacks><member><StackName>s</StackName><StackId>{}</StackId><StackStatus>{}</StackStatus>"
                  "<Parameters>{}</Parameters><Tags>{}</Tags><Outputs>{}</Outputs></member></Stacks>",
                  stack->id, stack->status, members(stack->parameters, "ParameterKey", "ParameterValue"),
                  members(stack->tags, "Key", "Value"),
                  complete ? members({{"VpcId", "vpc-1"}}, "OutputKey", "OutputValue") : ""));
}

std::string FakeAws::resources() const {
  return "<member><LogicalResourceId>Vpc</LogicalResourceId><PhysicalResourceId>vpc-1</PhysicalResourceId>"
         "<ResourceType>AWS::EC2::VPC</ResourceType><ResourceStatus>CREATE_COMPLETE</ResourceStatus></"
         "member>";
}

std::string FakeAws::events() const {
  return fmt::format(
      "<member><StackId>{0}</StackId><LogicalResourceId>Vpc</LogicalResourceId><ResourceType>AWS::EC2::VPC"
      "</ResourceType><ResourceStatus>CREATE_FAILED</ResourceStatus><ResourceStatusReason>{1}</"
      "ResourceStatusReason>"
      "</member><member><StackId>{0}</StackId><PhysicalResourceId>{0}</PhysicalResourceId><ResourceStatus>"
      "CREATE_IN_PROGRESS</ResourceStatus></member>",
      stack->id, failure.value_or(""));
}

}  // namespace instantstart::capabilities::testing
