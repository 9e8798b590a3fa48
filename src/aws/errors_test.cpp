#include "aws/errors.h"

#include <gtest/gtest.h>

#include "aws/shapes/cloudformation.h"
#include "aws/shapes/ec2.h"
#include "aws/shapes/eks.h"
#include "aws/shapes/iam.h"
#include "aws/shapes/logs.h"
#include "aws/shapes/s3.h"
#include "aws/shapes/sagemaker.h"
#include "aws/shapes/sts.h"
#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

struct Case {
  const OperationInfo& operation;
  std::string_view aws;
  int status;
  std::string_view ours;
  std::string_view message = "x";
};

TEST(ClassifyError, SpeaksOurCodes) {
  const Case cases[] = {
      {ec2::DescribeVpcs::info(), "InvalidVpcID.NotFound", 400, codes::not_found},
      {ec2::DescribeVpcs::info(), "InvalidVpcID.Malformed", 400, codes::invalid_request},
      {ec2::CreateVpc::info(), "VpcLimitExceeded", 400, codes::quota_exceeded},
      {ec2::CreateVpc::info(), "UnauthorizedOperation", 403, codes::access_denied},
      {ec2::CreateVpc::info(), "AuthFailure", 401, codes::credentials_invalid},
      {ec2::CreateVpc::info(), "RequestLimitExceeded", 503, codes::throttled},
      {ec2::CreateSubnet::info(), "InvalidSubnet.Conflict", 400, codes::conflict},
      {ec2::DeleteVpc::info(), "DependencyViolation", 400, codes::conflict},
      {ec2::CreateSecurityGroup::info(), "InvalidGroup.Duplicate", 400, codes::name_taken},
      {ec2::CreateNatGateway::info(), "IdempotentParameterMismatch", 400, codes::token_reused},
      {ec2::CreateNatGateway::info(), "InsufficientAddressCapacity", 503, codes::capacity_unavailable},
      {iam::CreateRole::info(), "EntityAlreadyExists", 409, codes::name_taken},
      {iam::GetRole::info(), "NoSuchEntity", 404, codes::not_found},
      {iam::DeleteRole::info(), "DeleteConflict", 409, codes::conflict},
      {iam::CreateRole::info(), "LimitExceeded", 409, codes::quota_exceeded},
      {iam::CreateRole::info(), "MalformedPolicyDocument", 400, codes::invalid_request},
      {iam::CreateRole::info(), "ConcurrentModification", 409, codes::conflict},
      {iam::CreateRole::info(), "ServiceFailure", 500, codes::unavailable},
      {logs::CreateLogGroup::info(), "LimitExceededException", 400, codes::quota_exceeded},
      {logs::CreateLogGroup::info(), "ResourceAlreadyExistsException", 400, codes::name_taken},
      {eks::CreateCluster::info(), "ResourceInUseException", 409, codes::name_taken},
      {eks::DeleteCluster::info(), "ResourceInUseException", 409, codes::conflict},
      {eks::CreateCluster::info(), "UnsupportedAvailabilityZoneException", 400, codes::capacity_unavailable},
      {eks::UpdateClusterConfig::info(), "InvalidRequestException", 400, codes::conflict},
      {eks::CreateCluster::info(), "InvalidParameterException", 400, codes::invalid_request},
      {eks::CreateCluster::info(), "ServerException", 500, codes::unavailable},
      {eks::CreateCluster::info(), "ExpiredTokenException", 403, codes::credentials_expired},
      {eks::CreateCluster::info(), "UnrecognizedClientException", 403, codes::credentials_invalid},
      {eks::DescribeCluster::info(), "AccessDeniedException", 403, codes::access_denied},
      {sagemaker::CreateCluster::info(), "ResourceInUse", 400, codes::name_taken},
      {sagemaker::DeleteCluster::info(), "ResourceNotFound", 400, codes::not_found},
      {sagemaker::CreateCluster::info(), "ResourceLimitExceeded", 400, codes::quota_exceeded},
      {sagemaker::UpdateCluster::info(), "ConflictException", 409, codes::conflict},
      {sagemaker::DescribeCluster::info(), "ValidationException", 400, codes::invalid_request},
      {sagemaker::DescribeCluster::info(), "ValidationException", 400, codes::not_found,
       "Could not find cluster a"},
      {cloudformation::CreateStack::info(), "AlreadyExistsException", 400, codes::name_taken},
      {cloudformation::DescribeStacks::info(), "ValidationError", 400, codes::not_found,
       "Stack with id a does not exist"},
      {cloudformation::UpdateStack::info(), "ValidationError", 400, codes::conflict,
       "Stack:arn is in UPDATE_IN_PROGRESS state and can not be updated."},
      {cloudformation::UpdateStack::info(), "ValidationError", 400, codes::invalid_request,
       "No updates are to be performed."},
      {cloudformation::CreateStack::info(), "TokenAlreadyExistsException", 400, codes::token_reused},
      {s3::GetObject::info(), "NoSuchKey", 404, codes::not_found},
      {s3::HeadBucket::info(), "404", 404, codes::not_found},
      {s3::HeadBucket::info(), "403", 403, codes::access_denied},
      {s3::CreateBucket::info(), "BucketAlreadyExists", 409, codes::name_taken},
      {s3::CreateBucket::info(), "BucketAlreadyOwnedByYou", 409, codes::name_taken},
      {s3::DeleteBucket::info(), "BucketNotEmpty", 409, codes::conflict},
      {s3::GetObject::info(), "SlowDown", 503, codes::throttled},
      {s3::GetObject::info(), "SignatureDoesNotMatch", 403, codes::credentials_invalid},
      {sts::GetCallerIdentity::info(), "InvalidClientTokenId", 403, codes::credentials_invalid},
      {sts::GetCallerIdentity::info(), "SomethingNew", 400, codes::upstream_error},
      {sts::GetCallerIdentity::info(), "SomethingNew", 409, codes::conflict},
      {sts::GetCallerIdentity::info(), "", 503, codes::unavailable},
      {sts::GetCallerIdentity::info(), "", 429, codes::throttled},
  };
  for (const auto& row : cases) {
    const ServiceError error{
        .code = std::string(row.aws), .message = std::string(row.message), .status = row.status};
    EXPECT_EQ(classify_error(row.operation, error), row.ours)
        << row.operation.name << " " << row.aws << " " << row.status;
  }
}

TEST(ClassifyError, EveryCodeIsInTheProductsTable) {
  for (const ServiceInfo* service :
       {ec2::CreateVpc::info().service, eks::CreateCluster::info().service, iam::CreateRole::info().service,
        sagemaker::CreateCluster::info().service}) {
    for (const OperationInfo* operation : service->operations) {
      for (const ErrorInfo* modelled : operation->errors) {
        const auto ours = classify_error(
            *operation, {.code = std::string(modelled->code), .status = modelled->http_status});
        EXPECT_EQ(error_code_info(ours).code, ours) << modelled->code;
      }
    }
  }
}

TEST(ToError, SaysWhatAwsSaidAndWhereToAskAboutIt) {
  const auto error = to_error(iam::GetRole::info(), {.code = "NoSuchEntity",
                                                     .message = "The role \x1b[31mx cannot be found.",
                                                     .request_id = "6f0a",
                                                     .status = 404});
  EXPECT_EQ(error.code, "not_found");
  EXPECT_EQ(error.message, "GetRole: The role x cannot be found. (NoSuchEntity)");
  EXPECT_EQ(error.detail, (boost::json::object{{"service", "iam"},
                                               {"operation", "GetRole"},
                                               {"aws_code", "NoSuchEntity"},
                                               {"request_id", "6f0a"},
                                               {"http_status", 404}}));
  EXPECT_FALSE(error.retryable);
  EXPECT_TRUE(to_error(iam::GetRole::info(), {.code = "Throttling", .status = 400}).retryable);
}

TEST(ToError, DoesNotRepeatTheTextThatShouldHaveBeenSigned) {
  const auto error = to_error(
      sts::GetCallerIdentity::info(),
      {.code = "SignatureDoesNotMatch",
       .message =
           "The request signature we calculated does not match. Check your key.\n\nThe Canonical String for "
           "this request should have been\n'POST\n/\n\nx-amz-security-token:TOKEN-OF-SESSION\n'",
       .status = 403});
  EXPECT_EQ(error.message,
            "GetCallerIdentity: The request signature we calculated does not match. Check your key. "
            "(SignatureDoesNotMatch)");
}

TEST(ToError, AnEmptyAnswerIsNamedByItsStatus) {
  EXPECT_EQ(to_error(sts::GetCallerIdentity::info(), {.status = 503}).message,
            "GetCallerIdentity: AWS answered with HTTP status 503");
}

}  // namespace
}  // namespace instantstart::aws
