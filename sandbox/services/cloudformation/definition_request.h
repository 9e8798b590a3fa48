// What requests say about a template: read, completed and checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/record.h"
#include "sandbox/services/cloudformation/errors.h"
#include "sandbox/services/cloudformation/records.h"

namespace instantstart::sandbox::cloudformation {

/// Letters, digits and hyphens, a letter first, at most 128: the ValidationError of another.
std::optional<AwsFault> refuse_stack_name(std::string_view name);
std::optional<AwsFault> refuse_tags(const std::vector<api::Tag>& tags);

/// Template, parameters and tags as one; what is left out is the previous one's where a request may.
Reply<Definition> make_definition(const std::optional<std::string>& body, bool uses_previous,
                                  const std::vector<api::Parameter>& parameters,
                                  const std::optional<std::vector<api::Tag>>& tags,
                                  const Definition* previous);

/// Of a CreateStack, UpdateStack or CreateChangeSet request. What is not simulated is refused.
template <class Request>
Reply<Definition> definition_of(const Request& in, const Definition* previous) {
  if (in.template_url) {
    return invalid("The sandbox does not fetch TemplateURL; send the template as TemplateBody.");
  }
  if (in.rollback_configuration && !aws::items(in.rollback_configuration->rollback_triggers).empty()) {
    return invalid("The sandbox does not simulate rollback triggers.");
  }
  if (!aws::items(in.notification_arns).empty()) {
    return invalid("The sandbox does not simulate notifications.");
  }
  if (!aws::items(in.resource_types).empty()) return invalid("The sandbox does not simulate ResourceTypes.");
  if constexpr (requires { in.stack_policy_body; }) {
    if (in.stack_policy_body || in.stack_policy_url) {
      return invalid("The sandbox does not simulate stack policies.");
    }
  }
  bool uses_previous = false;
  if constexpr (requires { in.use_previous_template; }) {
    uses_previous = in.use_previous_template.value_or(false);
  }
  return make_definition(in.template_body, uses_previous, aws::items(in.parameters), in.tags, previous);
}

/// The stack that the token of the same request has made or changed before; nullopt when the token is new.
/// TokenAlreadyExistsException.
Reply<std::optional<std::string>> stack_of_token(const State& state, const Call& call,
                                                 std::string_view operation,
                                                 const std::optional<std::string>& token,
                                                 const json::object& request);
void remember_token(State& state, const Call& call, std::string_view operation,
                    const std::optional<std::string>& token, const json::object& request,
                    std::string_view stack_id);

}  // namespace instantstart::sandbox::cloudformation
