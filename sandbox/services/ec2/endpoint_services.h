// The AWS services that endpoints lead to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace instantstart::sandbox::ec2 {

struct EndpointService {
  std::string short_name;  ///< "s3"; what follows the region in "com.amazonaws.us-west-2.s3".
  bool has_gateway = false;
  bool has_interface = false;
};

/// nullopt when the region has no service of that name.
std::optional<EndpointService> find_endpoint_service(std::string_view region, std::string_view service_name);

/// "pl-…": the list of the service's addresses, the destination of a gateway endpoint's routes. The same for
/// all accounts of a region.
std::string prefix_list_of(std::string_view region, const EndpointService& service);

}  // namespace instantstart::sandbox::ec2
