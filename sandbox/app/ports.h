// The ports of earlier runs: a kubeconfig or an exported endpoint stays good after a restart.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/describe.h"
#include "base/result.h"
#include "store/state_directory.h"

namespace instantstart::sandbox {

inline constexpr std::string_view k_ports_file = "ports.json";

/// 0: none.
struct Ports {
  std::int32_t aws = 0;
  std::int32_t kubernetes = 0;
};
Type describe(Ports*);

/// Those of the last run; none when there was none, or its file says nothing that is understood: then free
/// ports do.
Ports read_ports(const store::StateDirectory& state);
Result<> write_ports(const store::StateDirectory& state, const Ports& ports);

}  // namespace instantstart::sandbox
