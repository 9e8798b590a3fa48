#include "sandbox/services/eks/trust.h"

#include <algorithm>

namespace instantstart::sandbox::eks {
namespace {

/// Policies write one text or a list of them.
template <class Test>
bool any_text(const json::value* value, Test test) {
  if (!value) return false;
  if (value->is_string()) return test(std::string_view(value->get_string()));
  if (!value->is_array()) return false;
  return std::ranges::any_of(value->get_array(), [&test](const json::value& one) {
    return one.is_string() && test(std::string_view(one.get_string()));
  });
}

bool allows(const json::value& statement, std::string_view service) {
  const auto* object = statement.if_object();
  if (!object) return false;
  const auto* effect = object->if_contains("Effect");
  if (!effect || *effect != "Allow") return false;
  const auto* principal = object->if_contains("Principal");
  const auto* named = principal ? principal->if_object() : nullptr;
  return named && any_text(named->if_contains("Service"), [&](auto text) { return text == service; }) &&
         any_text(object->if_contains("Action"),
                  [](auto text) { return text == "sts:AssumeRole" || text == "sts:*" || text == "*"; });
}

}  // namespace

bool trusts_service(const json::object& trust_policy, std::string_view service) {
  const auto* statements = trust_policy.if_contains("Statement");
  if (!statements) return false;
  if (!statements->is_array()) return allows(*statements, service);
  return std::ranges::any_of(statements->get_array(),
                             [service](const json::value& one) { return allows(one, service); });
}

}  // namespace instantstart::sandbox::eks
