#include "sandbox/services/iam/state.h"

#include <algorithm>
#include <chrono>

namespace instantstart::sandbox::iam {

State::State(World& the_world, Limits the_limits)
    : world(the_world),
      limits(the_limits),
      roles(world, "iam.role"),
      inline_policies(world, "iam.inline_policy"),
      attached_policies(world, "iam.attached_policy"),
      oidc_providers(world, "iam.oidc_provider") {}

std::size_t characters_without_space(std::string_view document) {
  return static_cast<std::size_t>(std::ranges::count_if(
      document, [](char c) { return c != ' ' && c != '\n' && c != '\r' && c != '\t'; }));
}

aws::Timestamp timestamp(WallTime time) { return {std::chrono::floor<std::chrono::seconds>(time)}; }

}  // namespace instantstart::sandbox::iam
