// What refers to what in a template, and so what must be made before what. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/services/cloudformation/template/template.h"

namespace instantstart::sandbox::cloudformation {

/// A piece of an Fn::Sub text: literal, or the name between `${` and `}`. "${!x}" is the literal "${x}".
struct SubPart {
  std::string text;
  bool is_name = false;
};
std::vector<SubPart> sub_parts(std::string_view text);

struct GetAttTarget {
  std::string logical_id;
  std::string attribute;
};
/// Of ["Vpc", "CidrBlock"] or "Vpc.CidrBlock"; nullopt for anything else.
std::optional<GetAttTarget> get_att_target(const json::value& argument);

/// The names that the value refers to: of resources, parameters and pseudo parameters.
struct References {
  std::set<std::string> refs;
  std::vector<GetAttTarget> attributes;
};
References references_of(const json::value& value);

using Dependencies = std::map<std::string, std::set<std::string>>;

/// For each resource, the resources that it needs: those of DependsOn and those that it refers to.
/// ValidationError for names that are not there and for cycles.
Reply<Dependencies> dependencies_of(const Template& source);

}  // namespace instantstart::sandbox::cloudformation
