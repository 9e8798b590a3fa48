// The path templates of the REST protocols: "/clusters/{name}/addons", "/{Bucket}/{Key+}?uploads".
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aws/protocols/fault.h"
#include "aws/protocols/http_parts.h"

namespace instantstart::aws {

struct UriTemplate {
  std::string_view path;
  std::vector<NamedText> query;  ///< constant parameters
};

UriTemplate split_uri(std::string_view uri);

/// The path with each label percent-encoded; a greedy one ("{Key+}") keeps its slashes. An absent or empty
/// label is a fault: it would name another resource.
std::expected<std::string, Fault> expand_path(
    std::string_view path, const std::function<std::optional<std::string>(std::string_view label)>& value);

using Labels = std::map<std::string, std::string, std::less<>>;

/// The decoded labels when the path fits the template. A slash after the last segment does not matter, unless
/// a greedy label takes it.
std::optional<Labels> match_path(std::string_view path_template, std::string_view path);

/// How many segments are constant: of two templates that fit, the one with more is meant.
std::size_t constant_segments(std::string_view path_template);

}  // namespace instantstart::aws
