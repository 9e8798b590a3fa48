// How an Error is stored and shown inside an operation.
#include "contract/answers.h"
#include "operations/operation.h"

namespace instantstart {
namespace {

/// std::chrono types have no table of their own: what a number of milliseconds means depends on its place.
const Type& milliseconds_type() {
  static const Type k_type = [] {
    Type type{.kind = Kind::integer, .rule = {.min = 0}};
    type.access.set_integer = [](void* p, std::int64_t v) {
      *static_cast<std::chrono::milliseconds*>(p) = std::chrono::milliseconds(v);
    };
    type.access.get_integer = [](const void* p) -> std::int64_t {
      return static_cast<const std::chrono::milliseconds*>(p)->count();
    };
    return type;
  }();
  return k_type;
}

Field retry_after_field() {
  return {.name = "retry_after_ms",
          .doc = "When a repeat may help, in milliseconds from then.",
          .type = &milliseconds_type,
          .options = {},
          .optional = true,
          .emplace = [](void* p) -> void* { return &static_cast<Error*>(p)->retry_after.emplace(); },
          .peek = [](const void* p) -> const void* {
            const auto& value = static_cast<const Error*>(p)->retry_after;
            return value ? &*value : nullptr;
          }};
}

}  // namespace

Type describe(Error*) {
  return object_type<Error>(
      "OperationError", "Why something stopped.",
      {field<&Error::code>("code", "Stable, for programs.", {.examples = {"name_taken"}}),
       field<&Error::message>("message", "For people."),
       field<&Error::retryable>("retryable", "A later repeat may help without a change.",
                                {.defaulted = true}),
       retry_after_field(),
       field<&Error::problems>("problems", "What is wrong with the values given.", {.defaulted = true}),
       field<&Error::next>("next", "Actions that may help.", {.defaulted = true}),
       field<&Error::detail>("detail", "Facts for programs.", {.defaulted = true})});
}

}  // namespace instantstart
