// A type of resource: what properties it has, and what calls make, watch, change and delete one. The engine
// knows no type by name.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/time.h"
#include "sandbox/core/internal_calls.h"
#include "sandbox/core/service.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox::cloudformation {

using Tags = std::map<std::string, std::string>;

/// What a change of a property does; "Update requires" in the resource reference.
enum class Update { in_place, replacement };

struct Property {
  std::string_view name;
  Update update = Update::replacement;
  bool required = false;
};

/// What surrounds one act on one resource.
struct ResourceContext {
  InternalCalls& calls;
  World& world;
  Call call;  ///< In the name of who started the stack's operation.
  std::string stack_name;
  std::string logical_id;
  Tags tags;              ///< The system's, the stack's and the resource's own.
  Tags tags_before = {};  ///< In an update: those that it had.

  template <class Op>
  Reply<typename Op::Output> ask(const typename Op::Input& input) const {
    return calls.call<Op>(call, input);
  }
  /// "stack-Logical-1A2B3C4D5E6F", as resources without a name of their own are called; at most `longest`.
  std::string made_up_name(std::size_t longest) const;
};

/// What a resource is once it is made. Attributes are what Fn::GetAtt gives: strings or lists of strings.
struct Made {
  std::string physical_id;
  json::object attributes;
};

/// How far a resource is on its way. Attributes are added to those it has.
struct Progress {
  bool done = true;
  json::object attributes = {};
};

struct ResourceType {
  std::string_view name;
  std::span<const Property> properties;
  std::span<const std::string_view> attributes;
  bool tagged = false;  ///< Gets the stack's tags.
  /// Until it is looked at for the first time. Shorter than AWS's where AWS's own time is the service's.
  milliseconds time_to_create = std::chrono::seconds(2);

  Reply<Made> (*create)(const ResourceContext& context, const json::object& properties);
  /// Asked after create and update until it is done; nullptr: done at once.
  Reply<Progress> (*check)(const ResourceContext& context, const Made& made,
                           const json::object& properties) = nullptr;
  /// Changes in place from `before` to `after`; nullptr: nothing to do but tags, if any.
  Reply<Made> (*update)(const ResourceContext& context, const Made& made, const json::object& before,
                        const json::object& after) = nullptr;
  /// Asked until it is done. What is not there is done; a fault that passes (is_passing) is asked again.
  Reply<Progress> (*remove)(const ResourceContext& context, const Made& made, const json::object& properties);

  const Property* property(std::string_view property_name) const;
  bool has_attribute(std::string_view attribute_name) const;
};

/// nullptr for a type that is not simulated.
const ResourceType* find_resource_type(std::string_view name);

/// Whether the thing is not there, by the fault of a call about it.
bool is_absent(const AwsFault& fault);
/// Whether the call may succeed later: something else still holds on to the resource.
bool is_passing(const AwsFault& fault);

// The tables, by service.
std::span<const ResourceType> vpc_types();
std::span<const ResourceType> gateway_types();
std::span<const ResourceType> routing_types();
std::span<const ResourceType> security_group_types();
std::span<const ResourceType> endpoint_types();
std::span<const ResourceType> iam_types();
std::span<const ResourceType> eks_cluster_types();
std::span<const ResourceType> eks_access_types();

}  // namespace instantstart::sandbox::cloudformation
