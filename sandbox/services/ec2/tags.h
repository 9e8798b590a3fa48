// Tags of all kinds of resources.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

using TagMap = std::map<std::string, std::string>;

/// The tags that a create call asks for. Refuses specifications of other kinds of resources, doubled or too
/// long keys, too many, and reserved keys unless one of AWS's services calls.
Reply<TagMap> requested_tags(const Call& call, ResourceKind kind,
                             const std::optional<std::vector<aws::ec2::TagSpecification>>& specifications);

/// Adds to what is there, without checks.
void put_tags(State& state, std::string_view region, std::string_view id, const TagMap& tags);
void forget_tags(State& state, std::string_view region, std::string_view id);
/// As shapes carry them, by key. Present and empty when there are none, as EC2 answers.
std::vector<aws::ec2::Tag> tags_of(const State& state, std::string_view region, std::string_view id);

/// The record with its tags.
template <class Record>
Record with_tags(const State& state, std::string_view region, std::string_view id, Record record) {
  record.tags = tags_of(state, region, id);
  return record;
}

Reply<aws::Empty> create_tags(State& state, const Call& call, const aws::ec2::CreateTagsRequest& in);
Reply<aws::Empty> delete_tags(State& state, const Call& call, const aws::ec2::DeleteTagsRequest& in);
Reply<aws::ec2::DescribeTagsResult> describe_tags(State& state, const Call& call,
                                                  const aws::ec2::DescribeTagsRequest& in);

}  // namespace instantstart::sandbox::ec2
