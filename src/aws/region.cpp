#include "aws/region.h"

namespace instantstart::aws {

std::optional<std::string> configured_region(const Environment& environment, const SharedConfig& config,
                                             const std::optional<std::string>& asked) {
  if (asked && !asked->empty()) return asked;
  for (const auto name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (auto region = environment.variable(name); region && !region->empty()) return region;
  }
  const std::string* region = config.profile().find("region");
  return region && !region->empty() ? std::optional(*region) : std::nullopt;
}

}  // namespace instantstart::aws
