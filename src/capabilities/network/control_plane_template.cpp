#include "capabilities/network/control_plane_template.h"

#include <array>
#include <string_view>

#include <fmt/core.h>

#include "base/digest.h"
#include "base/json.h"

namespace instantstart::capabilities {
namespace {

/// Roles of ours are under this path, so that a policy can be about them alone.
constexpr std::string_view k_role_path = "/instantstart/";
constexpr std::string_view k_anywhere = "0.0.0.0/0";
constexpr std::size_t k_id_digits = 10;
constexpr std::size_t k_digest_digits = 16;

/// What a cluster can't do without. Nodes join later: until then CoreDNS waits for one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> k_addons{
    {{"VpcCni", "vpc-cni"},
     {"KubeProxy", "kube-proxy"},
     {"CoreDns", "coredns"},
     {"PodIdentityAgent", "eks-pod-identity-agent"}}};

json::object reference(std::string_view id) { return {{"Ref", id}}; }
json::object attribute(std::string_view id, std::string_view name) {
  return {{"Fn::GetAtt", json::array{id, name}}};
}
json::object substituted(std::string_view text) { return {{"Fn::Sub", text}}; }
json::object joined(json::array values) { return {{"Fn::Join", json::array{",", std::move(values)}}}; }
json::object tag(std::string_view key, json::value value) {
  return {{"Key", key}, {"Value", std::move(value)}};
}
/// "PublicSubnet", 0 → "PublicSubnetA"
std::string zoned(std::string_view id, std::size_t zone) {
  return fmt::format("{}{}", id, static_cast<char>('A' + zone));
}

class TemplateBuilder {
 public:
  explicit TemplateBuilder(const ControlPlaneChoices& choices) : choices_(choices) {}

  json::object build() && {
    if (choices_.existing_vpc()) {
      vpc_ = reference("VpcId");
      for (const auto& subnet : choices_.subnet_ids) private_subnets_.emplace_back(subnet);
    } else {
      vpc_ = reference("Vpc");
      network();
    }
    security_group();
    cluster();
    addons();
    administrators();
    outputs();
    return {{"AWSTemplateFormatVersion", "2010-09-09"},
            {"Description", "InstantStart: network and EKS control plane of one cluster."},
            {"Parameters", parameters()},
            {"Resources", std::move(resources_)},
            {"Outputs", std::move(outputs_)}};
  }

 private:
  json::object& add(std::string_view id, std::string_view type, json::object properties) {
    auto& resource = resources_[id].emplace_object();
    resource["Type"] = type;
    resource["Properties"] = std::move(properties);
    return resource;
  }

  json::array named(std::string_view what, std::initializer_list<json::object> more = {}) const {
    json::array tags{tag("Name", substituted(fmt::format("${{ClusterName}}-{}", what)))};
    for (const auto& other : more) tags.push_back(other);
    return tags;
  }

  json::object parameters() const {
    json::object all;
    for (const auto& [name, value] : to_parameters(choices_)) all[name] = {{"Type", "String"}};
    all["Template"] = {{"Type", "String"}, {"Description", "Digest of this template."}};
    return all;
  }

  // --- a network of its own --------------------------------------------------------------------------------

  void network() {
    const auto block = domain::Cidr::parse(choices_.vpc_cidr);
    const auto plan = block ? address_plan(*block, choices_.zones.size()) : std::nullopt;
    if (!plan) return;  // Choices are checked where they are made.
    add("Vpc", "AWS::EC2::VPC",
        {{"CidrBlock", reference("VpcCidr")},
         {"EnableDnsSupport", true},
         {"EnableDnsHostnames", true},
         {"Tags", named("vpc")}});
    add("InternetGateway", "AWS::EC2::InternetGateway", {{"Tags", named("internet")}});
    add("GatewayAttachment", "AWS::EC2::VPCGatewayAttachment",
        {{"VpcId", vpc_}, {"InternetGatewayId", reference("InternetGateway")}});
    public_routes();
    for (std::size_t zone = 0; zone < choices_.zones.size(); ++zone) {
      subnet("PublicSubnet", zone, plan->public_subnets[zone], "kubernetes.io/role/elb");
      subnet("PrivateSubnet", zone, plan->private_subnets[zone], "kubernetes.io/role/internal-elb");
      associate("PublicSubnet", zone, "PublicRouteTable");
      public_subnets_.push_back(reference(zoned("PublicSubnet", zone)));
      private_subnets_.push_back(reference(zoned("PrivateSubnet", zone)));
      if (zone == 0 || choices_.nat == NatMode::per_zone) nat_gateway(zone);
      private_routes(zone);
    }
    s3_endpoint();
  }

  void public_routes() {
    add("PublicRouteTable", "AWS::EC2::RouteTable", {{"VpcId", vpc_}, {"Tags", named("public")}});
    add("PublicRoute", "AWS::EC2::Route",
        {{"RouteTableId", reference("PublicRouteTable")},
         {"DestinationCidrBlock", k_anywhere},
         {"GatewayId", reference("InternetGateway")}})["DependsOn"] = "GatewayAttachment";
  }

  void subnet(std::string_view id, std::size_t zone, const domain::Cidr& block, std::string_view role) {
    const std::string_view what = id == "PublicSubnet" ? "public" : "private";
    add(zoned(id, zone), "AWS::EC2::Subnet",
        {{"VpcId", vpc_},
         {"AvailabilityZone", choices_.zones[zone]},
         {"CidrBlock", to_text(block)},
         {"Tags", named(fmt::format("{}-{}", what, choices_.zones[zone]), {tag(role, "1")})}});
  }

  void associate(std::string_view subnet, std::size_t zone, std::string_view table) {
    add(zoned(fmt::format("{}Routes", subnet), zone), "AWS::EC2::SubnetRouteTableAssociation",
        {{"SubnetId", reference(zoned(subnet, zone))}, {"RouteTableId", reference(table)}});
  }

  void nat_gateway(std::size_t zone) {
    add(zoned("NatAddress", zone), "AWS::EC2::EIP",
        {{"Domain", "vpc"}, {"Tags", named("nat-" + choices_.zones[zone])}})["DependsOn"] =
        "GatewayAttachment";
    add(zoned("NatGateway", zone), "AWS::EC2::NatGateway",
        {{"AllocationId", attribute(zoned("NatAddress", zone), "AllocationId")},
         {"SubnetId", reference(zoned("PublicSubnet", zone))},
         {"Tags", named("nat-" + choices_.zones[zone])}})["DependsOn"] = "PublicRoute";
  }

  /// A table for each zone in both modes: changing the mode then changes where one route goes, and nothing
  /// else.
  void private_routes(std::size_t zone) {
    const std::string table = zoned("PrivateRouteTable", zone);
    const std::size_t nat = choices_.nat == NatMode::per_zone ? zone : 0;
    add(table, "AWS::EC2::RouteTable", {{"VpcId", vpc_}, {"Tags", named("private-" + choices_.zones[zone])}});
    add(zoned("PrivateRoute", zone), "AWS::EC2::Route",
        {{"RouteTableId", reference(table)},
         {"DestinationCidrBlock", k_anywhere},
         {"NatGatewayId", reference(zoned("NatGateway", nat))}});
    associate("PrivateSubnet", zone, table);
    private_tables_.push_back(reference(table));
  }

  /// Images, checkpoints and data sets don't go through NAT, which is paid by the gigabyte.
  void s3_endpoint() {
    json::array tables = private_tables_;
    tables.push_back(reference("PublicRouteTable"));
    add("S3Endpoint", "AWS::EC2::VPCEndpoint",
        {{"VpcId", vpc_},
         {"VpcEndpointType", "Gateway"},
         {"ServiceName", substituted("com.amazonaws.${AWS::Region}.s3")},
         {"RouteTableIds", std::move(tables)}});
  }

  // --- the control plane -----------------------------------------------------------------------------------

  /// EFA needs all traffic from and to the group itself, both ways, as rules that name the group (EC2 user
  /// guide, "Prepare an EFA-enabled security group"): the egress rule to everywhere doesn't count.
  void security_group() {
    add("SecurityGroup", "AWS::EC2::SecurityGroup",
        {{"GroupDescription", "Control plane and nodes of one cluster, EFA between them"},
         {"VpcId", vpc_},
         {"SecurityGroupEgress", json::array{{{"IpProtocol", "-1"}, {"CidrIp", k_anywhere}}}},
         {"Tags", named("nodes")}});
    add("SecurityGroupFromItself", "AWS::EC2::SecurityGroupIngress",
        {{"GroupId", attribute("SecurityGroup", "GroupId")},
         {"IpProtocol", "-1"},
         {"SourceSecurityGroupId", attribute("SecurityGroup", "GroupId")}});
    add("SecurityGroupToItself", "AWS::EC2::SecurityGroupEgress",
        {{"GroupId", attribute("SecurityGroup", "GroupId")},
         {"IpProtocol", "-1"},
         {"DestinationSecurityGroupId", attribute("SecurityGroup", "GroupId")}});
  }

  void cluster() {
    const json::object trust{{"Version", "2012-10-17"},
                             {"Statement", json::array{{{"Effect", "Allow"},
                                                        {"Principal", {{"Service", "eks.amazonaws.com"}}},
                                                        {"Action", "sts:AssumeRole"}}}}};
    add("ClusterRole", "AWS::IAM::Role",
        {{"RoleName", reference("RoleName")},
         {"Path", k_role_path},
         {"AssumeRolePolicyDocument", trust},
         {"ManagedPolicyArns",
          json::array{substituted("arn:${AWS::Partition}:iam::aws:policy/AmazonEKSClusterPolicy")}}});
    json::array log_types;
    for (const char* type : {"api", "audit", "authenticator", "controllerManager", "scheduler"}) {
      log_types.push_back({{"Type", type}});
    }
    // HyperPod makes access entries of its own, so the mode must take them (EKS, authenticationMode).
    add("Cluster", "AWS::EKS::Cluster",
        {{"Name", reference("ClusterName")},
         {"Version", reference("KubernetesVersion")},
         {"RoleArn", attribute("ClusterRole", "Arn")},
         {"AccessConfig",
          {{"AuthenticationMode", "API_AND_CONFIG_MAP"}, {"BootstrapClusterCreatorAdminPermissions", true}}},
         {"BootstrapSelfManagedAddons", false},
         {"ResourcesVpcConfig", vpc_config()},
         {"Logging", {{"ClusterLogging", {{"EnabledTypes", std::move(log_types)}}}}}});
  }

  json::object vpc_config() const {
    json::object config{{"SubnetIds", private_subnets_},
                        {"SecurityGroupIds", json::array{attribute("SecurityGroup", "GroupId")}},
                        {"EndpointPublicAccess", choices_.endpoint_access != EndpointAccess::private_only},
                        {"EndpointPrivateAccess", choices_.endpoint_access != EndpointAccess::public_only}};
    if (choices_.endpoint_access != EndpointAccess::private_only) {
      json::array cidrs;
      for (const auto& cidr : choices_.public_access_cidrs) cidrs.emplace_back(cidr);
      config["PublicAccessCidrs"] = std::move(cidrs);
    }
    return config;
  }

  void addons() {
    for (const auto& [id, name] : k_addons) {
      add(id, "AWS::EKS::Addon",
          {{"AddonName", name}, {"ClusterName", reference("Cluster")}, {"ResolveConflicts", "OVERWRITE"}});
    }
  }

  void administrators() {
    const std::string policy =
        "arn:${AWS::Partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy";
    for (const auto& arn : choices_.administrators) {
      add("Administrator" + to_hex(sha256(arn)).substr(0, k_id_digits), "AWS::EKS::AccessEntry",
          {{"ClusterName", reference("Cluster")},
           {"PrincipalArn", arn},
           {"AccessPolicies",
            json::array{{{"PolicyArn", substituted(policy)}, {"AccessScope", {{"Type", "cluster"}}}}}}});
    }
  }

  // --- what later stages need ------------------------------------------------------------------------------

  void output(std::string_view name, json::value value) { outputs_[name] = {{"Value", std::move(value)}}; }

  void outputs() {
    output("VpcId", vpc_);
    output("PrivateSubnetIds", joined(private_subnets_));
    if (!choices_.existing_vpc()) {
      output("PublicSubnetIds", joined(public_subnets_));
      output("PublicRouteTableId", reference("PublicRouteTable"));
      output("PrivateRouteTableIds", joined(private_tables_));
    }
    output("SecurityGroupId", attribute("SecurityGroup", "GroupId"));
    output("ClusterArn", attribute("Cluster", "Arn"));
    output("ClusterEndpoint", attribute("Cluster", "Endpoint"));
    output("CertificateAuthority", attribute("Cluster", "CertificateAuthorityData"));
    output("OidcIssuer", attribute("Cluster", "OpenIdConnectIssuerUrl"));
    output("ClusterSecurityGroupId", attribute("Cluster", "ClusterSecurityGroupId"));
    output("ClusterRoleArn", attribute("ClusterRole", "Arn"));
    // The parameters that shape the template instead of standing in it; in one text, since none may be empty.
    std::string shape =
        "template=${Template} access=${EndpointAccess} from=${PublicAccessCidrs}"
        " administrators=${Administrators}";
    shape += choices_.existing_vpc() ? " subnets=${SubnetIds}" : " zones=${Zones} nat=${Nat}";
    output("Choices", substituted(shape));
  }

  const ControlPlaneChoices& choices_;
  json::object vpc_;
  json::array public_subnets_;
  json::array private_subnets_;
  json::array private_tables_;
  json::object resources_;
  json::object outputs_;
};

}  // namespace

json::object control_plane_template(const ControlPlaneChoices& choices) {
  return TemplateBuilder(choices).build();
}

TemplateText template_text(const ControlPlaneChoices& choices) {
  TemplateText text{.body = to_text(control_plane_template(choices))};
  text.digest = to_hex(sha256(text.body)).substr(0, k_digest_digits);
  return text;
}

}  // namespace instantstart::capabilities
