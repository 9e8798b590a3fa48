#include "aws/instance_metadata.h"

#include <charconv>

#include <fmt/core.h>

#include "aws/url.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

constexpr std::string_view k_ipv4_endpoint = "http://169.254.169.254/";
constexpr std::string_view k_ipv6_endpoint = "http://[fd00:ec2::254]/";
constexpr std::string_view k_token_seconds = "21600";
constexpr std::size_t k_largest_answer = 64 * 1024;

Result<int> number(const Environment& environment, const SharedConfig& config, std::string_view variable,
                   std::string_view name, int fallback) {
  const auto text = setting(environment, config, variable, name);
  if (!text) return fallback;
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || value < 0 || value > 3600) {
    return fail(codes::credentials_invalid, fmt::format("{} is not a number from 0 to 3600", variable));
  }
  return value;
}

Result<bool> wants_ipv6(const Environment& environment, const SharedConfig& config) {
  const auto mode = setting(environment, config, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
                            "ec2_metadata_service_endpoint_mode");
  if (mode) {
    const std::string lower = to_lower(*mode);
    if (lower == "ipv4" || lower == "ipv6") return lower == "ipv6";
    return fail(codes::credentials_invalid,
                "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE is neither IPv4 nor IPv6");
  }
  return is_true(setting(environment, config, "AWS_IMDS_USE_IPV6", "imds_use_ipv6").value_or(""));
}

}  // namespace

Result<InstanceMetadataConfig> load_instance_metadata_config(const Environment& environment,
                                                             const SharedConfig& config) {
  InstanceMetadataConfig result;
  result.disabled = is_true(environment.variable_or_empty("AWS_EC2_METADATA_DISABLED"));
  result.v1_disabled = is_true(
      setting(environment, config, "AWS_EC2_METADATA_V1_DISABLED", "ec2_metadata_v1_disabled").value_or(""));
  const auto ipv6 = wants_ipv6(environment, config);
  if (!ipv6) return fail(ipv6.error());
  result.endpoint =
      setting(environment, config, "AWS_EC2_METADATA_SERVICE_ENDPOINT", "ec2_metadata_service_endpoint")
          .value_or("");
  if (result.endpoint.empty()) result.endpoint = *ipv6 ? k_ipv6_endpoint : k_ipv4_endpoint;
  if (!parse_url(result.endpoint)) {
    return fail(codes::credentials_invalid, "AWS_EC2_METADATA_SERVICE_ENDPOINT is not an http or https URL");
  }
  if (!result.endpoint.ends_with('/')) result.endpoint += '/';
  const auto timeout =
      number(environment, config, "AWS_METADATA_SERVICE_TIMEOUT", "metadata_service_timeout", 1);
  if (!timeout) return fail(timeout.error());
  const auto attempts =
      number(environment, config, "AWS_METADATA_SERVICE_NUM_ATTEMPTS", "metadata_service_num_attempts", 1);
  if (!attempts) return fail(attempts.error());
  result.timeout = std::chrono::seconds(*timeout);
  result.attempts = *attempts;
  return result;
}

net::ClientRequest InstanceMetadata::request(std::string_view method, std::string_view path) const {
  return {.method = std::string(method),
          .url = config_.endpoint + std::string(path),
          .max_response_bytes = k_largest_answer,
          .connect_timeout = config_.timeout,
          .use_proxy = false};
}

Task<std::optional<Secret>> InstanceMetadata::token(net::Deadline deadline) {
  if (config_.disabled) co_return fail(codes::unavailable, "The instance metadata service is disabled");
  auto asked = request("PUT", "latest/api/token");
  asked.headers.add("x-aws-ec2-metadata-token-ttl-seconds", std::string(k_token_seconds));
  for (int attempt = 0; attempt < config_.attempts; ++attempt) {
    auto answer = co_await context_.http.send(
        asked, net::Deadline::in(context_.time, config_.timeout).sooner(deadline));
    if (!answer) {
      if (answer.error().code == codes::deadline_exceeded)
        break;  // version 2 with a hop limit of 1: no answer
      continue;
    }
    if (answer->status == 200) co_return Secret(std::move(answer->body));
    if (answer->status == 403 || answer->status == 404 || answer->status == 405) break;
    if (answer->status == 400) {
      co_return fail(codes::unavailable, "The instance metadata service refused the request for a token");
    }
  }
  co_return std::nullopt;
}

Task<std::string> InstanceMetadata::get(std::string path, std::optional<Secret> token,
                                        net::Deadline deadline) {
  if (config_.disabled) co_return fail(codes::unavailable, "The instance metadata service is disabled");
  if (!token && config_.v1_disabled) {
    co_return fail(codes::credentials_invalid,
                   "The instance metadata service gave no token for version 2, and version 1 is disabled");
  }
  auto asked = request("GET", path);
  if (token) asked.headers.add("x-aws-ec2-metadata-token", token->reveal());
  for (int attempt = 0; attempt < config_.attempts; ++attempt) {
    auto answer = co_await context_.http.send(
        asked, net::Deadline::in(context_.time, config_.timeout).sooner(deadline));
    if (answer && answer->status == 200 && !answer->body.empty()) co_return std::move(answer->body);
  }
  co_return fail(codes::unavailable, "The instance metadata service gives no answer");
}

Task<std::string> InstanceMetadata::region(net::Deadline deadline) {
  auto session = co_await token(deadline);
  if (!session) co_return fail(std::move(session.error()));
  auto zone = co_await get("latest/meta-data/placement/availability-zone/", std::move(*session), deadline);
  if (!zone) co_return fail(std::move(zone.error()));
  zone->pop_back();  // "us-west-2a"; `get` never answers with nothing
  co_return std::move(*zone);
}

}  // namespace instantstart::aws
