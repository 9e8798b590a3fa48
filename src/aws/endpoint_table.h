// The form of the generated table of partitions and endpoints (tools/aws_shapes/generate_endpoints.py).
// endpoints.h is how to ask it.
#pragma once

#include <span>
#include <string_view>

namespace instantstart::aws {

struct PartitionInfo {
  std::string_view id;                      ///< "aws", "aws-cn": the second part of every ARN.
  std::string_view dns_suffix;              ///< "amazonaws.com"
  std::string_view dual_stack_dns_suffix;   ///< "api.aws"
  std::string_view implicit_global_region;  ///< Where calls of global services are signed for: "us-east-1".
  std::string_view region_pattern;          ///< Also fits regions that are newer than the table.
  std::span<const std::string_view> regions;
};

/// One service in one partition, or in one region of it that differs from the rest.
struct EndpointRule {
  std::string_view partition;
  std::string_view region;  ///< Empty: every region without a row of its own.
  bool fips;
  bool dual_stack;
  std::string_view url;             ///< "https://sts.{region}.amazonaws.com"; empty when there is none.
  std::string_view signing_region;  ///< Empty: the region itself.
  std::string_view signing_name;    ///< Empty: as the service's model says.
  std::string_view error;           ///< Why there is no URL, in AWS's words.
};

struct ServiceEndpoints {
  std::string_view service;  ///< Its folder in botocore: "service-quotas".
  std::string_view id;       ///< "Service Quotas": names AWS_ENDPOINT_URL_SERVICE_QUOTAS.
  std::span<const EndpointRule> rules;
};

std::span<const PartitionInfo> partition_table();
std::span<const ServiceEndpoints> endpoint_table();  ///< Sorted by service.

}  // namespace instantstart::aws
