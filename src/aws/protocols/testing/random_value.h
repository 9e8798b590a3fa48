// Random values of any shape, for tests that hold for all of them.
#pragma once

#include "aws/shapes/shape.h"
#include "base/random.h"

namespace instantstart::aws::testing {

struct RandomOptions {
  /// Forms, headers and flattened lists know no empty list, map or structure.
  bool empty_collections = true;
};

/// Fills a default structure with what is required and most of the rest. Lengths and numbers start at the
/// model's minimum, so that the value passes `validate`; text fits its place (no control characters, plain in
/// headers), and so do times.
void fill_random(const ShapeInfo& shape, void* structure, Random& random, RandomOptions options = {});

}  // namespace instantstart::aws::testing
