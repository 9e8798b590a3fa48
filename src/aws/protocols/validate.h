// What the model asks of an input, checked before anything is sent, and by a server after it was read.
#pragma once

#include <vector>

#include "aws/shapes/shape.h"
#include "base/error.h"

namespace instantstart::aws {

enum class Strictness {
  /// What botocore checks: required members, exactly one member of a union, minimum sizes; and that a label
  /// of the path is not
  /// empty. AWS raises maxima and adds enumeration values before its clients know, so they are left to it.
  client,
  /// Also maximum sizes and enumeration values, as a service does. Patterns are in Java's dialect and are not
  /// checked.
  service,
};

/// All problems, pointers in API names ("/InstanceGroups/0/InstanceCount"); values of sensitive shapes are
/// not shown.
std::vector<FieldProblem> validate(const ShapeInfo& shape, const void* structure, Strictness strictness);

}  // namespace instantstart::aws
