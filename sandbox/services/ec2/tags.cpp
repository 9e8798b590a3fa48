#include "sandbox/services/ec2/tags.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/services/ec2/errors.h"
#include "sandbox/services/ec2/paging.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::Tag;
using aws::ec2::TagDescription;

/// "Tag restrictions" in the EC2 user guide.
constexpr std::size_t k_most_tags = 50;
constexpr std::size_t k_longest_key = 128;
constexpr std::size_t k_longest_value = 256;
constexpr std::string_view k_reserved = "aws:";

constexpr std::array<FilterName, 5> k_filters{{{"key", "Key"},
                                               {"resource-id", "ResourceId"},
                                               {"resource-type", "ResourceType"},
                                               {"value", "Value"},
                                               {"tag:", ""}}};

std::optional<AwsFault> refusal_of(const Call& call, const Tag& tag) {
  const std::string key = tag.key.value_or("");
  if (key.empty()) return missing_parameter("Tag.Key").error();
  if (key.starts_with(k_reserved) && call.invoked_by.empty()) {
    return invalid_parameter("Tag keys starting with 'aws:' are reserved for internal use").error();
  }
  if (code_points(key) > k_longest_key) {
    return invalid_parameter(
               fmt::format("Tag key exceeds the maximum length of {} characters", k_longest_key))
        .error();
  }
  if (code_points(tag.value.value_or("")) > k_longest_value) {
    return invalid_parameter(
               fmt::format("Tag value exceeds the maximum length of {} characters", k_longest_value))
        .error();
  }
  return std::nullopt;
}

Reply<TagMap> checked(const Call& call, const std::vector<Tag>& tags) {
  TagMap map;
  for (const auto& tag : tags) {
    if (auto refusal = refusal_of(call, tag)) return std::unexpected(std::move(*refusal));
    if (!map.emplace(*tag.key, tag.value.value_or("")).second) {
      return invalid_parameter(fmt::format("Duplicate tag key '{}' specified.", *tag.key));
    }
  }
  return map;
}

std::unexpected<AwsFault> too_many() {
  return fault("TagLimitExceeded", "The maximum number of Tags for a resource has been reached.");
}

std::optional<AwsFault> missing_resource(const State& state, const Call& call,
                                         const std::vector<std::string>& ids) {
  if (ids.empty()) return missing_parameter("resourceIdSet").error();
  for (const auto& id : ids) {
    const ResourceKindInfo* kind = kind_of_id(id);
    if (!kind) return fault("InvalidID", fmt::format("The ID '{}' is not valid", id)).error();
    if (!state.exists(kind->kind, call.region, id)) return not_found(kind->kind, id).error();
  }
  return std::nullopt;
}

/// Whether DeleteTags with `tags` takes this one away.
bool is_deleted(const std::vector<Tag>& tags, const std::string& key, const std::string& value) {
  if (key.starts_with(k_reserved)) return false;
  if (tags.empty()) return true;
  for (const auto& tag : tags) {
    if (tag.key == key && (!tag.value || *tag.value == value)) return true;
  }
  return false;
}

}  // namespace

Reply<TagMap> requested_tags(const Call& call, ResourceKind kind,
                             const std::optional<std::vector<aws::ec2::TagSpecification>>& specifications) {
  TagMap all;
  for (const auto& specification : aws::items(specifications)) {
    const std::string type = specification.resource_type.value_or("");
    if (type != kind_info(kind).tag_type) {
      return invalid_parameter(
          fmt::format("'{}' is not a valid taggable resource type for this operation.", type));
    }
    auto tags = checked(call, aws::items(specification.tags));
    if (!tags) return tags;
    all.merge(*tags);
    if (!tags->empty()) {
      return invalid_parameter(fmt::format("Duplicate tag key '{}' specified.", tags->begin()->first));
    }
  }
  if (all.size() > k_most_tags) return too_many();
  return all;
}

void put_tags(State& state, std::string_view region, std::string_view id, const TagMap& tags) {
  if (tags.empty()) return;
  const std::string key = regional_id(region, id);
  const TagSet* found = state.tags.find(key);
  TagSet set = found ? *found : TagSet{};
  for (const auto& [name, value] : tags) set.tags.insert_or_assign(name, value);
  state.tags.put(key, std::move(set));
}

void forget_tags(State& state, std::string_view region, std::string_view id) {
  state.tags.erase(regional_id(region, id));
}

std::vector<Tag> tags_of(const State& state, std::string_view region, std::string_view id) {
  std::vector<Tag> tags;
  if (const TagSet* found = state.tags.find(regional_id(region, id))) {
    for (const auto& [key, value] : found->tags) tags.push_back({.key = key, .value = value});
  }
  return tags;
}

Reply<aws::Empty> create_tags(State& state, const Call& call, const aws::ec2::CreateTagsRequest& in) {
  const auto& ids = aws::items(in.resources);
  if (auto missing = missing_resource(state, call, ids)) return std::unexpected(std::move(*missing));
  if (aws::items(in.tags).empty()) return missing_parameter("tagSet");
  auto tags = checked(call, *in.tags);
  if (!tags) return std::unexpected(std::move(tags.error()));
  for (const auto& id : ids) {
    const TagSet* found = state.tags.find(regional_id(call.region, id));
    TagMap merged = found ? found->tags : TagMap{};
    merged.insert(tags->begin(), tags->end());
    if (merged.size() > k_most_tags) return too_many();
  }
  for (const auto& id : ids) put_tags(state, call.region, id, *tags);
  return {};
}

Reply<aws::Empty> delete_tags(State& state, const Call& call, const aws::ec2::DeleteTagsRequest& in) {
  const auto& ids = aws::items(in.resources);
  if (auto missing = missing_resource(state, call, ids)) return std::unexpected(std::move(*missing));
  for (const auto& id : ids) {
    state.tags.edit(regional_id(call.region, id), [&in](TagSet& set) {
      std::erase_if(set.tags, [&in](const auto& tag) {
        return is_deleted(aws::items(in.tags), tag.first, tag.second);
      });
    });
  }
  return {};
}

Reply<aws::ec2::DescribeTagsResult> describe_tags(State& state, const Call& call,
                                                  const aws::ec2::DescribeTagsRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  std::vector<std::pair<std::string, TagDescription>> sorted;
  const std::string prefix = regional_id(call.region, "");
  for (const auto& [key, set] : state.tags.starting_with(prefix)) {
    const std::string id = key.substr(prefix.size());
    const ResourceKindInfo* kind = kind_of_id(id);
    for (const auto& [name, value] : set.tags) {
      sorted.emplace_back(fmt::format("{}/{}", id, name),
                          TagDescription{.key = name,
                                         .resource_id = id,
                                         .resource_type = std::string(kind ? kind->tag_type : ""),
                                         .value = value});
    }
  }
  auto page = page_of(std::move(sorted), *filters, page_request(in));
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeTagsResult{.next_token = page->next_token, .tags = std::move(page->items)};
}

}  // namespace instantstart::sandbox::ec2
