// Idempotency tokens of acts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "operations/step_record.h"

namespace instantstart::operations {

/// 32 characters of [a-z2-7] that depend on nothing but these values: the same on every repeat of one act, in
/// every process. AWS takes them wherever it takes a token (the narrowest: 1-64 characters, EFS
/// CreationToken).
std::string act_token(std::string_view operation_id, const StepKey& step, std::int64_t generation);

}  // namespace instantstart::operations
