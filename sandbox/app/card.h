// What a running sandbox tells about itself: `sandbox.json` in its state directory (mode 0600), and one line
// for the process that started it.
#pragma once

#include <map>
#include <string>

#include "base/describe.h"

namespace instantstart::sandbox {

inline constexpr std::string_view k_card_file = "sandbox.json";
/// Holds the number of a descriptor that the card is written to, as one line of JSON, once calls are
/// answered.
inline constexpr const char* k_ready_variable = "INSTANTSTART_READY_FD";

struct SandboxCard {
  std::string url;      ///< "http://127.0.0.1:4566"
  std::string account;  ///< 12 digits
  /// AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_DEFAULT_REGION.
  std::map<std::string, std::string> environment;
};
Type describe(SandboxCard*);

}  // namespace instantstart::sandbox
