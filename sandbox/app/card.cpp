#include "sandbox/app/card.h"

namespace instantstart::sandbox {

Type describe(SandboxCard*) {
  using C = SandboxCard;
  return object_type<C>("SandboxCard", "How to call a running sandbox.",
                        {field<&C::url>("url", "The endpoint of every service."),
                         field<&C::account>("account", "The simulated account."),
                         field<&C::environment>("environment", "Variables for AWS clients.")});
}

}  // namespace instantstart::sandbox
