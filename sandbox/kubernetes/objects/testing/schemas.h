// Types for tests: the built-in ones, unpacked once a program, and a small custom kind.
#pragma once

#include <string_view>

#include "base/json.h"
#include "sandbox/kubernetes/objects/schema.h"

namespace instantstart::sandbox::kubernetes::testing {

/// JSON in single quotes, so that tests read well: {'a': 1}.
json::value from_text(std::string_view text);
json::object object_from(std::string_view text);

/// Ends the process when there is no such type.
const ObjectSchema& built_in(std::string_view group, std::string_view version, std::string_view kind);

/// A CustomResourceDefinition `widgets.example.com`, v1, with this schema of `spec` and the status
/// subresource.
json::object widget_definition(std::string_view spec_schema);
std::shared_ptr<const ObjectSchema> widget(std::string_view spec_schema);

}  // namespace instantstart::sandbox::kubernetes::testing
