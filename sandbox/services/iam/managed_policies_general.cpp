#include "sandbox/services/iam/managed_policy_documents.h"

namespace instantstart::sandbox::iam {
namespace {

// clang-format off
constexpr ManagedPolicy k_policies[] = {
    {"AdministratorAccess", "/", "v1", "2015-02-06T18:39:46Z", "2015-02-06T18:39:46Z",
     R"({"Statement":[{"Action":"*","Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"PowerUserAccess", "/", "v12", "2015-02-06T18:39:47Z", "2026-02-12T17:59:14Z",
     R"({"Statement":[{"Effect":"Allow","NotAction":["iam:*","organizations:*","account:*"],"Resource":"*"},{
"Action":["account:GetAccountInformation","account:GetGovCloudAccountInformation",
"account:GetPrimaryEmail","account:ListRegions","iam:CreateServiceLinkedRole",
"iam:DeleteServiceLinkedRole","iam:ListRoles","organizations:DescribeEffectivePolicy",
"organizations:DescribeOrganization"],"Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"ReadOnlyAccess", "/", "v190", "2015-02-06T18:39:48Z", "2026-09-24T17:37:08Z",
     ""},
    {"IAMFullAccess", "/", "v2", "2015-02-06T18:40:38Z", "2019-06-21T19:40:00Z",
     R"({"Statement":[{"Action":["iam:*","organizations:DescribeAccount","organizations:DescribeOrganization",
"organizations:DescribeOrganizationalUnit","organizations:DescribePolicy","organizations:ListChildren",
"organizations:ListParents","organizations:ListPoliciesForTarget","organizations:ListRoots",
"organizations:ListPolicies","organizations:ListTargetsForPolicy"],"Effect":"Allow","Resource":"*"}],
"Version":"2012-10-17"})"},
    {"IAMReadOnlyAccess", "/", "v4", "2015-02-06T18:40:39Z", "2018-01-25T19:11:27Z",
     R"({"Statement":[{"Action":["iam:GenerateCredentialReport","iam:GenerateServiceLastAccessedDetails",
"iam:Get*","iam:List*","iam:SimulateCustomPolicy","iam:SimulatePrincipalPolicy"],"Effect":"Allow",
"Resource":"*"}],"Version":"2012-10-17"})"},
    {"AmazonEC2ContainerRegistryFullAccess", "/", "v3", "2015-12-21T17:06:48Z", "2020-12-05T00:04:19Z",
     R"({"Statement":[{"Action":["ecr:*","cloudtrail:LookupEvents"],"Effect":"Allow","Resource":"*"},{"Action":[
"iam:CreateServiceLinkedRole"],"Condition":{"StringEquals":{"iam:AWSServiceName":[
"replication.ecr.amazonaws.com"]}},"Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"AmazonEC2ContainerRegistryPowerUser", "/", "v3", "2015-12-21T17:05:33Z", "2019-12-10T20:48:08Z",
     R"({"Statement":[{"Action":["ecr:GetAuthorizationToken","ecr:BatchCheckLayerAvailability",
"ecr:GetDownloadUrlForLayer","ecr:GetRepositoryPolicy","ecr:DescribeRepositories","ecr:ListImages",
"ecr:DescribeImages","ecr:BatchGetImage","ecr:GetLifecyclePolicy","ecr:GetLifecyclePolicyPreview",
"ecr:ListTagsForResource","ecr:DescribeImageScanFindings","ecr:InitiateLayerUpload","ecr:UploadLayerPart",
"ecr:CompleteLayerUpload","ecr:PutImage"],"Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"AmazonEC2ContainerRegistryPullOnly", "/", "v1", "2024-10-04T16:58:49Z", "2024-10-04T16:58:49Z",
     R"({"Statement":[{"Action":["ecr:GetAuthorizationToken","ecr:BatchGetImage","ecr:GetDownloadUrlForLayer",
"ecr:BatchImportUpstreamImage"],"Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"AmazonEC2ContainerRegistryReadOnly", "/", "v3", "2015-12-21T17:04:15Z", "2019-12-10T20:56:32Z",
     R"({"Statement":[{"Action":["ecr:GetAuthorizationToken","ecr:BatchCheckLayerAvailability",
"ecr:GetDownloadUrlForLayer","ecr:GetRepositoryPolicy","ecr:DescribeRepositories","ecr:ListImages",
"ecr:DescribeImages","ecr:BatchGetImage","ecr:GetLifecyclePolicy","ecr:GetLifecyclePolicyPreview",
"ecr:ListTagsForResource","ecr:DescribeImageScanFindings"],"Effect":"Allow","Resource":"*"}],"Version":
"2012-10-17"})"},
    {"AmazonEC2FullAccess", "/", "v5", "2015-02-06T18:40:15Z", "2018-11-27T02:16:56Z",
     R"({"Statement":[{"Action":"ec2:*","Effect":"Allow","Resource":"*"},{"Action":"elasticloadbalancing:*",
"Effect":"Allow","Resource":"*"},{"Action":"cloudwatch:*","Effect":"Allow","Resource":"*"},{"Action":
"autoscaling:*","Effect":"Allow","Resource":"*"},{"Action":"iam:CreateServiceLinkedRole","Condition":{
"StringEquals":{"iam:AWSServiceName":["autoscaling.amazonaws.com","ec2scheduled.amazonaws.com",
"elasticloadbalancing.amazonaws.com","spot.amazonaws.com","spotfleet.amazonaws.com",
"transitgateway.amazonaws.com"]}},"Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"AmazonEC2ReadOnlyAccess", "/", "v5", "2015-02-06T18:40:17Z", "2026-02-12T18:03:17Z",
     R"({"Statement":[{"Action":["ec2:Describe*","ec2:GetSecurityGroupsForVpc"],"Effect":"Allow","Resource":"*"},
{"Action":"elasticloadbalancing:Describe*","Effect":"Allow","Resource":"*"},{"Action":[
"cloudwatch:ListMetrics","cloudwatch:GetMetricStatistics","cloudwatch:Describe*"],"Effect":"Allow",
"Resource":"*"},{"Action":"autoscaling:Describe*","Effect":"Allow","Resource":"*"}],"Version":
"2012-10-17"})"},
    {"AmazonVPCFullAccess", "/", "v13", "2015-02-06T18:41:16Z", "2026-02-12T18:00:44Z",
     R"({"Statement":[{"Action":["ec2:AcceptVpcPeeringConnection","ec2:AcceptVpcEndpointConnections",
"ec2:AllocateAddress","ec2:AssignIpv6Addresses","ec2:AssignPrivateIpAddresses","ec2:AssociateAddress",
"ec2:AssociateDhcpOptions","ec2:AssociateRouteTable","ec2:AssociateSecurityGroupVpc",
"ec2:AssociateSubnetCidrBlock","ec2:AssociateVpcCidrBlock","ec2:AttachClassicLinkVpc",
"ec2:AttachInternetGateway","ec2:AttachNetworkInterface","ec2:AttachVpnGateway",
"ec2:AuthorizeSecurityGroupEgress","ec2:AuthorizeSecurityGroupIngress","ec2:CreateCarrierGateway",
"ec2:CreateCustomerGateway","ec2:CreateDefaultSubnet","ec2:CreateDefaultVpc","ec2:CreateDhcpOptions",
"ec2:CreateEgressOnlyInternetGateway","ec2:CreateFlowLogs","ec2:CreateInternetGateway",
"ec2:CreateLocalGatewayRouteTableVpcAssociation","ec2:CreateNatGateway","ec2:CreateNetworkAcl",
"ec2:CreateNetworkAclEntry","ec2:CreateNetworkInterface","ec2:CreateNetworkInterfacePermission",
"ec2:CreateRoute","ec2:CreateRouteTable","ec2:CreateSecurityGroup","ec2:CreateSubnet","ec2:CreateTags",
"ec2:CreateVpc","ec2:CreateVpcEndpoint","ec2:CreateVpcEndpointConnectionNotification",
"ec2:CreateVpcEndpointServiceConfiguration","ec2:CreateVpcPeeringConnection","ec2:CreateVpnConnection",
"ec2:CreateVpnConnectionRoute","ec2:CreateVpnGateway","ec2:DeleteCarrierGateway",
"ec2:DeleteCustomerGateway","ec2:DeleteDhcpOptions","ec2:DeleteEgressOnlyInternetGateway",
"ec2:DeleteFlowLogs","ec2:DeleteInternetGateway","ec2:DeleteLocalGatewayRouteTableVpcAssociation",
"ec2:DeleteNatGateway","ec2:DeleteNetworkAcl","ec2:DeleteNetworkAclEntry","ec2:DeleteNetworkInterface",
"ec2:DeleteNetworkInterfacePermission","ec2:DeleteRoute","ec2:DeleteRouteTable","ec2:DeleteSecurityGroup",
"ec2:DeleteSubnet","ec2:DeleteTags","ec2:DeleteVpc","ec2:DeleteVpcEndpoints",
"ec2:DeleteVpcEndpointConnectionNotifications","ec2:DeleteVpcEndpointServiceConfigurations",
"ec2:DeleteVpcPeeringConnection","ec2:DeleteVpnConnection","ec2:DeleteVpnConnectionRoute",
"ec2:DeleteVpnGateway","ec2:DescribeAccountAttributes","ec2:DescribeAddresses",
"ec2:DescribeAvailabilityZones","ec2:DescribeCarrierGateways","ec2:DescribeClassicLinkInstances",
"ec2:DescribeCustomerGateways","ec2:DescribeDhcpOptions","ec2:DescribeEgressOnlyInternetGateways",
"ec2:DescribeFlowLogs","ec2:DescribeInstances","ec2:DescribeInternetGateways","ec2:DescribeIpv6Pools",
"ec2:DescribeLocalGatewayRouteTables","ec2:DescribeLocalGatewayRouteTableVpcAssociations",
"ec2:DescribeKeyPairs","ec2:DescribeMovingAddresses","ec2:DescribeNatGateways","ec2:DescribeNetworkAcls",
"ec2:DescribeNetworkInterfaceAttribute","ec2:DescribeNetworkInterfacePermissions",
"ec2:DescribeNetworkInterfaces","ec2:DescribePrefixLists","ec2:DescribeRouteTables",
"ec2:DescribeSecurityGroupReferences","ec2:DescribeSecurityGroupRules","ec2:DescribeSecurityGroups",
"ec2:DescribeSecurityGroupVpcAssociations","ec2:DescribeStaleSecurityGroups","ec2:DescribeSubnets",
"ec2:DescribeTags","ec2:DescribeVpcAttribute","ec2:DescribeVpcClassicLink",
"ec2:DescribeVpcClassicLinkDnsSupport","ec2:DescribeVpcEndpointConnectionNotifications",
"ec2:DescribeVpcEndpointConnections","ec2:DescribeVpcEndpoints",
"ec2:DescribeVpcEndpointServiceConfigurations","ec2:DescribeVpcEndpointServicePermissions",
"ec2:DescribeVpcEndpointServices","ec2:DescribeVpcPeeringConnections","ec2:DescribeVpcs",
"ec2:DescribeVpnConnections","ec2:DescribeVpnGateways","ec2:DetachClassicLinkVpc",
"ec2:DetachInternetGateway","ec2:DetachNetworkInterface","ec2:DetachVpnGateway",
"ec2:DisableVgwRoutePropagation","ec2:DisableVpcClassicLink","ec2:DisableVpcClassicLinkDnsSupport",
"ec2:DisassociateAddress","ec2:DisassociateRouteTable","ec2:DisassociateSecurityGroupVpc",
"ec2:DisassociateSubnetCidrBlock","ec2:DisassociateVpcCidrBlock","ec2:EnableVgwRoutePropagation",
"ec2:EnableVpcClassicLink","ec2:EnableVpcClassicLinkDnsSupport","ec2:GetSecurityGroupsForVpc",
"ec2:ModifyNetworkInterfaceAttribute","ec2:ModifySecurityGroupRules","ec2:ModifySubnetAttribute",
"ec2:ModifyVpcAttribute","ec2:ModifyVpcEndpoint","ec2:ModifyVpcEndpointConnectionNotification",
"ec2:ModifyVpcEndpointServiceConfiguration","ec2:ModifyVpcEndpointServicePermissions",
"ec2:ModifyVpcPeeringConnectionOptions","ec2:ModifyVpcTenancy","ec2:MoveAddressToVpc",
"ec2:RejectVpcEndpointConnections","ec2:RejectVpcPeeringConnection","ec2:ReleaseAddress",
"ec2:ReplaceNetworkAclAssociation","ec2:ReplaceNetworkAclEntry","ec2:ReplaceRoute",
"ec2:ReplaceRouteTableAssociation","ec2:ResetNetworkInterfaceAttribute","ec2:RestoreAddressToClassic",
"ec2:RevokeSecurityGroupEgress","ec2:RevokeSecurityGroupIngress","ec2:UnassignIpv6Addresses",
"ec2:UnassignPrivateIpAddresses","ec2:UpdateSecurityGroupRuleDescriptionsEgress",
"ec2:UpdateSecurityGroupRuleDescriptionsIngress"],"Effect":"Allow","Resource":"*","Sid":
"AmazonVPCFullAccess"}],"Version":"2012-10-17"})"},
    {"AmazonVPCReadOnlyAccess", "/", "v12", "2015-02-06T18:41:17Z", "2026-02-12T17:58:19Z",
     R"({"Statement":[{"Action":["ec2:DescribeAccountAttributes","ec2:DescribeAddresses",
"ec2:DescribeCarrierGateways","ec2:DescribeClassicLinkInstances","ec2:DescribeCustomerGateways",
"ec2:DescribeDhcpOptions","ec2:DescribeEgressOnlyInternetGateways","ec2:DescribeFlowLogs",
"ec2:DescribeInternetGateways","ec2:DescribeLocalGatewayRouteTables",
"ec2:DescribeLocalGatewayRouteTableVpcAssociations","ec2:DescribeMovingAddresses",
"ec2:DescribeNatGateways","ec2:DescribeNetworkAcls","ec2:DescribeNetworkInterfaceAttribute",
"ec2:DescribeNetworkInterfacePermissions","ec2:DescribeNetworkInterfaces","ec2:DescribePrefixLists",
"ec2:DescribeRouteTables","ec2:DescribeSecurityGroupReferences","ec2:DescribeSecurityGroupRules",
"ec2:DescribeSecurityGroups","ec2:DescribeSecurityGroupVpcAssociations","ec2:DescribeStaleSecurityGroups",
"ec2:DescribeSubnets","ec2:DescribeTags","ec2:DescribeVpcAttribute","ec2:DescribeVpcClassicLink",
"ec2:DescribeVpcClassicLinkDnsSupport","ec2:DescribeVpcEndpoints",
"ec2:DescribeVpcEndpointConnectionNotifications","ec2:DescribeVpcEndpointConnections",
"ec2:DescribeVpcEndpointServiceConfigurations","ec2:DescribeVpcEndpointServicePermissions",
"ec2:DescribeVpcEndpointServices","ec2:DescribeVpcPeeringConnections","ec2:DescribeVpcs",
"ec2:DescribeVpnConnections","ec2:DescribeVpnGateways","ec2:GetSecurityGroupsForVpc"],"Effect":"Allow",
"Resource":"*","Sid":"AmazonVPCReadOnlyAccess"}],"Version":"2012-10-17"})"},
    {"ElasticLoadBalancingFullAccess", "/", "v9", "2018-09-20T20:42:07Z", "2026-02-23T18:57:07Z",
     R"({"Statement":[{"Action":"elasticloadbalancing:*","Effect":"Allow","Resource":"*"},{"Action":[
"ec2:DescribeAccountAttributes","ec2:DescribeAddresses","ec2:DescribeInternetGateways",
"ec2:DescribeSecurityGroups","ec2:DescribeSubnets","ec2:DescribeVpcs","ec2:DescribeVpcClassicLink",
"ec2:DescribeInstances","ec2:DescribeNetworkInterfaces","ec2:DescribeClassicLinkInstances",
"ec2:DescribeRouteTables","ec2:DescribeCoipPools","ec2:GetCoipPoolUsage","ec2:GetSecurityGroupsForVpc",
"ec2:DescribeVpcPeeringConnections","ec2:DescribeAvailabilityZones","cognito-idp:DescribeUserPoolClient"],
"Effect":"Allow","Resource":"*"},{"Action":"iam:CreateServiceLinkedRole","Condition":{"StringEquals":{
"iam:AWSServiceName":"elasticloadbalancing.amazonaws.com"}},"Effect":"Allow","Resource":"*"},{"Action":
"arc-zonal-shift:*","Effect":"Allow","Resource":"arn:aws:elasticloadbalancing:*:*:loadbalancer/*"},{
"Action":["arc-zonal-shift:ListManagedResources","arc-zonal-shift:ListZonalShifts"],"Effect":"Allow",
"Resource":"*"}],"Version":"2012-10-17"})"},
    {"AWSCloudFormationFullAccess", "/", "v1", "2019-07-26T21:50:35Z", "2019-07-26T21:50:35Z",
     R"({"Statement":[{"Action":["cloudformation:*"],"Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"AWSCertificateManagerFullAccess", "/", "v2", "2016-01-21T17:02:36Z", "2020-08-17T22:18:28Z",
     R"({"Statement":[{"Action":["acm:*"],"Effect":"Allow","Resource":"*"},{"Action":
"iam:CreateServiceLinkedRole","Condition":{"StringEquals":{"iam:AWSServiceName":"acm.amazonaws.com"}},
"Effect":"Allow","Resource":
"arn:aws:iam::*:role/aws-service-role/acm.amazonaws.com/AWSServiceRoleForCertificateManager*"},{"Action":
["iam:DeleteServiceLinkedRole","iam:GetServiceLinkedRoleDeletionStatus","iam:GetRole"],"Effect":"Allow",
"Resource":"arn:aws:iam::*:role/aws-service-role/acm.amazonaws.com/AWSServiceRoleForCertificateManager*"}
],"Version":"2012-10-17"})"},
    {"AmazonS3FullAccess", "/", "v2", "2015-02-06T18:40:58Z", "2021-09-27T20:16:37Z",
     R"({"Statement":[{"Action":["s3:*","s3-object-lambda:*"],"Effect":"Allow","Resource":"*"}],"Version":
"2012-10-17"})"},
    {"AmazonS3ReadOnlyAccess", "/", "v3", "2015-02-06T18:40:59Z", "2023-08-10T21:31:39Z",
     R"({"Statement":[{"Action":["s3:Get*","s3:List*","s3:Describe*","s3-object-lambda:Get*",
"s3-object-lambda:List*"],"Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"AmazonFSxFullAccess", "/", "v13", "2018-11-28T16:34:43Z", "2026-02-12T17:58:13Z",
     R"({"Statement":[{"Action":["ds:DescribeDirectories"],"Effect":"Allow","Resource":"*","Sid":
"ViewAWSDSDirectories"},{"Action":["fsx:AssociateFileGateway","fsx:AssociateFileSystemAliases",
"fsx:CancelDataRepositoryTask","fsx:CopyBackup","fsx:CopySnapshotAndUpdateVolume",
"fsx:CreateAndAttachS3AccessPoint","fsx:CreateBackup","fsx:CreateDataRepositoryAssociation",
"fsx:CreateDataRepositoryTask","fsx:CreateFileCache","fsx:CreateFileSystem",
"fsx:CreateFileSystemFromBackup","fsx:CreateSnapshot","fsx:CreateStorageVirtualMachine",
"fsx:CreateVolume","fsx:CreateVolumeFromBackup","fsx:DetachAndDeleteS3AccessPoint","fsx:DeleteBackup",
"fsx:DeleteDataRepositoryAssociation","fsx:DeleteFileCache","fsx:DeleteFileSystem","fsx:DeleteSnapshot",
"fsx:DeleteStorageVirtualMachine","fsx:DeleteVolume","fsx:DescribeAssociatedFileGateways",
"fsx:DescribeBackups","fsx:DescribeDataRepositoryAssociations","fsx:DescribeDataRepositoryTasks",
"fsx:DescribeFileCaches","fsx:DescribeFileSystemAliases","fsx:DescribeFileSystems",
"fsx:DescribeS3AccessPointAttachments","fsx:DescribeSharedVpcConfiguration","fsx:DescribeSnapshots",
"fsx:DescribeStorageVirtualMachines","fsx:DescribeVolumes","fsx:DisassociateFileGateway",
"fsx:DisassociateFileSystemAliases","fsx:ListTagsForResource","fsx:ManageBackupPrincipalAssociations",
"fsx:ReleaseFileSystemNfsV3Locks","fsx:RestoreVolumeFromSnapshot","fsx:TagResource","fsx:UntagResource",
"fsx:UpdateDataRepositoryAssociation","fsx:UpdateFileCache","fsx:UpdateFileSystem",
"fsx:UpdateSharedVpcConfiguration","fsx:UpdateSnapshot","fsx:UpdateStorageVirtualMachine",
"fsx:UpdateVolume"],"Effect":"Allow","Resource":"*","Sid":"FullAccessToFSx"},{"Action":
"iam:CreateServiceLinkedRole","Condition":{"StringEquals":{"iam:AWSServiceName":["fsx.amazonaws.com"]}},
"Effect":"Allow","Resource":"*","Sid":"CreateSLRForFSx"},{"Action":"iam:CreateServiceLinkedRole",
"Condition":{"StringEquals":{"iam:AWSServiceName":["s3.data-source.lustre.fsx.amazonaws.com"]}},"Effect":
"Allow","Resource":"*","Sid":"CreateSLRForLustreS3Integration"},{"Action":["logs:CreateLogGroup",
"logs:CreateLogStream","logs:PutLogEvents"],"Effect":"Allow","Resource":[
"arn:aws:logs:*:*:log-group:/aws/fsx/*"],"Sid":"CreateLogsForFSxWindowsAuditLogs"},{"Action":[
"firehose:PutRecord"],"Effect":"Allow","Resource":["arn:aws:firehose:*:*:deliverystream/aws-fsx-*"],"Sid":
"WriteToAmazonKinesisDataFirehose"},{"Action":["ec2:CreateTags"],"Condition":{"ForAnyValue:StringEquals":
{"aws:CalledVia":["fsx.amazonaws.com"]},"StringEquals":{"aws:RequestTag/AmazonFSx":"ManagedByAmazonFSx"}},
"Effect":"Allow","Resource":["arn:aws:ec2:*:*:route-table/*"],"Sid":"CreateTags"},{"Action":[
"ec2:DescribeSecurityGroups","ec2:GetSecurityGroupsForVpc","ec2:DescribeSubnets","ec2:DescribeVpcs",
"ec2:DescribeRouteTables"],"Condition":{"ForAnyValue:StringEquals":{"aws:CalledVia":["fsx.amazonaws.com"]
}},"Effect":"Allow","Resource":"*","Sid":"DescribeEC2VpcResources"},{"Action":["fsx:PutResourcePolicy",
"fsx:GetResourcePolicy","fsx:DeleteResourcePolicy"],"Condition":{"ForAnyValue:StringEquals":{
"aws:CalledVia":["ram.amazonaws.com"]}},"Effect":"Allow","Resource":"*","Sid":
"ManageCrossAccountDataReplication"}],"Version":"2012-10-17"})"},
    {"AmazonFSxReadOnlyAccess", "/", "v1", "2018-11-28T16:33:32Z", "2018-11-28T16:33:32Z",
     R"({"Statement":[{"Action":["fsx:Describe*","fsx:ListTagsForResource"],"Effect":"Allow","Resource":"*"}],
"Version":"2012-10-17"})"},
    {"AmazonSSMFullAccess", "/", "v4", "2015-05-29T17:39:47Z", "2019-11-20T20:08:56Z",
     R"({"Statement":[{"Action":["cloudwatch:PutMetricData","ds:CreateComputer","ds:DescribeDirectories",
"ec2:DescribeInstanceStatus","logs:*","ssm:*","ec2messages:*"],"Effect":"Allow","Resource":"*"},{"Action":
"iam:CreateServiceLinkedRole","Condition":{"StringLike":{"iam:AWSServiceName":"ssm.amazonaws.com"}},
"Effect":"Allow","Resource":
"arn:aws:iam::*:role/aws-service-role/ssm.amazonaws.com/AWSServiceRoleForAmazonSSM*"},{"Action":[
"iam:DeleteServiceLinkedRole","iam:GetServiceLinkedRoleDeletionStatus"],"Effect":"Allow","Resource":
"arn:aws:iam::*:role/aws-service-role/ssm.amazonaws.com/AWSServiceRoleForAmazonSSM*"},{"Action":[
"ssmmessages:CreateControlChannel","ssmmessages:CreateDataChannel","ssmmessages:OpenControlChannel",
"ssmmessages:OpenDataChannel"],"Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"AmazonSSMManagedInstanceCore", "/", "v2", "2019-03-15T17:22:12Z", "2019-05-23T16:54:21Z",
     R"({"Statement":[{"Action":["ssm:DescribeAssociation","ssm:GetDeployablePatchSnapshotForInstance",
"ssm:GetDocument","ssm:DescribeDocument","ssm:GetManifest","ssm:GetParameter","ssm:GetParameters",
"ssm:ListAssociations","ssm:ListInstanceAssociations","ssm:PutInventory","ssm:PutComplianceItems",
"ssm:PutConfigurePackageResult","ssm:UpdateAssociationStatus","ssm:UpdateInstanceAssociationStatus",
"ssm:UpdateInstanceInformation"],"Effect":"Allow","Resource":"*"},{"Action":[
"ssmmessages:CreateControlChannel","ssmmessages:CreateDataChannel","ssmmessages:OpenControlChannel",
"ssmmessages:OpenDataChannel"],"Effect":"Allow","Resource":"*"},{"Action":[
"ec2messages:AcknowledgeMessage","ec2messages:DeleteMessage","ec2messages:FailMessage",
"ec2messages:GetEndpoint","ec2messages:GetMessages","ec2messages:SendReply"],"Effect":"Allow","Resource":
"*"}],"Version":"2012-10-17"})"},
    {"CloudWatchAgentServerPolicy", "/", "v3", "2018-03-07T01:06:44Z", "2024-02-06T16:37:37Z",
     R"({"Statement":[{"Action":["cloudwatch:PutMetricData","ec2:DescribeVolumes","ec2:DescribeTags",
"logs:PutLogEvents","logs:PutRetentionPolicy","logs:DescribeLogStreams","logs:DescribeLogGroups",
"logs:CreateLogStream","logs:CreateLogGroup","xray:PutTraceSegments","xray:PutTelemetryRecords",
"xray:GetSamplingRules","xray:GetSamplingTargets","xray:GetSamplingStatisticSummaries"],"Effect":"Allow",
"Resource":"*","Sid":"CWACloudWatchServerPermissions"},{"Action":["ssm:GetParameter"],"Effect":"Allow",
"Resource":"arn:aws:ssm:*:*:parameter/AmazonCloudWatch-*","Sid":"CWASSMServerPermissions"}],"Version":
"2012-10-17"})"},
    {"CloudWatchFullAccess", "/", "v4", "2015-02-06T18:40:00Z", "2022-11-27T13:23:49Z",
     R"({"Statement":[{"Action":["autoscaling:Describe*","cloudwatch:*","logs:*","sns:*","iam:GetPolicy",
"iam:GetPolicyVersion","iam:GetRole","oam:ListSinks"],"Effect":"Allow","Resource":"*"},{"Action":
"iam:CreateServiceLinkedRole","Condition":{"StringLike":{"iam:AWSServiceName":"events.amazonaws.com"}},
"Effect":"Allow","Resource":
"arn:aws:iam::*:role/aws-service-role/events.amazonaws.com/AWSServiceRoleForCloudWatchEvents*"},{"Action":
["oam:ListAttachedLinks"],"Effect":"Allow","Resource":"arn:aws:oam:*:*:sink/*"}],"Version":"2012-10-17"})"},
    {"CloudWatchFullAccessV2", "/", "v17", "2023-08-01T11:32:57Z", "2026-09-22T16:57:08Z",
     R"({"Statement":[{"Action":["application-autoscaling:DescribeScalingPolicies","application-signals:*",
"autoscaling:DescribeAutoScalingGroups","autoscaling:DescribePolicies","cloudwatch:*","logs:*",
"sns:CreateTopic","sns:ListSubscriptions","sns:ListSubscriptionsByTopic","sns:ListTopics","sns:Subscribe",
"iam:GetPolicy","iam:GetPolicyVersion","iam:GetRole","oam:ListSinks",
"observabilityadmin:GetCentralizationRuleForOrganization",
"observabilityadmin:ListCentralizationRulesForOrganization",
"observabilityadmin:CreateCentralizationRuleForOrganization",
"observabilityadmin:UpdateCentralizationRuleForOrganization",
"observabilityadmin:DeleteCentralizationRuleForOrganization",
"observabilityadmin:StartTelemetryEvaluation","observabilityadmin:GetTelemetryEvaluationStatus",
"observabilityadmin:ListResourceTelemetry","observabilityadmin:StopTelemetryEvaluation",
"observabilityadmin:StartTelemetryEvaluationForOrganization",
"observabilityadmin:GetTelemetryEvaluationStatusForOrganization",
"observabilityadmin:ListResourceTelemetryForOrganization",
"observabilityadmin:StopTelemetryEvaluationForOrganization","observabilityadmin:CreateTelemetryRule",
"observabilityadmin:GetTelemetryRule","observabilityadmin:ListTelemetryRules",
"observabilityadmin:UpdateTelemetryRule","observabilityadmin:DeleteTelemetryRule",
"observabilityadmin:CreateTelemetryRuleForOrganization",
"observabilityadmin:GetTelemetryRuleForOrganization",
"observabilityadmin:ListTelemetryRulesForOrganization",
"observabilityadmin:UpdateTelemetryRuleForOrganization",
"observabilityadmin:DeleteTelemetryRuleForOrganization","observabilityadmin:GetTelemetryEnrichmentStatus",
"observabilityadmin:StartTelemetryEnrichment","observabilityadmin:StopTelemetryEnrichment",
"observabilityadmin:TagResource","observabilityadmin:UntagResource",
"observabilityadmin:ListTagsForResource","observabilityadmin:CreateTelemetryPipeline",
"observabilityadmin:GetTelemetryPipeline","observabilityadmin:UpdateTelemetryPipeline",
"observabilityadmin:DeleteTelemetryPipeline","observabilityadmin:ListTelemetryPipelines",
"observabilityadmin:TestTelemetryPipeline","observabilityadmin:ValidateTelemetryPipelineConfiguration",
"observabilityadmin:CreateS3TableIntegration","observabilityadmin:GetS3TableIntegration",
"observabilityadmin:ListS3TableIntegrations","observabilityadmin:DeleteS3TableIntegration",
"observabilityadmin:CreateDatasetIntegration","observabilityadmin:GetDatasetIntegration",
"observabilityadmin:ListDatasetIntegrations","observabilityadmin:UpdateDatasetIntegration",
"observabilityadmin:DeleteDatasetIntegration","rum:*","synthetics:*","xray:*"],"Effect":"Allow",
"Resource":"*","Sid":"CloudWatchFullAccessPermissions"},{"Action":"iam:CreateServiceLinkedRole",
"Condition":{"StringLike":{"iam:AWSServiceName":"application-signals.cloudwatch.amazonaws.com"}},"Effect":
"Allow","Resource":
"arn:aws:iam::*:role/aws-service-role/application-signals.cloudwatch.amazonaws.com/AWSServiceRoleForCloudWatchApplicationSignals",
"Sid":"CloudWatchApplicationSignalsServiceLinkedRolePermissions"},{"Action":"iam:CreateServiceLinkedRole",
"Condition":{"StringLike":{"iam:AWSServiceName":"events.amazonaws.com"}},"Effect":"Allow","Resource":
"arn:aws:iam::*:role/aws-service-role/events.amazonaws.com/AWSServiceRoleForCloudWatchEvents*","Sid":
"EventsServicePermissions"},{"Action":["oam:ListAttachedLinks"],"Effect":"Allow","Resource":
"arn:aws:oam:*:*:sink/*","Sid":"OAMReadPermissions"},{"Action":["cloudtrail:CreateServiceLinkedChannel",
"cloudtrail:GetChannel"],"Effect":"Allow","Resource":
"arn:aws:cloudtrail:*:*:channel/aws-service-channel/application-signals/*","Sid":
"CloudWatchCloudTrailPermissions"},{"Action":["cloudtrail:ListChannels"],"Effect":"Allow","Resource":"*",
"Sid":"CloudWatchApplicationSignalsCloudTrailListPermissions"},{"Action":["servicequotas:GetServiceQuota"
],"Effect":"Allow","Resource":["arn:aws:servicequotas:*:*:s3/*","arn:aws:servicequotas:*:*:dynamodb/*",
"arn:aws:servicequotas:*:*:kinesis/*","arn:aws:servicequotas:*:*:sns/*",
"arn:aws:servicequotas:*:*:bedrock/*","arn:aws:servicequotas:*:*:lambda/*",
"arn:aws:servicequotas:*:*:fargate/*","arn:aws:servicequotas:*:*:elasticloadbalancing/*",
"arn:aws:servicequotas:*:*:ec2/*"],"Sid":"CloudWatchServiceQuotaPermissions"},{"Action":[
"resource-explorer-2:ListIndexes","resource-explorer-2:Search"],"Effect":"Allow","Resource":[
"arn:aws:resource-explorer-2:*::view/AWSServiceViewForApplicationSignals/service-view",
"arn:aws:resource-explorer-2:*::view/AWSServiceViewForApplicationSignalsOrgScopeProd/service-view"],"Sid":
"CloudWatchResourceExplorerPermissions"},{"Action":["iam:CreateServiceLinkedRole"],"Condition":{
"StringEquals":{"iam:AWSServiceName":["resource-explorer-2.amazonaws.com"]}},"Effect":"Allow","Resource":
"arn:aws:iam::*:role/aws-service-role/resource-explorer-2.amazonaws.com/AWSServiceRoleForResourceExplorer",
"Sid":"CloudWatchResourceExplorerSLRPermissions"},{"Action":["resource-explorer-2:CreateIndex"],"Effect":
"Allow","Resource":"arn:aws:resource-explorer-2:*:*:index/*","Sid":
"CloudWatchResourceExplorerCreateIndexPermissions"},{"Action":"iam:PassRole","Condition":{"ArnLike":{
"iam:AssociatedResourceArn":"arn:aws:observabilityadmin:*:*:s3tableintegration/*"},"StringEquals":{
"iam:PassedToService":"logs.amazonaws.com"}},"Effect":"Allow","Resource":"*"},{"Action":"iam:PassRole",
"Condition":{"ArnLike":{"iam:AssociatedResourceArn":"arn:aws:observabilityadmin:*:*:telemetry-pipeline/*"
},"StringEquals":{"iam:PassedToService":["logs.amazonaws.com",
"telemetry-pipelines.observabilityadmin.amazonaws.com"]}},"Effect":"Allow","Resource":"*"},{"Action":[
"s3tables:CreateTableBucket","s3tables:PutTableBucketEncryption"],"Condition":{"ForAnyValue:StringEquals":
{"aws:CalledVia":"observabilityadmin.amazonaws.com"}},"Effect":"Allow","Resource":
"arn:aws:s3tables:*:*:bucket/aws-cloudwatch"},{"Action":["s3tables:PutTableBucketPolicy"],"Effect":
"Allow","Resource":"arn:aws:s3tables:*:*:bucket/aws-cloudwatch"},{"Action":"iam:PassRole","Condition":{
"ArnLike":{"iam:AssociatedResourceArn":"arn:aws:logs:*:*:scheduled-query:*"},"StringEquals":{
"iam:PassedToService":"logs.amazonaws.com"}},"Effect":"Allow","Resource":"*","Sid":
"LogAlarmScheduledQueryPassRolePermissions"},{"Action":"iam:PassRole","Condition":{"ArnLike":{
"iam:AssociatedResourceArn":"arn:aws:cloudwatch:*:*:alarm:*"},"StringEquals":{"iam:PassedToService":
"cloudwatch.amazonaws.com"}},"Effect":"Allow","Resource":"*","Sid":"LogAlarmLogLinesPassRolePermissions"}
],"Version":"2012-10-17"})"},
    {"CloudWatchLogsFullAccess", "/", "v8", "2015-02-06T18:40:02Z", "2026-02-12T18:00:33Z",
     R"({"Statement":[{"Action":["logs:*","cloudwatch:GenerateQuery","cloudwatch:GenerateQueryResultsSummary",
"observabilityadmin:GetS3TableIntegration","observabilityadmin:ListS3TableIntegrations",
"observabilityadmin:ListTelemetryPipelines"],"Effect":"Allow","Resource":"*","Sid":
"CloudWatchLogsFullAccess"}],"Version":"2012-10-17"})"},
    {"AmazonPrometheusFullAccess", "/", "v2", "2020-12-15T18:10:46Z", "2023-11-26T20:16:13Z",
     R"({"Statement":[{"Action":["aps:*"],"Effect":"Allow","Resource":"*","Sid":"AllPrometheusActions"},{"Action":
["eks:DescribeCluster","ec2:DescribeSubnets","ec2:DescribeSecurityGroups"],"Condition":{
"ForAnyValue:StringEquals":{"aws:CalledVia":["aps.amazonaws.com"]}},"Effect":"Allow","Resource":"*","Sid":
"DescribeCluster"},{"Action":"iam:CreateServiceLinkedRole","Condition":{"StringEquals":{
"iam:AWSServiceName":"scraper.aps.amazonaws.com"}},"Effect":"Allow","Resource":
"arn:aws:iam::*:role/aws-service-role/scraper.aps.amazonaws.com/AWSServiceRoleForAmazonPrometheusScraper*",
"Sid":"CreateServiceLinkedRole"}],"Version":"2012-10-17"})"},
    {"AmazonPrometheusQueryAccess", "/", "v1", "2020-12-19T01:02:58Z", "2020-12-19T01:02:58Z",
     R"({"Statement":[{"Action":["aps:GetLabels","aps:GetMetricMetadata","aps:GetSeries","aps:QueryMetrics"],
"Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"AmazonPrometheusRemoteWriteAccess", "/", "v1", "2020-12-19T01:04:32Z", "2020-12-19T01:04:32Z",
     R"({"Statement":[{"Action":["aps:RemoteWrite"],"Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"AWSXRayDaemonWriteAccess", "/", "v2", "2018-08-28T23:00:33Z", "2024-02-13T21:58:30Z",
     R"({"Statement":[{"Action":["xray:PutTraceSegments","xray:PutTelemetryRecords","xray:GetSamplingRules",
"xray:GetSamplingTargets","xray:GetSamplingStatisticSummaries"],"Effect":"Allow","Resource":["*"],"Sid":
"AWSXRayDaemonWriteAccess"}],"Version":"2012-10-17"})"},
    {"AWSXrayWriteOnlyAccess", "/", "v2", "2016-12-01T18:19:53Z", "2018-08-28T23:03:04Z",
     R"({"Statement":[{"Action":["xray:PutTraceSegments","xray:PutTelemetryRecords","xray:GetSamplingRules",
"xray:GetSamplingTargets","xray:GetSamplingStatisticSummaries"],"Effect":"Allow","Resource":["*"]}],
"Version":"2012-10-17"})"},
};
// clang-format on

}  // namespace

std::span<const ManagedPolicy> general_policies() { return k_policies; }

}  // namespace instantstart::sandbox::iam
