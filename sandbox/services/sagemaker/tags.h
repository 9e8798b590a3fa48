// Tags of clusters.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/services/sagemaker/state.h"

namespace instantstart::sandbox::sagemaker {

/// One key twice, a key that is AWS's, or more than 50 with those that are there.
std::optional<AwsFault> refuse_tags(const std::vector<api::Tag>& tags,
                                    const std::map<std::string, std::string>& present);
void put_tags(State& state, const std::string& arn, const std::vector<api::Tag>& tags);

Reply<api::AddTagsOutput> add_tags(State& state, const Call& call, const api::AddTagsInput& in);
Reply<api::ListTagsOutput> list_tags(State& state, const Call& call, const api::ListTagsInput& in);
Reply<api::DeleteTagsOutput> delete_tags(State& state, const Call& call, const api::DeleteTagsInput& in);

}  // namespace instantstart::sandbox::sagemaker
