// The name of a container image, with its tag or digest.
#pragma once

#include "base/describe.h"

namespace instantstart::domain {

struct ImageName : Text<ImageName> {};
Type describe(ImageName*);

}  // namespace instantstart::domain
