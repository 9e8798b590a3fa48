// Elastic IP addresses.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/services/ec2/state.h"

namespace instantstart::sandbox::ec2 {

/// Maps the address to the interface, on both records; both exist and are free. The id of the association.
std::string associate_address(State& state, std::string_view region, std::string_view allocation_id,
                              std::string_view interface_id);
/// Nothing happens when that association has ended: the address may be mapped to something else by now.
void disassociate_address(State& state, std::string_view region, std::string_view allocation_id,
                          std::string_view association_id);

Reply<aws::ec2::AllocateAddressResult> allocate_address(State& state, const Call& call,
                                                        const aws::ec2::AllocateAddressRequest& in);
Reply<aws::ec2::DescribeAddressesResult> describe_addresses(State& state, const Call& call,
                                                            const aws::ec2::DescribeAddressesRequest& in);
Reply<aws::Empty> release_address(State& state, const Call& call, const aws::ec2::ReleaseAddressRequest& in);

}  // namespace instantstart::sandbox::ec2
