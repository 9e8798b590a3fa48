// What the server fills in. Built-in kinds: the SetDefaults functions of Kubernetes as tables. Custom kinds:
// `default` in their schema. Run it after decoding and after every patch, before validation; running it twice
// changes nothing.
#pragma once

#include "base/json.h"
#include "sandbox/kubernetes/objects/schema.h"

namespace instantstart::sandbox::kubernetes {

json::object with_defaults(json::object object, const ObjectSchema& schema);

}  // namespace instantstart::sandbox::kubernetes
