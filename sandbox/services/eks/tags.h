// Tags of clusters, add-ons, access entries and pod identity associations.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sandbox/services/eks/state.h"

namespace instantstart::sandbox::eks {

using TagMap = std::map<std::string, std::string>;

/// Keys that begin with "aws:" are for services that call for the user ("aws:cloudformation:stack-name").
std::optional<AwsFault> refuse_tags(const Call& call, const std::optional<TagMap>& tags);
/// Empty for what has none.
TagMap tags_of(const State& state, const std::optional<std::string>& arn);

Reply<aws::eks::TagResourceResponse> tag_resource(State& state, const Call& call,
                                                  const aws::eks::TagResourceRequest& in);
Reply<aws::eks::UntagResourceResponse> untag_resource(State& state, const Call& call,
                                                      const aws::eks::UntagResourceRequest& in);
Reply<aws::eks::ListTagsForResourceResponse> list_tags_for_resource(
    State& state, const Call& call, const aws::eks::ListTagsForResourceRequest& in);

}  // namespace instantstart::sandbox::eks
