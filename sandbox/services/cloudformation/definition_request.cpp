#include "sandbox/services/cloudformation/definition_request.h"

#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/pattern.h"

namespace instantstart::sandbox::cloudformation {
namespace {

constexpr std::size_t k_most_tags = 50;

std::string token_key(const Call& call, std::string_view operation, std::string_view token) {
  return fmt::format("{}/{}/{}", call.region, operation, token);
}

std::string digest_of(const json::object& request) {
  return to_hex(sha256(to_canonical_text(json::value(request))));
}

}  // namespace

std::optional<AwsFault> refuse_stack_name(std::string_view name) {
  static const Pattern k_name("^[a-zA-Z][-a-zA-Z0-9]{0,127}$");
  if (k_name.matches(name)) return std::nullopt;
  return invalid(fmt::format(
                     "1 validation error detected: Value '{}' at 'stackName' failed to satisfy constraint: "
                     "Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*",
                     name))
      .error();
}

std::optional<AwsFault> refuse_tags(const std::vector<api::Tag>& tags) {
  if (tags.size() > k_most_tags) {
    return invalid(fmt::format("Invalid number of tags, maximum allowed is {}", k_most_tags)).error();
  }
  for (const auto& tag : tags) {
    if (!tag.key.value_or("").starts_with("aws:")) continue;
    return invalid("aws: prefixed tag key names are not allowed for external use.").error();
  }
  return std::nullopt;
}

Reply<Definition> make_definition(const std::optional<std::string>& body, bool uses_previous,
                                  const std::vector<api::Parameter>& parameters,
                                  const std::optional<std::vector<api::Tag>>& tags,
                                  const Definition* previous) {
  if (body.has_value() == uses_previous || (uses_previous && !previous)) {
    return invalid("Either Template URL or Template Body must be specified.");
  }
  Definition definition{.body = uses_previous ? previous->body : *body};
  const auto source = parse_template(definition.body);
  if (!source) return std::unexpected(source.error());
  auto texts = resolve_parameters(*source, parameters, previous ? &previous->parameters : nullptr);
  if (!texts) return std::unexpected(std::move(texts.error()));
  definition.parameters = std::move(*texts);
  if (!tags) {
    if (previous) definition.tags = previous->tags;
    return definition;
  }
  if (auto refusal = refuse_tags(*tags)) return std::unexpected(std::move(*refusal));
  for (const auto& tag : *tags)
    definition.tags.insert_or_assign(tag.key.value_or(""), tag.value.value_or(""));
  return definition;
}

Reply<std::optional<std::string>> stack_of_token(const State& state, const Call& call,
                                                 std::string_view operation,
                                                 const std::optional<std::string>& token,
                                                 const json::object& request) {
  if (!token) return std::nullopt;
  const UsedToken* used = state.tokens.find(token_key(call, operation, *token));
  if (!used) return std::nullopt;
  if (used->request == digest_of(request)) return std::optional(used->stack_id);
  return fault("TokenAlreadyExistsException",
               fmt::format("Request with token {} already exists for another {}", *token, operation));
}

void remember_token(State& state, const Call& call, std::string_view operation,
                    const std::optional<std::string>& token, const json::object& request,
                    std::string_view stack_id) {
  if (!token) return;
  state.tokens.put(token_key(call, operation, *token), {.operation = std::string(operation),
                                                        .request = digest_of(request),
                                                        .stack_id = std::string(stack_id)});
}

}  // namespace instantstart::sandbox::cloudformation
