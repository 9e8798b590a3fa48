#include "aws/shapes/shape.h"

#include <algorithm>

#include "aws/shapes/access.h"

namespace instantstart::aws {

const MemberInfo* ShapeInfo::member(std::string_view api_name) const {
  const auto found = std::ranges::find(members, api_name, &MemberInfo::name);
  return found == members.end() ? nullptr : &*found;
}

const OperationInfo* ServiceInfo::operation(std::string_view operation_name) const {
  const auto found = std::ranges::lower_bound(operations, operation_name, {}, &OperationInfo::name);
  return found == operations.end() || (*found)->name != operation_name ? nullptr : *found;
}

const ErrorInfo* ServiceInfo::error(std::string_view code) const {
  const auto found = std::ranges::lower_bound(errors, code, {}, &ErrorInfo::code);
  return found == errors.end() || (*found)->code != code ? nullptr : *found;
}

constinit const ShapeInfo k_empty_shape{
    .name = "Empty", .kind = ShapeKind::structure, .lifetime = &k_lifetime<Empty>};

}  // namespace instantstart::aws
