// The EC2 instance metadata service: version 2 with its session token, version 1 where that is all there is.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
#pragma once

#include <optional>
#include <string>

#include "aws/credentials_context.h"
#include "aws/shared_config.h"
#include "base/result.h"
#include "net/task.h"

namespace instantstart::aws {

struct InstanceMetadataConfig {
  bool disabled = false;     ///< AWS_EC2_METADATA_DISABLED
  bool v1_disabled = false;  ///< AWS_EC2_METADATA_V1_DISABLED, ec2_metadata_v1_disabled
  std::string endpoint;  ///< AWS_EC2_METADATA_SERVICE_ENDPOINT, or by AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE
  milliseconds timeout{1'000};  ///< AWS_METADATA_SERVICE_TIMEOUT, whole seconds
  int attempts = 1;             ///< AWS_METADATA_SERVICE_NUM_ATTEMPTS
};

/// Error `credentials_invalid`: an endpoint that is no URL, a mode that is neither IPv4 nor IPv6, a number
/// that is none.
Result<InstanceMetadataConfig> load_instance_metadata_config(const Environment& environment,
                                                             const SharedConfig& config);

class InstanceMetadata {
 public:
  InstanceMetadata(CredentialsContext context, InstanceMetadataConfig config)
      : context_(std::move(context)), config_(std::move(config)) {}

  /// A session token; nullopt when the service has no version 2 or does not answer. Error `unavailable` when
  /// the service is disabled or refuses the very request.
  Task<std::optional<Secret>> token(net::Deadline deadline);

  /// The text at a path ("latest/meta-data/iam/security-credentials/"). Errors: `unavailable` when there is
  /// no usable answer after all attempts; `credentials_invalid` when only version 1 is left and that is
  /// forbidden.
  Task<std::string> get(std::string path, std::optional<Secret> token, net::Deadline deadline);

  /// The region that the instance runs in. Errors as `get`.
  Task<std::string> region(net::Deadline deadline);

 private:
  net::ClientRequest request(std::string_view method, std::string_view path) const;

  CredentialsContext context_;
  InstanceMetadataConfig config_;
};

}  // namespace instantstart::aws
