// What AWS gives every account in every region.
#pragma once

#include <string_view>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

/// The first time that a region is used: its default VPC, with a subnet in each zone, an internet gateway and
/// a route to it. Later nothing happens, even when the user has deleted that VPC.
void ensure_region(State& state, std::string_view region);

}  // namespace instantstart::sandbox::ec2
