#include "sandbox/services/eks/tags.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/core/arn.h"
#include "sandbox/services/eks/errors.h"

namespace instantstart::sandbox::eks {
namespace {

/// "Tag restrictions" in the EKS user guide.
constexpr std::size_t k_most_tags = 50;
constexpr std::size_t k_longest_key = 128;
constexpr std::size_t k_longest_value = 256;
constexpr std::string_view k_reserved = "aws:";

std::unexpected<AwsFault> bad_request(std::string message) {
  return fault("BadRequestException", std::move(message));
}

/// A complaint, if there is one.
std::optional<std::string> complaint(const Call& call, const TagMap& tags) {
  if (tags.size() > k_most_tags) return fmt::format("The maximum number of tags is {}.", k_most_tags);
  for (const auto& [key, value] : tags) {
    if (key.empty() || code_points(key) > k_longest_key) {
      return fmt::format("Tag keys must have 1 to {} characters.", k_longest_key);
    }
    if (key.starts_with(k_reserved) && call.invoked_by.empty()) {
      return fmt::format("Tag key '{}' is reserved for internal use.", key);
    }
    if (code_points(value) > k_longest_value) {
      return fmt::format("Tag values must have at most {} characters.", k_longest_value);
    }
  }
  return std::nullopt;
}

Reply<const TagSet*> find_tags(const State& state, const Call& call, const std::string& arn) {
  const std::string here = make_arn("eks", call.region, state.world.account(), "");
  if (!arn.starts_with(here)) {
    return bad_request(fmt::format("Invalid resource ARN: {}", shortened(arn, 200)));
  }
  const TagSet* found = state.tags.find(arn);
  if (found) return found;
  return fault("NotFoundException", fmt::format("Resource not found: {}", shortened(arn, 200)));
}

}  // namespace

std::optional<AwsFault> refuse_tags(const Call& call, const std::optional<TagMap>& tags) {
  if (!tags) return std::nullopt;
  auto reason = complaint(call, *tags);
  if (!reason) return std::nullopt;
  return invalid_parameter(std::move(*reason)).error();
}

TagMap tags_of(const State& state, const std::optional<std::string>& arn) {
  const TagSet* found = arn ? state.tags.find(*arn) : nullptr;
  return found ? found->tags : TagMap();
}

Reply<aws::eks::TagResourceResponse> tag_resource(State& state, const Call& call,
                                                  const aws::eks::TagResourceRequest& in) {
  const auto found = find_tags(state, call, *in.resource_arn);
  if (!found) return std::unexpected(found.error());
  if (auto reason = complaint(call, *in.tags)) return bad_request(std::move(*reason));
  TagMap merged = *in.tags;
  merged.insert((*found)->tags.begin(), (*found)->tags.end());
  if (merged.size() > k_most_tags) {
    return bad_request(fmt::format("The maximum number of tags is {}.", k_most_tags));
  }
  state.tags.put(*in.resource_arn, {.tags = std::move(merged)});
  return {};
}

Reply<aws::eks::UntagResourceResponse> untag_resource(State& state, const Call& call,
                                                      const aws::eks::UntagResourceRequest& in) {
  const auto found = find_tags(state, call, *in.resource_arn);
  if (!found) return std::unexpected(found.error());
  for (const auto& key : *in.tag_keys) {
    if (key.starts_with(k_reserved) && call.invoked_by.empty()) {
      return bad_request(fmt::format("Tag key '{}' is reserved for internal use.", key));
    }
  }
  state.tags.edit(*in.resource_arn, [&in](TagSet& set) {
    for (const auto& key : *in.tag_keys) set.tags.erase(key);
  });
  return {};
}

Reply<aws::eks::ListTagsForResourceResponse> list_tags_for_resource(
    State& state, const Call& call, const aws::eks::ListTagsForResourceRequest& in) {
  const auto found = find_tags(state, call, *in.resource_arn);
  if (!found) return std::unexpected(found.error());
  return aws::eks::ListTagsForResourceResponse{.tags = (*found)->tags};
}

}  // namespace instantstart::sandbox::eks
