// Where a service answers in a region, and for which region its calls are signed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aws/endpoint_table.h"
#include "aws/environment.h"
#include "aws/shared_config.h"
#include "base/result.h"

namespace instantstart::aws {

/// The partition that has the region or whose pattern fits it; `aws` for names that fit none.
const PartitionInfo& partition_of(std::string_view region);

struct EndpointOptions {
  bool fips = false;
  bool dual_stack = false;
};

struct Endpoint {
  std::string url;  ///< "https://host", "http://127.0.0.1:4566/path"; no slash at the end.
  std::string signing_region;
  std::string signing_name;  ///< Empty: as the service's model says.
  bool custom = false;       ///< From configuration instead of AWS's data.

  bool operator==(const Endpoint&) const = default;
};

/// AWS's own endpoint. Errors: `invalid_request` when the region's name can't be part of a host name, or with
/// AWS's reason when the combination does not exist there; `internal` for a service that is not in the table.
Result<Endpoint> aws_endpoint(std::string_view service, std::string_view region, EndpointOptions options);

/// Endpoints of one account context.
struct EndpointConfig {
  EndpointOptions options;
  /// By service folder; "" is the one for all services without their own.
  std::map<std::string, std::string, std::less<>> custom_urls;
};

/// AWS_USE_FIPS_ENDPOINT, AWS_USE_DUALSTACK_ENDPOINT, AWS_ENDPOINT_URL_<SERVICE>, AWS_ENDPOINT_URL, the
/// profile's `services` section and `endpoint_url`, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS; the environment goes
/// before the profile. Error `credentials_invalid` when the profile names a `services` section that does not
/// exist.
Result<EndpointConfig> load_endpoint_config(const Environment& environment, const SharedConfig& config);

/// The configured endpoint, else AWS's. Errors beside those of `aws_endpoint`: `invalid_request` when a
/// custom endpoint is not an http or https URL, or is combined with FIPS or dual-stack (nobody could say
/// whether it fulfils that).
Result<Endpoint> resolve_endpoint(const EndpointConfig& config, std::string_view service,
                                  std::string_view region);

}  // namespace instantstart::aws
