// When two operations may not run at the same time.
#pragma once

#include <string>
#include <string_view>

#include "operations/kind.h"

namespace instantstart::operations {

/// What an operation holds while it is active.
struct Claim {
  std::string subject;
  Scope scope = Scope::tree;
  bool removes = false;
};

/// Of operations of one root there is never a conflict; that is for the caller to know.
///  * Equal subjects conflict.
///  * Where one is above the other, they conflict if the upper one removes its subject, or if both hold
///  trees.
bool in_conflict(const Claim& a, const Claim& b);

/// The first kind and name of a subject, "cluster/a" of "cluster/a/group/g": subjects that overlap share it.
std::string_view area_of(std::string_view subject);

}  // namespace instantstart::operations
