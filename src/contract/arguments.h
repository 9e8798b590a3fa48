// The arguments of a call: the action's own members and those that every change or every list takes. They
// come as one flat object, whatever the face.
#pragma once

#include <memory>
#include <vector>

#include "contract/action.h"

namespace instantstart::contract {

/// A member that an action takes, and the type that it is a field of (whose default object has its default
/// value).
struct Member {
  const Type* owner;
  const Field* field;
};

std::vector<Member> members_of(const Type& type);

/// All members that an action takes: its own in table order, then those of ChangeOptions or PageOptions.
std::vector<Member> members_of(const Action& action);

struct Arguments {
  std::shared_ptr<void> request;  ///< Of the action's request type.
  ChangeOptions change;           ///< Filled for everything but reads.
  PageOptions page;               ///< Filled for paged actions.
};

/// Decodes what a caller sent. Error `invalid_request` with everything that is wrong.
Result<Arguments> decode_arguments(const Action& action, const json::value& sent, DecodeOptions options = {});

}  // namespace instantstart::contract
