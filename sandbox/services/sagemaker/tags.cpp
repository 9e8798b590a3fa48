#include "sandbox/services/sagemaker/tags.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/services/sagemaker/errors.h"
#include "sandbox/services/sagemaker/limits.h"
#include "sandbox/services/sagemaker/paging.h"

namespace instantstart::sandbox::sagemaker {
namespace {

constexpr std::int64_t k_tags_page = 50;

/// A cluster's ARN; anything else that SageMaker tags is not here.
Reply<std::string> tagged(const State& state, const std::string& arn) {
  if (state.tags.contains(arn)) return arn;
  if (!arn.contains(":cluster/")) return not_simulated("tags of anything but clusters");
  return fault("ResourceNotFound", fmt::format("Resource {} does not exist.", arn));
}

std::vector<api::Tag> list_of(const std::map<std::string, std::string>& tags) {
  std::vector<api::Tag> all;
  for (const auto& [key, value] : tags) all.push_back({.key = key, .value = value});
  return all;
}

}  // namespace

std::optional<AwsFault> refuse_tags(const std::vector<api::Tag>& tags,
                                    const std::map<std::string, std::string>& present) {
  std::set<std::string> keys;
  std::size_t count = present.size();
  for (const auto& tag : tags) {
    if (to_lower(*tag.key).starts_with("aws:")) {
      return validation(fmt::format("Tag key {} begins with aws:, which is reserved.", *tag.key)).error();
    }
    if (!keys.insert(*tag.key).second) {
      return validation(fmt::format("Duplicate tag keys found: {}.", *tag.key)).error();
    }
    if (!present.contains(*tag.key)) ++count;
  }
  if (count <= k_most_tags) return std::nullopt;
  return AwsFault{.code = "ResourceLimitExceeded",
                  .message = fmt::format("A resource can have {} tags at most.", k_most_tags)};
}

void put_tags(State& state, const std::string& arn, const std::vector<api::Tag>& tags) {
  const TagSet* present = state.tags.find(arn);
  TagSet all = present ? *present : TagSet{};
  for (const auto& tag : tags) all.tags[*tag.key] = *tag.value;
  state.tags.put(arn, std::move(all));
}

Reply<api::AddTagsOutput> add_tags(State& state, const Call&, const api::AddTagsInput& in) {
  const auto arn = tagged(state, *in.resource_arn);
  if (!arn) return std::unexpected(arn.error());
  const auto& tags = aws::items(in.tags);
  if (auto refusal = refuse_tags(tags, state.tags.find(*arn)->tags))
    return std::unexpected(std::move(*refusal));
  put_tags(state, *arn, tags);
  return api::AddTagsOutput{.tags = list_of(state.tags.find(*arn)->tags)};
}

Reply<api::ListTagsOutput> list_tags(State& state, const Call&, const api::ListTagsInput& in) {
  const auto arn = tagged(state, *in.resource_arn);
  if (!arn) return std::unexpected(arn.error());
  std::vector<std::pair<std::string, api::Tag>> all;
  for (auto& tag : list_of(state.tags.find(*arn)->tags)) all.emplace_back(*tag.key, tag);
  auto page = page_of(std::move(all), in, false, k_tags_page);
  if (!page) return std::unexpected(std::move(page.error()));
  return api::ListTagsOutput{.tags = std::move(page->items), .next_token = std::move(page->next_token)};
}

Reply<api::DeleteTagsOutput> delete_tags(State& state, const Call&, const api::DeleteTagsInput& in) {
  const auto arn = tagged(state, *in.resource_arn);
  if (!arn) return std::unexpected(arn.error());
  state.tags.edit(*arn, [&in](TagSet& record) {
    for (const auto& key : aws::items(in.tag_keys)) record.tags.erase(key);
  });
  return api::DeleteTagsOutput{};
}

}  // namespace instantstart::sandbox::sagemaker
