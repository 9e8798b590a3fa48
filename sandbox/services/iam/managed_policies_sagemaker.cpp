#include "sandbox/services/iam/managed_policy_documents.h"

namespace instantstart::sandbox::iam {
namespace {

// clang-format off
constexpr ManagedPolicy k_policies[] = {
    {"AmazonSageMakerFullAccess", "/", "v29", "2017-11-29T13:07:59Z", "2026-02-12T17:58:32Z",
     ""},
    {"AmazonSageMakerReadOnly", "/", "v11", "2017-11-29T13:07:09Z", "2021-12-01T16:29:20Z",
     R"({"Statement":[{"Action":["sagemaker:Describe*","sagemaker:List*","sagemaker:BatchGetMetrics",
"sagemaker:GetDeviceRegistration","sagemaker:GetDeviceFleetReport","sagemaker:GetSearchSuggestions",
"sagemaker:BatchGetRecord","sagemaker:GetRecord","sagemaker:Search","sagemaker:QueryLineage",
"sagemaker:GetLineageGroupPolicy","sagemaker:BatchDescribeModelPackage",
"sagemaker:GetModelPackageGroupPolicy"],"Effect":"Allow","Resource":"*"},{"Action":[
"application-autoscaling:DescribeScalableTargets","application-autoscaling:DescribeScalingActivities",
"application-autoscaling:DescribeScalingPolicies","application-autoscaling:DescribeScheduledActions",
"aws-marketplace:ViewSubscriptions","cloudwatch:DescribeAlarms","cognito-idp:DescribeUserPool",
"cognito-idp:DescribeUserPoolClient","cognito-idp:ListGroups","cognito-idp:ListIdentityProviders",
"cognito-idp:ListUserPoolClients","cognito-idp:ListUserPools","cognito-idp:ListUsers",
"cognito-idp:ListUsersInGroup","ecr:Describe*"],"Effect":"Allow","Resource":"*"}],"Version":"2012-10-17"})"},
    {"AmazonSageMakerClusterInstanceRolePolicy", "/", "v1", "2023-11-29T15:11:26Z", "2023-11-29T15:11:26Z",
     R"({"Statement":[{"Action":["logs:PutLogEvents","logs:CreateLogStream","logs:DescribeLogStreams"],"Effect":
"Allow","Resource":["arn:aws:logs:*:*:log-group:/aws/sagemaker/Clusters/*:log-stream:*"],"Sid":
"CloudwatchLogStreamPublishPermissions"},{"Action":["logs:CreateLogGroup"],"Effect":"Allow","Resource":[
"arn:aws:logs:*:*:log-group:/aws/sagemaker/Clusters/*"],"Sid":"CloudwatchLogGroupCreationPermissions"},{
"Action":["cloudwatch:PutMetricData"],"Condition":{"StringEquals":{"cloudwatch:namespace":
"/aws/sagemaker/Clusters"}},"Effect":"Allow","Resource":["*"],"Sid":"CloudwatchPutMetricDataAccess"},{
"Action":["s3:ListBucket","s3:GetObject"],"Condition":{"StringEquals":{"aws:ResourceAccount":
"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":["arn:aws:s3:::sagemaker-*"],"Sid":
"DataRetrievalFromS3BucketPermissions"},{"Action":["ssmmessages:CreateControlChannel",
"ssmmessages:CreateDataChannel","ssmmessages:OpenControlChannel","ssmmessages:OpenDataChannel"],"Effect":
"Allow","Resource":"*","Sid":"SSMConnectivityPermissions"}],"Version":"2012-10-17"})"},
    {"AmazonSageMakerHyperPodServiceRolePolicy", "/aws-service-role/", "v1", "2024-09-06T17:04:30Z", "2024-09-06T17:04:30Z",
     R"({"Statement":[{"Action":"eks:DescribeCluster","Condition":{"StringEquals":{"aws:ResourceAccount":
"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":"*","Sid":"EKSClusterDescribePermissions"},{
"Action":["logs:CreateLogGroup"],"Condition":{"StringEquals":{"aws:ResourceAccount":
"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":
"arn:aws:logs:*:*:log-group:/aws/sagemaker/Clusters/*","Sid":"CloudWatchLogGroupPermissions"},{"Action":[
"logs:CreateLogStream","logs:PutLogEvents"],"Condition":{"StringEquals":{"aws:ResourceAccount":
"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":
"arn:aws:logs:*:*:log-group:/aws/sagemaker/Clusters/*:log-stream:*","Sid":
"CloudWatchLogStreamPermissions"}],"Version":"2012-10-17"})"},
    {"AmazonSageMakerHyperPodTrainingOperatorAccess", "/", "v3", "2025-08-19T17:04:07Z", "2026-02-12T17:58:35Z",
     R"({"Statement":[{"Action":"sagemaker:DescribeClusterNode","Condition":{"StringEquals":{
"aws:ResourceTag/SageMaker":"true"}},"Effect":"Allow","Resource":"arn:aws:sagemaker:*:*:cluster/*","Sid":
"AllowDescribeClusterNodeOnHyperPodClusters"}],"Version":"2012-10-17"})"},
    {"AmazonSageMakerHyperPodInferenceAccess", "/", "v4", "2026-01-27T20:34:09Z", "2026-07-20T20:57:13Z",
     R"({"Statement":[{"Action":["s3:DeleteObject"],"Condition":{"StringEquals":{"aws:ResourceAccount":
"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":["arn:aws:s3:::hyperpod-tls*/*"],"Sid":
"DeleteObjectsPermission"},{"Action":["s3:GetObject"],"Condition":{"StringEquals":{"aws:ResourceAccount":
"${aws:PrincipalAccount}","s3:ExistingObjectTag/CreatedBy":"HyperPodInference"}},"Effect":"Allow",
"Resource":["arn:aws:s3:::hyperpod-tls*/*"],"Sid":"S3GetObjectAccess"},{"Action":["s3:PutObject",
"s3:PutObjectTagging"],"Condition":{"StringEquals":{"aws:ResourceAccount":"${aws:PrincipalAccount}",
"s3:RequestObjectTag/CreatedBy":"HyperPodInference"}},"Effect":"Allow","Resource":[
"arn:aws:s3:::hyperpod-tls*/*"],"Sid":"S3PutObjectAccess"},{"Action":"s3:PutObject","Condition":{
"StringEquals":{"aws:ResourceAccount":"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":[
"arn:aws:s3:::hyperpod-tls*/data-capture/*"],"Sid":"DataCaptureS3"},{"Action":["s3:ListBucket"],
"Condition":{"StringEquals":{"aws:ResourceAccount":"${aws:PrincipalAccount}"}},"Effect":"Allow",
"Resource":["arn:aws:s3:::hyperpod-tls*"],"Sid":"S3ListBucketAccess"},{"Action":["kms:Decrypt",
"kms:GenerateDataKey"],"Condition":{"StringEquals":{"aws:ResourceAccount":"${aws:PrincipalAccount}"},
"StringLike":{"kms:EncryptionContext:aws:s3:arn":"arn:aws:s3:::hyperpod-tls*","kms:ViaService":
"s3.*.amazonaws.com"}},"Effect":"Allow","Resource":"arn:aws:kms:*:*:key/*","Sid":"DataCaptureKMS"},{
"Action":["ecr:GetAuthorizationToken"],"Effect":"Allow","Resource":"*","Sid":"ECRAuthorization"},{
"Action":["ecr:GetDownloadUrlForLayer","ecr:BatchGetImage"],"Effect":"Allow","Resource":
"arn:aws:ecr:*:*:repository/*","Sid":"ECRRepositoryAccess"},{"Action":["ec2:DescribeVpcs",
"ec2:DescribeInstanceTypes","ec2:DescribeNetworkInterfaces","ec2:DescribeSubnets",
"ec2:DescribeDhcpOptions","ec2:DescribeSecurityGroups"],"Condition":{"StringEquals":{
"aws:ResourceAccount":"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":"*","Sid":
"EC2DescribeAccess"},{"Action":["ec2:CreateNetworkInterface","ec2:CreateNetworkInterfacePermission",
"ec2:DeleteNetworkInterface"],"Condition":{"StringEquals":{"aws:ResourceAccount":
"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":["arn:aws:ec2:*:*:network-interface/*",
"arn:aws:ec2:*:*:subnet/*","arn:aws:ec2:*:*:security-group/*"],"Sid":"EC2NetworkInterfaceActions"},{
"Action":["eks:DescribeCluster","eks-auth:AssumeRoleForPodIdentity"],"Condition":{"StringEquals":{
"aws:ResourceAccount":"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":"arn:aws:eks:*:*:cluster/*",
"Sid":"EKSClusterAccess"},{"Action":["eks:AssociateAccessPolicy","eks:DisassociateAccessPolicy"],
"Condition":{"StringEquals":{"eks:policyarn":
"arn:aws:eks::aws:cluster-access-policy/AmazonSagemakerHyperpodInferenceMonitoringPolicy"}},"Effect":
"Allow","Resource":"arn:aws:eks:*:*:access-entry/*","Sid":"EKSAccessEntryPolicyAssociation"},{"Action":[
"eks:ListAssociatedAccessPolicies"],"Condition":{"StringEquals":{"aws:ResourceAccount":
"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":"arn:aws:eks:*:*:access-entry/*","Sid":
"EKSAccessEntryListPolicies"},{"Action":["elasticloadbalancing:DescribeLoadBalancers"],"Condition":{
"StringEquals":{"aws:ResourceAccount":"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":"*","Sid":
"ELBListAndDescribeAccess"},{"Action":["fsx:DescribeFileSystems"],"Condition":{"StringEquals":{
"aws:ResourceAccount":"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":"*","Sid":"FSxAccess"},{
"Action":["acm:AddTagsToCertificate","acm:ImportCertificate"],"Condition":{"ForAllValues:StringEquals":{
"aws:TagKeys":"CreatedBy"},"StringEquals":{"aws:RequestTag/CreatedBy":"HyperPodInference",
"aws:ResourceAccount":"${aws:PrincipalAccount}","aws:ResourceTag/CreatedBy":"HyperPodInference"}},
"Effect":"Allow","Resource":"arn:aws:acm:*:*:certificate/*","Sid":"CertificateImportPermission"},{
"Action":"acm:DeleteCertificate","Condition":{"StringEquals":{"aws:ResourceAccount":
"${aws:PrincipalAccount}","aws:ResourceTag/CreatedBy":"HyperPodInference"}},"Effect":"Allow","Resource":
"arn:aws:acm:*:*:certificate/*","Sid":"CertificateDeletePermission"},{"Action":["iam:PassRole"],
"Condition":{"StringEquals":{"iam:PassedToService":"sagemaker.amazonaws.com"}},"Effect":"Allow",
"Resource":"arn:aws:iam::*:role/SageMakerHyperPodInference*","Sid":"AllowPassRoleToSageMaker"},{"Action":
["cloudwatch:PutMetricData"],"Condition":{"StringEquals":{"cloudwatch:namespace":"HyperPodInference"}},
"Effect":"Allow","Resource":"*","Sid":"CloudWatchMetricsAccess"},{"Action":["logs:PutLogEvents",
"logs:CreateLogStream","logs:CreateLogGroup"],"Condition":{"StringEquals":{"aws:ResourceAccount":
"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":["arn:aws:logs:*:*:log-group:*"],"Sid":
"CloudWatchLogsAccess"},{"Action":["sagemaker:DescribeModel","sagemaker:DescribeEndpointConfig",
"sagemaker:DescribeEndpoint","sagemaker:DescribeCluster","sagemaker:DescribeClusterInference",
"sagemaker:UpdateClusterInference","sagemaker:DescribeHubContent"],"Condition":{"StringEquals":{
"aws:ResourceAccount":"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":[
"arn:aws:sagemaker:*:*:model/*","arn:aws:sagemaker:*:*:endpoint/*",
"arn:aws:sagemaker:*:*:endpointconfig/*","arn:aws:sagemaker:*:*:cluster/*",
"arn:aws:sagemaker:*:*:hub-content/*","arn:aws:sagemaker:*:*:hub/*"],"Sid":"SageMakerAccess"},{"Action":[
"sagemaker:CreateModel","sagemaker:CreateEndpointConfig","sagemaker:CreateEndpoint"],"Condition":{
"StringEquals":{"aws:RequestTag/CreatedBy":"HyperPodInference"}},"Effect":"Allow","Resource":[
"arn:aws:sagemaker:*:*:model/*","arn:aws:sagemaker:*:*:endpoint/*",
"arn:aws:sagemaker:*:*:endpoint-config/*"],"Sid":"SageMakerCreateAccess"},{"Action":["sagemaker:AddTags"],
"Condition":{"StringEquals":{"sagemaker:TaggingAction":["CreateModel","CreateEndpointConfig",
"CreateEndpoint"]}},"Effect":"Allow","Resource":["arn:aws:sagemaker:*:*:model/*",
"arn:aws:sagemaker:*:*:endpoint/*","arn:aws:sagemaker:*:*:endpoint-config/*"],"Sid":"SageMakerTagging"},{
"Action":["sagemaker:DeleteModel","sagemaker:DeleteEndpointConfig","sagemaker:DeleteEndpoint",
"sagemaker:UpdateEndpoint"],"Condition":{"StringEquals":{"aws:ResourceTag/CreatedBy":"HyperPodInference"}
},"Effect":"Allow","Resource":["arn:aws:sagemaker:*:*:model/*","arn:aws:sagemaker:*:*:endpoint/*",
"arn:aws:sagemaker:*:*:endpoint-config/*"],"Sid":"SageMakerDeleteAccess"}],"Version":"2012-10-17"})"},
    {"AmazonSageMakerHyperPodGatedModelAccess", "/", "v3", "2026-01-17T01:04:07Z", "2026-02-12T18:00:37Z",
     R"({"Statement":[{"Action":["sagemaker:CreateHubContentPresignedUrls"],"Condition":{"StringEquals":{
"aws:ResourceAccount":"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":[
"arn:aws:sagemaker:*:*:hub/SageMakerPublicHub","arn:aws:sagemaker:*:*:hub-content/SageMakerPublicHub/*/*"
],"Sid":"CreatePresignedUrlAccess"}],"Version":"2012-10-17"})"},
    {"AmazonSageMakerHyperPodInferenceGatewayAccess", "/", "v1", "2026-09-09T23:27:07Z", "2026-09-09T23:27:07Z",
     R"({"Statement":[{"Action":["acm:ImportCertificate","acm:AddTagsToCertificate"],"Condition":{
"ForAllValues:StringEquals":{"aws:TagKeys":["CreatedBy"]},"StringEquals":{"aws:RequestTag/CreatedBy":
"HyperPodInference","aws:ResourceAccount":"${aws:PrincipalAccount}"}},"Effect":"Allow","Resource":
"arn:aws:acm:*:*:certificate/*","Sid":"ImportOwnedCert"},{"Action":["acm:DescribeCertificate",
"acm:ListTagsForCertificate"],"Condition":{"StringEquals":{"aws:ResourceAccount":
"${aws:PrincipalAccount}","aws:ResourceTag/CreatedBy":"HyperPodInference"}},"Effect":"Allow","Resource":
"arn:aws:acm:*:*:certificate/*","Sid":"ReadOwnedCerts"},{"Action":["acm:DeleteCertificate"],"Condition":{
"StringEquals":{"acm:CertificateKeyPairOrigin":"CUSTOMER_PROVIDED","aws:ResourceAccount":
"${aws:PrincipalAccount}","aws:ResourceTag/CreatedBy":"HyperPodInference"}},"Effect":"Allow","Resource":
"arn:aws:acm:*:*:certificate/*","Sid":"DeleteOwnedImportedCerts"}],"Version":"2012-10-17"})"},
    {"AmazonSageMakerHyperPodObservabilityAdminAccess", "/", "v6", "2025-07-10T14:37:07Z", "2026-02-12T17:57:37Z",
     R"({"Statement":[{"Action":["aps:CreateWorkspace"],"Condition":{"StringEquals":{"aws:RequestTag/SageMaker":
"true"}},"Effect":"Allow","Resource":"*","Sid":"PrometheusCreateAccess"},{"Action":"aps:TagResource",
"Condition":{"ForAllValues:StringEquals":{"aws:TagKeys":["SageMaker"]},"StringEquals":{
"aws:RequestTag/SageMaker":"true","aws:ResourceTag/SageMaker":"true"}},"Effect":"Allow","Resource":[
"arn:aws:aps:*:*:/workspaces","arn:aws:aps:*:*:rulegroupsnamespace/*/HyperPodObservabilityNamespace"],
"Sid":"PrometheusTagsAccess"},{"Action":["aps:DescribeWorkspace"],"Effect":"Allow","Resource":
"arn:aws:aps:*:*:workspace/*","Sid":"PrometheusDescribeAccess"},{"Action":["aps:ListWorkspaces"],"Effect":
"Allow","Resource":"*","Sid":"PrometheusListAccess"},{"Action":["aps:CreateAlertManagerDefinition",
"aps:DescribeAlertManagerDefinition","aps:DescribeRuleGroupsNamespace","aps:ListRuleGroupsNamespaces"],
"Effect":"Allow","Resource":["arn:aws:aps:*:*:workspace/*",
"arn:aws:aps:*:*:rulegroupsnamespace/*/HyperPodObservabilityNamespace"],"Sid":
"PrometheusAlertsRuleGroupAccess"},{"Action":"aps:CreateRuleGroupsNamespace","Condition":{"StringEquals":
{"aws:RequestTag/SageMaker":"true","aws:ResourceTag/SageMaker":"true"}},"Effect":"Allow","Resource":
"arn:aws:aps:*:*:rulegroupsnamespace/*/HyperPodObservabilityNamespace","Sid":
"PrometheusCreateRuleGroupAccess"},{"Action":["grafana:CreateWorkspace"],"Condition":{"StringEquals":{
"aws:RequestTag/SageMaker":"true"}},"Effect":"Allow","Resource":"*","Sid":"GrafanaCreateWorkspaceAccess"},
{"Action":"grafana:TagResource","Condition":{"ForAllValues:StringEquals":{"aws:TagKeys":["SageMaker"]},
"StringEquals":{"aws:RequestTag/SageMaker":"true","aws:ResourceTag/SageMaker":"true"}},"Effect":"Allow",
"Resource":"arn:aws:grafana:*:*:/workspaces","Sid":"GrafanaTagsAccess"},{"Action":[
"grafana:ListWorkspaces"],"Effect":"Allow","Resource":"*","Sid":"GrafanaListAccess"},{"Action":[
"grafana:DescribeWorkspace","grafana:CreateWorkspaceApiKey","grafana:CreateWorkspaceServiceAccount",
"grafana:CreateWorkspaceServiceAccountToken","grafana:ListWorkspaceServiceAccounts",
"grafana:ListWorkspaceServiceAccountTokens","grafana:DeleteWorkspaceServiceAccountToken"],"Effect":
"Allow","Resource":"arn:aws:grafana:*:*:/workspaces/*","Sid":"GrafanaServiceAccountAccess"},{"Action":[
"iam:PassRole"],"Condition":{"StringLike":{"iam:PassedToService":["grafana.amazonaws.com"]}},"Effect":
"Allow","Resource":"arn:aws:iam::*:role/service-role/AmazonSageMakerHyperPodObservabilityGrafanaAccess-*",
"Sid":"IAMGrafanaPassRoleAccess"},{"Action":["iam:PassRole"],"Condition":{"StringLike":{
"iam:PassedToService":["pods.eks.amazonaws.com"]}},"Effect":"Allow","Resource":
"arn:aws:iam::*:role/service-role/AmazonSageMakerHyperPodObservabilityAddonAccess-*","Sid":
"IAMEKSPassRoleAccess"},{"Action":"iam:GetRole","Effect":"Allow","Resource":[
"arn:aws:iam::*:role/service-role/AmazonSageMakerHyperPodObservabilityAddonAccess-*"],"Sid":
"IAMGetRoleAccess"},{"Action":["sagemaker:ListClusters","sagemaker:DescribeCluster"],"Effect":"Allow",
"Resource":"*","Sid":"HyperPodClusterAccess"},{"Action":["eks:DeleteAddon","eks:UpdateAddon",
"eks:DescribeAddon"],"Effect":"Allow","Resource":
"arn:aws:eks:*:*:addon/*/amazon-sagemaker-hyperpod-observability/*","Sid":"EKSAddonAccess"},{"Action":[
"eks:DescribeAddonConfiguration","eks:DescribeAddonVersions"],"Effect":"Allow","Resource":"*","Sid":
"EKSAddonDescribeAccess"},{"Action":["eks:DescribePodIdentityAssociation",
"eks:DeletePodIdentityAssociation","eks:UpdatePodIdentityAssociation"],"Condition":{"StringEquals":{
"aws:ResourceTag/SageMaker":"true"}},"Effect":"Allow","Resource":
"arn:aws:eks:*:*:podidentityassociation/*/*","Sid":"EKSAddonPodIdentityAccess"},{"Action":[
"eks:ListAddons","eks:DescribeCluster"],"Effect":"Allow","Resource":"arn:aws:eks:*:*:cluster/*","Sid":
"EKSListDescribeAccess"},{"Action":["eks:CreateAddon","eks:CreatePodIdentityAssociation"],"Condition":{
"StringEquals":{"aws:RequestTag/SageMaker":"true"}},"Effect":"Allow","Resource":
"arn:aws:eks:*:*:cluster/*","Sid":"EKSCreateAccess"},{"Action":"eks:TagResource","Condition":{
"ForAllValues:StringEquals":{"aws:TagKeys":["SageMaker"]},"StringEquals":{"aws:RequestTag/SageMaker":
"true","aws:ResourceTag/SageMaker":"true"}},"Effect":"Allow","Resource":["arn:aws:eks:*:*:cluster/*",
"arn:aws:eks:*:*:addon/*/*/*","arn:aws:eks:*:*:podidentityassociation/*/*"],"Sid":"EKSTagsAccess"},{
"Action":["sso:DescribeRegisteredRegions","sso:CreateManagedApplicationInstance"],"Effect":"Allow",
"Resource":"*","Sid":"SSOAccess"}],"Version":"2012-10-17"})"},
    {"AmazonSageMakerTrainingPlanCreateAccess", "/", "v6", "2024-12-04T13:21:07Z", "2026-02-12T18:03:21Z",
     R"({"Statement":[{"Action":["sagemaker:CreateTrainingPlan","sagemaker:CreateReservedCapacity",
"sagemaker:DescribeReservedCapacity"],"Effect":"Allow","Resource":[
"arn:aws:sagemaker:*:*:training-plan/*","arn:aws:sagemaker:*:*:reserved-capacity/*"],"Sid":
"CreateTrainingPlanPermissions"},{"Action":["sagemaker:AddTags"],"Condition":{"StringEquals":{
"sagemaker:TaggingAction":["CreateTrainingPlan","CreateReservedCapacity"]}},"Effect":"Allow","Resource":[
"arn:aws:sagemaker:*:*:training-plan/*","arn:aws:sagemaker:*:*:reserved-capacity/*"],"Sid":
"AddTagsToTrainingPlanPermissions"},{"Action":"sagemaker:DescribeTrainingPlan","Effect":"Allow",
"Resource":["arn:aws:sagemaker:*:*:training-plan/*"],"Sid":"DescribeTrainingPlanPermissions"},{"Action":[
"sagemaker:SearchTrainingPlanOfferings","sagemaker:ListTrainingPlans"],"Effect":"Allow","Resource":"*",
"Sid":"NonResourceLevelTrainingPlanPermissions"},{"Action":"sagemaker:ListUltraServersByReservedCapacity",
"Effect":"Allow","Resource":["arn:aws:sagemaker:*:*:reserved-capacity/*"],"Sid":
"ListUltraServersByReservedCapacityPermissions"}],"Version":"2012-10-17"})"},
    {"AmazonSageMakerSpacesControllerPolicy", "/", "v3", "2025-11-19T04:34:09Z", "2026-02-12T18:01:40Z",
     R"({"Statement":[{"Action":["ssm:CreateActivation"],"Condition":{"StringEquals":{
"aws:RequestTag/sagemaker.amazonaws.com/eks-cluster-arn":"${aws:PrincipalTag/eks-cluster-arn}",
"aws:RequestTag/sagemaker.amazonaws.com/managed-by":"amazon-sagemaker-spaces"}},"Effect":"Allow",
"Resource":"*","Sid":"AllowOperatorToSSMCreateActivationForSpaces"},{"Action":["ssm:DescribeActivations"],
"Effect":"Allow","Resource":"*","Sid":"AllowOperatorToSSMDescribeActivations"},{"Action":[
"ssm:DescribeSessions"],"Effect":"Allow","Resource":"*","Sid":"AllowOperatorToSSMDescribeSessions"},{
"Action":["ssm:DeleteActivation"],"Effect":"Allow","Resource":"*","Sid":
"AllowOperatorToSSMDeleteActivation"},{"Action":"ssm:AddTagsToResource","Condition":{"StringEquals":{
"aws:RequestTag/sagemaker.amazonaws.com/eks-cluster-arn":"${aws:PrincipalTag/eks-cluster-arn}",
"aws:RequestTag/sagemaker.amazonaws.com/managed-by":"amazon-sagemaker-spaces"}},"Effect":"Allow",
"Resource":["arn:aws:ssm:*:*:managed-instance/*","arn:aws:iam::*:role/sagemaker-space-*"],"Sid":
"AllowOperatorToAddTagsToActivation"},{"Action":["ssm:DescribeInstanceInformation"],"Effect":"Allow",
"Resource":"*","Sid":"AllowOperatorToSSMDescribeManagedNodes"},{"Action":["ssm:DeregisterManagedInstance"
],"Condition":{"StringEquals":{"ssm:resourceTag/sagemaker.amazonaws.com/eks-cluster-arn":
"${aws:PrincipalTag/eks-cluster-arn}","ssm:resourceTag/sagemaker.amazonaws.com/managed-by":
"amazon-sagemaker-spaces"}},"Effect":"Allow","Resource":"arn:aws:ssm:*:*:managed-instance/*","Sid":
"AllowOperatorToSSMDeregisterWorkspaceInstances"},{"Action":"iam:PassRole","Condition":{"StringEquals":{
"iam:PassedToService":"ssm.amazonaws.com"}},"Effect":"Allow","Resource":
"arn:aws:iam::*:role/sagemaker-space-*","Sid":"AllowOperatorToPassSsmManagedNodeRole"},{"Action":[
"ssm:StartSession"],"Condition":{"StringEquals":{
"ssm:resourceTag/sagemaker.amazonaws.com/eks-cluster-arn":"${aws:PrincipalTag/eks-cluster-arn}",
"ssm:resourceTag/sagemaker.amazonaws.com/managed-by":"amazon-sagemaker-spaces"}},"Effect":"Allow",
"Resource":"arn:aws:ssm:*:*:managed-instance/*","Sid":"AllowOperatorToSSMStartSession"},{"Action":[
"ssm:StartSession"],"Effect":"Allow","Resource":["arn:aws:ssm:*::document/AWS-StartSSHSession",
"arn:aws:ssm:*:*:document/SageMaker-Space*"],"Sid":"AllowStartSessionDocuments"},{"Action":[
"kms:DescribeKey"],"Effect":"Allow","Resource":"arn:aws:kms:*:*:key/*","Sid":"KMSDescribeKey"},{"Action":
["kms:GenerateDataKey","kms:Decrypt"],"Condition":{"StringEquals":{
"kms:EncryptionContext:sagemaker:component":"amazon-sagemaker-spaces",
"kms:EncryptionContext:sagemaker:eks-cluster-arn":"${aws:PrincipalTag/eks-cluster-arn}"}},"Effect":
"Allow","Resource":"arn:aws:kms:*:*:key/*","Sid":"KMSKeyOperations"},{"Action":["ssm:DescribeDocument"],
"Effect":"Allow","Resource":["arn:aws:ssm:*:*:document/SageMaker-Space*"],"Sid":
"AllowOperatorToSSMDescribeDocument"},{"Action":["ssm:CreateDocument"],"Condition":{"StringEquals":{
"aws:RequestTag/sagemaker.amazonaws.com/eks-cluster-arn":"${aws:PrincipalTag/eks-cluster-arn}",
"aws:RequestTag/sagemaker.amazonaws.com/managed-by":"amazon-sagemaker-spaces"}},"Effect":"Allow",
"Resource":"arn:aws:ssm:*:*:document/SageMaker-Space*","Sid":"AllowOperatorToSSMCreateDocument"},{
"Action":["ssm:UpdateServiceSetting","ssm:GetServiceSetting","ssm:ResetServiceSetting"],"Effect":"Allow",
"Resource":"arn:aws:ssm:*:*:servicesetting/ssm/managed-instance/activation-tier","Sid":
"AllowOperatorToEnableAdvancedTierForManagedInstances"},{"Action":"ssm:AddTagsToResource","Condition":{
"StringEquals":{"aws:RequestTag/sagemaker.amazonaws.com/managed-by":"amazon-sagemaker-spaces"}},"Effect":
"Allow","Resource":"arn:aws:ssm:*:*:document/SageMaker-Space*","Sid":
"AllowOperatorToAddTagsToSSMDocument"}],"Version":"2012-10-17"})"},
    {"AmazonSageMakerSpacesRouterPolicy", "/", "v3", "2025-11-19T04:34:07Z", "2026-02-12T17:58:24Z",
     R"({"Statement":[{"Action":["kms:DescribeKey"],"Effect":"Allow","Resource":"arn:aws:kms:*:*:key/*","Sid":
"KMSDescribeKey"},{"Action":["kms:GenerateDataKey","kms:Decrypt"],"Condition":{"StringEquals":{
"kms:EncryptionContext:sagemaker:component":"amazon-sagemaker-spaces",
"kms:EncryptionContext:sagemaker:eks-cluster-arn":"${aws:PrincipalTag/eks-cluster-arn}"}},"Effect":
"Allow","Resource":"arn:aws:kms:*:*:key/*","Sid":"KMSKeyOperations"}],"Version":"2012-10-17"})"},
};
// clang-format on

}  // namespace

std::span<const ManagedPolicy> sagemaker_policies() { return k_policies; }

}  // namespace instantstart::sandbox::iam
