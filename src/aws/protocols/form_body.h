// Structures as flat name=value pairs: the request bodies of query and ec2. "Filter.1.Name=vpc-id".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "aws/protocols/fault.h"
#include "aws/protocols/http_parts.h"
#include "aws/shapes/shape.h"

namespace instantstart::aws {

/// query writes lists as "P.member.1" and an empty one as "P="; ec2 writes "P.1", and nothing for an empty
/// one.
enum class FormStyle { query, ec2 };

void append_form(FormStyle style, const ShapeInfo& shape, const void* structure,
                 std::vector<NamedText>& pairs);

/// The pairs as a tree, split at the dots of their names.
struct FormNode {
  std::string value;
  std::map<std::string, FormNode, std::less<>> children;

  const FormNode* child(std::string_view name) const;
};

/// A name with more parts than a value may be deep is a fault.
std::expected<FormNode, Fault> form_tree(const std::vector<NamedText>& pairs);

/// Names that the shape does not know are skipped. List items come in the order of their numbers, gaps or
/// not.
Walked structure_from_form(FormStyle style, const ShapeInfo& shape, const FormNode& form, void* structure);

}  // namespace instantstart::aws
