// Structures as JSON on the wire: keys are wire names, times are epoch seconds, blobs base64.
#pragma once

#include <boost/json/object.hpp>

#include "aws/protocols/fault.h"
#include "aws/shapes/shape.h"
#include "base/json.h"

namespace instantstart::aws {

/// Which members of the outermost structure belong into the body: all (json), or those without another place
/// (rest-json).
enum class BodyMembers { all, without_location };

json::object json_from_structure(const ShapeInfo& shape, const void* structure,
                                 BodyMembers members = BodyMembers::all);

/// Members that the shape does not know are skipped: AWS adds them at any time. Null is absent, also in lists
/// and maps. A number or boolean in quotes is read as one, and one where a string belongs as its text.
Walked structure_from_json(const ShapeInfo& shape, const json::value& value, void* structure,
                           BodyMembers members = BodyMembers::all);

}  // namespace instantstart::aws
