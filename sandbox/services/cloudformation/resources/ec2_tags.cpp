#include "sandbox/services/cloudformation/resources/ec2_tags.h"

namespace instantstart::sandbox::cloudformation {

namespace ec2 = aws::ec2;

std::vector<ec2::TagSpecification> tag_specifications(const ResourceContext& context, std::string_view kind) {
  ec2::TagSpecification specification{.resource_type = std::string(kind)};
  specification.tags.emplace();
  for (const auto& [key, value] : context.tags) specification.tags->push_back({.key = key, .value = value});
  return {std::move(specification)};
}

Reply<void> retag(const ResourceContext& context, const std::string& id) {
  std::vector<ec2::Tag> gone;
  std::vector<ec2::Tag> put;
  for (const auto& [key, value] : context.tags_before) {
    if (!context.tags.contains(key)) gone.push_back({.key = key});
  }
  for (const auto& [key, value] : context.tags) {
    const auto old = context.tags_before.find(key);
    if (old == context.tags_before.end() || old->second != value) put.push_back({.key = key, .value = value});
  }
  if (!gone.empty()) {
    auto done = context.ask<ec2::DeleteTags>({.resources = {{id}}, .tags = gone});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  if (!put.empty()) {
    auto done = context.ask<ec2::CreateTags>({.resources = {{id}}, .tags = put});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  return {};
}

}  // namespace instantstart::sandbox::cloudformation
