#include "aws/wire_request.h"

#include <algorithm>

#include <fmt/core.h>

#include "aws/url.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

bool is_ipv4(std::string_view text) {
  return std::ranges::count(text, '.') == 3 &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// As the rule set's aws.isVirtualHostableS3Bucket without subdomains: one DNS label.
bool fits_host(std::string_view bucket) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return bucket.size() >= 3 && bucket.size() <= 63 && bucket.front() != '-' && bucket.back() != '-' &&
         std::ranges::all_of(bucket, fits) && !is_ipv4(bucket);
}

/// "/bucket/key" → "bucket"
std::string_view first_segment(std::string_view path) {
  const auto segment = path.substr(path.starts_with('/') ? 1 : 0);
  return segment.substr(0, segment.find('/'));
}

}  // namespace

Result<Address> address_of(const ServiceInfo& service, const Endpoint& endpoint, std::string_view path) {
  const auto url = parse_url(endpoint.url);
  if (!url || !url->query.empty()) {
    return fail(codes::invalid_request,
                fmt::format("The endpoint of {} is not an http or https URL", service.name));
  }
  Address address{.host = url->authority, .base_path = url->path};
  while (address.base_path.ends_with('/')) address.base_path.pop_back();
  const auto bucket = first_segment(path);
  if (service.name == "s3" && !endpoint.custom && fits_host(bucket)) {
    address.host = fmt::format("{}.{}", bucket, address.host);
    address.bucket_in_host = true;
  }
  address.origin = fmt::format("{}://{}", url->scheme, address.host);
  return address;
}

Result<net::ClientRequest> wire_request(const OperationInfo& operation, const HttpRequestParts& parts,
                                        const Endpoint& endpoint, const Credentials* credentials,
                                        const AttemptFacts& facts) {
  const auto address = address_of(*operation.service, endpoint, parts.path);
  if (!address) return fail(address.error());

  const std::string target = request_target(parts);
  const auto question = target.find('?');
  std::string path = address->base_path;
  std::string_view operation_path = std::string_view(target).substr(0, question);
  if (address->bucket_in_host) operation_path.remove_prefix(1 + first_segment(operation_path).size());
  path.append(operation_path.empty() ? "/" : operation_path);
  const auto query =
      question == std::string::npos ? std::string_view() : std::string_view(target).substr(question + 1);

  net::ClientRequest request{.method = parts.method, .body = parts.body};
  for (const auto& [name, value] : parts.headers) request.headers.add(name, value);
  request.headers.set("User-Agent", std::string(facts.user_agent));
  request.headers.set("amz-sdk-invocation-id", std::string(facts.invocation_id));
  request.headers.set("amz-sdk-request",
                      fmt::format("attempt={}; max={}", facts.attempt, facts.max_attempts));

  if (credentials) {
    const SigningRequest signing{.method = request.method,
                                 .host = address->host,
                                 .path = path,
                                 .query = query,
                                 .headers = request.headers,
                                 .body = request.body};
    const std::string_view name = endpoint.signing_name.empty() ? operation.service->signing_name
                                                                : std::string_view(endpoint.signing_name);
    auto signature = sign_request(signing, *credentials, endpoint.signing_region, name, facts.signing_time,
                                  signing_options(name), facts.keys);
    for (auto& [header, value] : signature.headers) request.headers.set(header, std::move(value));
  }
  request.url = query.empty() ? fmt::format("{}{}", address->origin, path)
                              : fmt::format("{}{}?{}", address->origin, path, query);
  return request;
}

}  // namespace instantstart::aws
