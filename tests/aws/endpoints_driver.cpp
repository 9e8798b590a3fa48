// Lets another program ask where services are: one JSON object a line in, one a line out.
//
//   mode "aws":        service, region, fips, dual_stack       → url, signing_region, signing_name
//   mode "configured": service, region, variables, config file → the same
//   mode "address":    service, region, fips, dual_stack, path → origin, bucket_in_host
//   mode "partition":  region                                  → partition, dns_suffix
#include "aws/endpoints.h"
#include "aws/shapes/services.h"
#include "aws/wire_request.h"
#include "json_lines.h"

namespace instantstart::aws {
namespace {

EndpointOptions options_of(const json::object& line) {
  return {.fips = line.at("fips").as_bool(), .dual_stack = line.at("dual_stack").as_bool()};
}

Result<Endpoint> configured(const json::object& line) {
  FixedEnvironment environment;
  for (const auto& [name, value] : line.at("variables").as_object()) {
    environment.variables.emplace(name, value.as_string());
  }
  environment.variables["AWS_CONFIG_FILE"] = "config";
  environment.files["config"] = text(line, "config");
  const auto config = load_shared_config(environment);
  if (!config) return fail(config.error());
  const auto endpoints = load_endpoint_config(environment, *config);
  if (!endpoints) return fail(endpoints.error());
  return resolve_endpoint(*endpoints, text(line, "service"), text(line, "region"));
}

Result<json::object> answer(const json::object& line) {
  const std::string mode = text(line, "mode");
  if (mode == "partition") {
    const auto& partition = partition_of(text(line, "region"));
    return json::object{{"partition", partition.id}, {"dns_suffix", partition.dns_suffix}};
  }
  const auto endpoint = mode == "configured"
                            ? configured(line)
                            : aws_endpoint(text(line, "service"), text(line, "region"), options_of(line));
  if (!endpoint) return fail(endpoint.error());
  if (mode == "address") {
    const auto address = address_of(*find_service(text(line, "service")), *endpoint, text(line, "path"));
    if (!address) return fail(address.error());
    return json::object{{"origin", address->origin}, {"bucket_in_host", address->bucket_in_host}};
  }
  return json::object{{"url", endpoint->url},
                      {"signing_region", endpoint->signing_region},
                      {"signing_name", endpoint->signing_name}};
}

}  // namespace
}  // namespace instantstart::aws

int main() { return instantstart::aws::run_lines(instantstart::aws::answer); }
