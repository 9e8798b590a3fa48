// Templates that several tests make stacks of.
#pragma once

#include <string>
#include <string_view>

namespace instantstart::sandbox::cloudformation {

/// A VPC alone, of the block.
inline std::string vpc_template(std::string_view block = "10.0.0.0/16", std::string_view more = "") {
  return std::string(R"({"Resources":{"Vpc":{"Type":"AWS::EC2::VPC","Properties":{"CidrBlock":")") +
         std::string(block) + R"("}})" + std::string(more) +
         R"(},"Outputs":{"VpcId":{"Value":{"Ref":"Vpc"}}}})";
}

/// A network with a way out, and a role: what a cluster's stack is made of.
inline constexpr std::string_view k_network_template = R"({
"Parameters":{"VpcCidr":{"Type":"String","Default":"10.1.0.0/16"}},
"Resources":{
 "Vpc":{"Type":"AWS::EC2::VPC","Properties":{"CidrBlock":{"Ref":"VpcCidr"},"EnableDnsHostnames":true,
   "Tags":[{"Key":"Name","Value":{"Fn::Sub":"${AWS::StackName}-vpc"}}]}},
 "Gateway":{"Type":"AWS::EC2::InternetGateway"},
 "Attachment":{"Type":"AWS::EC2::VPCGatewayAttachment","Properties":{"VpcId":{"Ref":"Vpc"},
   "InternetGatewayId":{"Ref":"Gateway"}}},
 "Public":{"Type":"AWS::EC2::Subnet","Properties":{"VpcId":{"Ref":"Vpc"},"MapPublicIpOnLaunch":"true",
   "CidrBlock":{"Fn::Select":[0,{"Fn::Cidr":[{"Fn::GetAtt":["Vpc","CidrBlock"]},4,8]}]},
   "AvailabilityZone":{"Fn::Select":[0,{"Fn::GetAZs":""}]}}},
 "Private":{"Type":"AWS::EC2::Subnet","Properties":{"VpcId":{"Ref":"Vpc"},
   "CidrBlock":{"Fn::Select":[1,{"Fn::Cidr":[{"Fn::GetAtt":["Vpc","CidrBlock"]},4,8]}]},
   "AvailabilityZone":{"Fn::Select":[1,{"Fn::GetAZs":""}]}}},
 "Address":{"Type":"AWS::EC2::EIP","DependsOn":"Attachment","Properties":{"Domain":"vpc"}},
 "Nat":{"Type":"AWS::EC2::NatGateway","Properties":{"SubnetId":{"Ref":"Public"},
   "AllocationId":{"Fn::GetAtt":["Address","AllocationId"]}}},
 "PublicTable":{"Type":"AWS::EC2::RouteTable","Properties":{"VpcId":{"Ref":"Vpc"}}},
 "PublicRoute":{"Type":"AWS::EC2::Route","DependsOn":"Attachment","Properties":{"RouteTableId":{"Ref":"PublicTable"},
   "DestinationCidrBlock":"0.0.0.0/0","GatewayId":{"Ref":"Gateway"}}},
 "PublicPlace":{"Type":"AWS::EC2::SubnetRouteTableAssociation","Properties":{"SubnetId":{"Ref":"Public"},
   "RouteTableId":{"Ref":"PublicTable"}}},
 "PrivateTable":{"Type":"AWS::EC2::RouteTable","Properties":{"VpcId":{"Ref":"Vpc"}}},
 "PrivateRoute":{"Type":"AWS::EC2::Route","Properties":{"RouteTableId":{"Ref":"PrivateTable"},
   "DestinationCidrBlock":"0.0.0.0/0","NatGatewayId":{"Ref":"Nat"}}},
 "PrivatePlace":{"Type":"AWS::EC2::SubnetRouteTableAssociation","Properties":{"SubnetId":{"Ref":"Private"},
   "RouteTableId":{"Ref":"PrivateTable"}}},
 "Group":{"Type":"AWS::EC2::SecurityGroup","Properties":{"GroupDescription":"of nodes","VpcId":{"Ref":"Vpc"},
   "SecurityGroupEgress":[{"IpProtocol":"-1","CidrIp":"0.0.0.0/0"}]}},
 "FromSelf":{"Type":"AWS::EC2::SecurityGroupIngress","Properties":{"GroupId":{"Ref":"Group"},"IpProtocol":"tcp",
   "FromPort":"988","ToPort":988,"SourceSecurityGroupId":{"Ref":"Group"}}},
 "Bucket":{"Type":"AWS::EC2::VPCEndpoint","Properties":{"VpcId":{"Ref":"Vpc"},
   "ServiceName":{"Fn::Sub":"com.amazonaws.${AWS::Region}.s3"},"RouteTableIds":[{"Ref":"PrivateTable"}]}},
 "Role":{"Type":"AWS::IAM::Role","Properties":{"RoleName":{"Fn::Sub":"${AWS::StackName}-role"},
   "AssumeRolePolicyDocument":{"Version":"2012-10-17","Statement":[{"Effect":"Allow",
     "Principal":{"Service":"eks.amazonaws.com"},"Action":"sts:AssumeRole"}]},
   "ManagedPolicyArns":["arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"],
   "Policies":[{"PolicyName":"own","PolicyDocument":{"Version":"2012-10-17","Statement":[{"Effect":"Allow",
     "Action":"s3:GetObject","Resource":"*"}]}}]}}},
"Outputs":{"VpcId":{"Value":{"Ref":"Vpc"},"Export":{"Name":{"Fn::Sub":"${AWS::StackName}-vpc"}}},
 "RoleArn":{"Value":{"Fn::GetAtt":["Role","Arn"]}},"NatId":{"Value":{"Ref":"Nat"}}}})";

}  // namespace instantstart::sandbox::cloudformation
