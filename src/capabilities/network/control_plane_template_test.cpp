#include "capabilities/network/control_plane_template.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "base/json.h"
#include "capabilities/network/testing/sample_control_planes.h"

namespace instantstart::capabilities {
namespace {

class Template : public ::testing::TestWithParam<std::string> {
 protected:
  ControlPlaneChoices choices = testing::sample_choices().at(GetParam());
  json::object document = control_plane_template(choices);

  const json::object& resources() const { return document.at("Resources").as_object(); }
  const json::object& properties(std::string_view id) const {
    return resources().at(id).at("Properties").as_object();
  }
  std::vector<std::string> of_type(std::string_view type) const {
    std::vector<std::string> ids;
    for (const auto& [id, resource] : resources()) {
      if (resource.at("Type").as_string() == type) ids.emplace_back(id);
    }
    return ids;
  }
};

void each_value(const json::value& value, const std::function<void(const json::value&)>& visit) {
  visit(value);
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) each_value(member.value(), visit);
  } else if (const auto* array = value.if_array()) {
    for (const auto& item : *array) each_value(item, visit);
  }
}

/// Names between "${" and "}".
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (auto at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2)) {
    const auto end = text.find('}', at);
    names.emplace_back(text.substr(at + 2, end - at - 2));
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Kinds, Template, ::testing::Values("single", "per_zone", "private", "existing_vpc"),
                         [](const auto& info) { return info.param; });

TEST_P(Template, EveryReferenceResolvesAndEveryParameterIsUsed) {
  const auto& parameters = document.at("Parameters").as_object();
  std::set<std::string> used;
  each_value(document, [&](const json::value& value) {
    const auto* object = value.if_object();
    if (!object) return;
    if (const auto* id = object->if_contains("Ref")) used.emplace(id->as_string());
    if (const auto* pair = object->if_contains("Fn::GetAtt")) used.emplace(pair->as_array()[0].as_string());
    if (const auto* text = object->if_contains("Fn::Sub")) {
      for (auto& name : names_in(text->as_string())) used.insert(std::move(name));
    }
    if (const auto* id = object->if_contains("DependsOn")) used.emplace(id->as_string());
  });
  for (const auto& name : used) {
    EXPECT_TRUE(resources().contains(name) || parameters.contains(name) || name.starts_with("AWS::")) << name;
  }
  for (const auto& [name, parameter] : parameters) {
    EXPECT_TRUE(used.contains(std::string(name))) << name;
  }
  auto wanted = to_parameters(choices);
  wanted["Template"] = "";
  EXPECT_EQ(parameters.size(), wanted.size());
}

TEST_P(Template, NothingIsAllowedByWildcardAndNoPartitionIsWritten) {
  each_value(document, [](const json::value& value) {
    if (!value.is_string()) return;
    const std::string_view text = value.as_string();
    EXPECT_EQ(text.find('*'), std::string_view::npos) << text;
    EXPECT_FALSE(text.starts_with("arn:aws:") && !text.starts_with("arn:aws:iam::123456789012:role/team-"))
        << text;
  });
}

TEST_P(Template, EfaHasAllTrafficFromAndToItself) {
  const json::value group{{"Fn::GetAtt", {"SecurityGroup", "GroupId"}}};
  const auto& in = properties("SecurityGroupFromItself");
  EXPECT_EQ(in.at("GroupId"), group);
  EXPECT_EQ(in.at("SourceSecurityGroupId"), group);
  EXPECT_EQ(in.at("IpProtocol"), "-1");
  const auto& out = properties("SecurityGroupToItself");
  EXPECT_EQ(out.at("GroupId"), group);
  EXPECT_EQ(out.at("DestinationSecurityGroupId"), group);
  EXPECT_EQ(out.at("IpProtocol"), "-1");
  EXPECT_EQ(properties("Cluster").at("ResourcesVpcConfig").at("SecurityGroupIds").as_array(),
            (json::array{group}));
  EXPECT_TRUE(properties("SecurityGroup").at("SecurityGroupEgress").as_array().at(0).is_object());
}

TEST_P(Template, HyperPodCanMakeAccessEntriesAndTheCreatorIsAdministrator) {
  const auto& access = properties("Cluster").at("AccessConfig");
  EXPECT_EQ(access.at("AuthenticationMode"), "API_AND_CONFIG_MAP");
  EXPECT_EQ(access.at("BootstrapClusterCreatorAdminPermissions"), true);
  EXPECT_EQ(of_type("AWS::EKS::AccessEntry").size(), choices.administrators.size());
}

TEST_P(Template, CoreAddonsComeFromTheStackAlone) {
  std::set<std::string> names;
  for (const auto& id : of_type("AWS::EKS::Addon")) names.emplace(properties(id).at("AddonName").as_string());
  EXPECT_EQ(names, (std::set<std::string>{"vpc-cni", "kube-proxy", "coredns", "eks-pod-identity-agent"}));
  EXPECT_EQ(properties("Cluster").at("BootstrapSelfManagedAddons"), false);
}

TEST_P(Template, EveryPrivateSubnetHasARouteOutAndTheNatModeSaysThroughWhat) {
  const auto gateways = of_type("AWS::EC2::NatGateway");
  if (choices.existing_vpc()) {
    EXPECT_TRUE(gateways.empty());
    EXPECT_TRUE(of_type("AWS::EC2::VPC").empty());
    EXPECT_TRUE(of_type("AWS::EC2::Subnet").empty());
    return;
  }
  EXPECT_EQ(gateways.size(), choices.nat == NatMode::per_zone ? choices.zones.size() : 1);
  std::set<std::string> through;
  for (std::size_t zone = 0; zone < choices.zones.size(); ++zone) {
    const std::string letter(1, static_cast<char>('A' + zone));
    through.emplace(properties("PrivateRoute" + letter).at("NatGatewayId").at("Ref").as_string());
    EXPECT_EQ(properties("PrivateSubnetRoutes" + letter).at("SubnetId"),
              json::value({{"Ref", "PrivateSubnet" + letter}}));
    EXPECT_EQ(properties("PublicSubnetRoutes" + letter).at("RouteTableId").at("Ref"), "PublicRouteTable");
  }
  EXPECT_EQ(through.size(), gateways.size());
}

TEST_P(Template, SubnetsAreApartAndInsideTheVpc) {
  if (choices.existing_vpc()) {
    EXPECT_TRUE(of_type("AWS::EC2::Subnet").empty());
    return;
  }
  const auto vpc = *domain::Cidr::parse(choices.vpc_cidr);
  std::vector<domain::Cidr> blocks;
  for (const auto& id : of_type("AWS::EC2::Subnet")) {
    const auto block = domain::Cidr::parse(properties(id).at("CidrBlock").as_string());
    ASSERT_TRUE(block);
    EXPECT_TRUE(vpc.contains(*block));
    for (const auto& other : blocks) EXPECT_FALSE(block->overlaps(other)) << to_text(*block);
    blocks.push_back(*block);
  }
  EXPECT_EQ(blocks.size(), 2 * choices.zones.size());
}

TEST_P(Template, TheS3EndpointServesEveryRouteTable) {
  if (choices.existing_vpc()) {
    EXPECT_TRUE(of_type("AWS::EC2::VPCEndpoint").empty());
    return;
  }
  EXPECT_EQ(properties("S3Endpoint").at("RouteTableIds").as_array().size(),
            of_type("AWS::EC2::RouteTable").size());
  EXPECT_EQ(properties("Vpc").at("EnableDnsSupport"), true);
  EXPECT_EQ(properties("Vpc").at("EnableDnsHostnames"), true);
}

TEST_P(Template, TheEndpointIsOpenAsChosen) {
  const auto& config = properties("Cluster").at("ResourcesVpcConfig").as_object();
  const bool hidden = choices.endpoint_access == EndpointAccess::private_only;
  EXPECT_EQ(config.at("EndpointPublicAccess"), !hidden);
  EXPECT_EQ(config.at("EndpointPrivateAccess"), true);
  EXPECT_EQ(config.contains("PublicAccessCidrs"), !hidden);
}

TEST_P(Template, LaterStagesFindWhatTheyNeedInItsOutputs) {
  const auto& outputs = document.at("Outputs").as_object();
  for (const char* name : {"VpcId", "PrivateSubnetIds", "SecurityGroupId", "ClusterArn", "ClusterEndpoint",
                           "CertificateAuthority", "OidcIssuer"}) {
    EXPECT_TRUE(outputs.contains(name)) << name;
  }
}

TEST_P(Template, FitsIntoOneCallAndIsTheSameEachTime) {
  const auto text = template_text(choices);
  EXPECT_LT(text.body.size(), k_most_template_bytes);
  EXPECT_EQ(text.body, template_text(choices).body);
  EXPECT_EQ(text.digest.size(), 16u);
}

TEST_P(Template, IsWrittenForOtherCheckersWhereAFolderIsGiven) {
  const char* folder = std::getenv("INSTANTSTART_TEMPLATES");
  if (!folder) GTEST_SKIP() << "INSTANTSTART_TEMPLATES is not set";
  std::ofstream file(std::string(folder) + "/" + GetParam() + ".json");
  file << template_text(choices).body;
  ASSERT_TRUE(file.flush());
}

TEST(TemplateDigest, DiffersWhenTheTemplateDoes) {
  std::set<std::string> digests;
  for (const auto& [name, choices] : testing::sample_choices()) digests.insert(template_text(choices).digest);
  EXPECT_EQ(digests.size(), testing::sample_choices().size());
}

}  // namespace
}  // namespace instantstart::capabilities
