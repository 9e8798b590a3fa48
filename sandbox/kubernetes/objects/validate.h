// The rules an object must keep, beyond its types. The order of a write is: decode_object (or a patch, then
// check_fields), with_defaults, prune (custom kinds), validate_create or validate_update, then managed fields
// (apply.h). Causes come in field order; an empty list means valid. `invalid` in status.h makes the 422 of
// them.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "sandbox/kubernetes/objects/schema.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

/// Metadata (names as the kind wants them, labels, annotations, owners), required and enumerated fields, and
/// the rules of the built-in kinds; of custom ones their schema. Expects `metadata.name` to be set already
/// (generateName done).
StatusCauses validate_create(const ObjectSchema& schema, const json::object& object);

/// As for creation, and what must not change: metadata, pod specs, selectors, claims, clusterIP … `before` is
/// what is stored. Expects both to be defaulted.
StatusCauses validate_update(const ObjectSchema& schema, const json::object& before,
                             const json::object& after);

/// For the `status` subresource: metadata rules only (custom kinds: the schema too).
StatusCauses validate_status_update(const ObjectSchema& schema, const json::object& before,
                                    const json::object& after);

/// The schema's rules for any value: types, required, enum, pattern, limits, allOf …, list sets and maps
/// without doubles. `field` is the path that causes start with.
StatusCauses validate_value(const Schema& schema, const json::value& value, std::string_view field);

// Names. Each returns "" or the reason, in kube's words.
std::string check_dns1123_label(std::string_view text);
std::string check_dns1123_subdomain(std::string_view text);
std::string check_dns1035_label(std::string_view text);
std::string check_qualified_name(std::string_view text);  ///< Label and annotation keys: "example.com/name".
std::string check_label_value(std::string_view text);
std::string check_path_segment(std::string_view text);  ///< Names of RBAC objects.

/// `metadata.generateName` with the five letters of `suffix` (k8s.io: rand.String alphabet); the base is cut
/// to 58.
std::string generated_name(std::string_view base, std::string_view suffix);

}  // namespace instantstart::sandbox::kubernetes
