#include "aws/endpoints.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/pattern.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

const std::vector<Pattern>& partition_patterns() {
  static const std::vector<Pattern> patterns = [] {
    std::vector<Pattern> made;
    for (const auto& partition : partition_table()) made.emplace_back(partition.region_pattern);
    return made;
  }();
  return patterns;
}

bool is_host_label(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.size() <= 63 && !text.starts_with('-') && !text.ends_with('-') &&
         std::ranges::all_of(text, fits);
}

/// The row of this region, else the partition's general one.
const EndpointRule* find_rule(const ServiceEndpoints& service, std::string_view partition,
                              std::string_view region, EndpointOptions options) {
  const EndpointRule* general = nullptr;
  for (const auto& rule : service.rules) {
    if (rule.partition != partition || rule.fips != options.fips || rule.dual_stack != options.dual_stack) {
      continue;
    }
    if (rule.region == region) return &rule;
    if (rule.region.empty()) general = &rule;
  }
  return general;
}

std::string with_region(std::string_view url, std::string_view region) {
  constexpr std::string_view placeholder = "{region}";
  std::string out(url);
  if (const auto at = out.find(placeholder); at != std::string::npos) {
    out.replace(at, placeholder.size(), region);
  }
  return out;
}

/// "Service Quotas" → "service_quotas": the block in a `services` section, and in capitals the end of the
/// variable.
std::string configured_name(std::string_view service_id) {
  std::string name = to_lower(service_id);
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

Result<const IniSection*> services_section(const SharedConfig& config) {
  static const IniSection none;
  const std::string* name = config.profile().find("services");
  if (!name) return &none;
  const auto found = config.services.find(*name);
  if (found != config.services.end()) return &found->second;
  return fail(codes::credentials_invalid,
              fmt::format("Profile '{}' uses the services section '{}', which does not exist",
                          config.profile_name, *name));
}

Result<Endpoint> custom_endpoint(std::string url, std::string_view service, std::string_view region,
                                 EndpointOptions options) {
  while (url.ends_with('/')) url.pop_back();
  const bool http = url.starts_with("http://") || url.starts_with("https://");
  if (!http || url.find_first_of(" \t\r\n?#@") != std::string::npos) {
    return fail(codes::invalid_request,
                fmt::format("The endpoint of {} is not an http or https URL", service));
  }
  if (options.fips || options.dual_stack) {
    return fail(codes::invalid_request,
                fmt::format("The endpoint of {} is set to {}: that can't be combined with FIPS or dual-stack",
                            service, shortened(url, 200)));
  }
  // A global service keeps its own signing region behind another address.
  Endpoint endpoint{.url = std::move(url), .signing_region = std::string(region), .custom = true};
  if (const auto own = aws_endpoint(service, region, {})) {
    endpoint.signing_region = own->signing_region;
    endpoint.signing_name = own->signing_name;
  }
  return endpoint;
}

}  // namespace

const PartitionInfo& partition_of(std::string_view region) {
  const auto table = partition_table();
  const auto& patterns = partition_patterns();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (std::ranges::find(table[i].regions, region) != table[i].regions.end() ||
        patterns[i].matches(region)) {
      return table[i];
    }
  }
  return table.front();
}

Result<Endpoint> aws_endpoint(std::string_view service, std::string_view region, EndpointOptions options) {
  const auto table = endpoint_table();
  const auto found = std::ranges::lower_bound(table, service, {}, &ServiceEndpoints::service);
  if (found == table.end() || found->service != service) {
    return fail(codes::internal, fmt::format("The endpoint table has no service '{}'", service));
  }
  if (!is_host_label(region)) {
    return fail(codes::invalid_request,
                fmt::format("'{}' is not the name of a region", shortened(region, 100)));
  }
  const auto& partition = partition_of(region);
  const EndpointRule* rule = find_rule(*found, partition.id, region, options);
  if (!rule || rule->url.empty()) {
    return fail(codes::invalid_request, fmt::format("There is no endpoint of {} in {}: {}", service, region,
                                                    rule ? rule->error : "unknown partition"));
  }
  return Endpoint{.url = with_region(rule->url, region),
                  .signing_region = std::string(rule->signing_region.empty() ? region : rule->signing_region),
                  .signing_name = std::string(rule->signing_name)};
}

Result<EndpointConfig> load_endpoint_config(const Environment& environment, const SharedConfig& config) {
  const auto flag = [&](std::string_view variable, std::string_view name) {
    return is_true(setting(environment, config, variable, name).value_or(""));
  };
  EndpointConfig result;
  result.options = {.fips = flag("AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint"),
                    .dual_stack = flag("AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint")};
  if (flag("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls")) return result;

  const auto section = services_section(config);
  if (!section) return fail(section.error());
  const std::string everywhere = environment.variable_or_empty("AWS_ENDPOINT_URL");
  const std::string* profile_url = config.profile().find("endpoint_url");
  for (const auto& [service, id, rules] : endpoint_table()) {
    const std::string name = configured_name(id);
    std::string url = environment.variable_or_empty("AWS_ENDPOINT_URL_" + upper(name));
    if (url.empty()) url = everywhere;
    if (const auto block = (*section)->nested.find(name); url.empty() && block != (*section)->nested.end()) {
      if (const auto own = block->second.find("endpoint_url"); own != block->second.end()) url = own->second;
    }
    if (url.empty() && profile_url) url = *profile_url;
    if (!url.empty()) result.custom_urls.emplace(service, std::move(url));
  }
  return result;
}

Result<Endpoint> resolve_endpoint(const EndpointConfig& config, std::string_view service,
                                  std::string_view region) {
  auto custom = config.custom_urls.find(service);
  if (custom == config.custom_urls.end()) custom = config.custom_urls.find("");
  if (custom != config.custom_urls.end()) {
    return custom_endpoint(custom->second, service, region, config.options);
  }
  return aws_endpoint(service, region, config.options);
}

}  // namespace instantstart::aws
