#include "aws/arn.h"

#include <array>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::aws {

Result<Arn> parse_arn(std::string_view text) {
  std::array<std::string_view, 5> parts;
  std::string_view rest = text;
  for (auto& part : parts) {
    const auto colon = rest.find(':');
    if (colon == std::string_view::npos) {
      return fail(codes::invalid_request, fmt::format("'{}' is not an ARN", shortened(text, 200)));
    }
    part = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
  }
  if (parts[0] != "arn" || parts[1].empty() || parts[2].empty() || rest.empty()) {
    return fail(codes::invalid_request, fmt::format("'{}' is not an ARN", shortened(text, 200)));
  }
  return Arn{.partition = std::string(parts[1]),
             .service = std::string(parts[2]),
             .region = std::string(parts[3]),
             .account = std::string(parts[4]),
             .resource = std::string(rest)};
}

std::string to_text(const Arn& arn) {
  return fmt::format("arn:{}:{}:{}:{}:{}", arn.partition, arn.service, arn.region, arn.account, arn.resource);
}

std::string_view arn_name(const Arn& arn) {
  const std::string_view resource = arn.resource;
  const auto cut = resource.find_last_of("/:");
  return cut == std::string_view::npos ? resource : resource.substr(cut + 1);
}

}  // namespace instantstart::aws
