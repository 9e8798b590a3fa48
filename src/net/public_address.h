// Which addresses belong to the public Internet: the guard against requests that a user steers into our own
// network (cloud metadata, loopback services, neighbours).
#pragma once

#include <boost/asio/ip/address.hpp>

namespace instantstart::net {

/// True for globally reachable unicast addresses by the IANA special-purpose registries (RFC 6890). False for
/// loopback, link-local, private, shared (RFC 6598), multicast, reserved and documentation addresses, and for
/// IPv6 addresses that carry such an IPv4 address: mapped (RFC 4291), NAT64 (RFC 6052), 6to4 (RFC 3056).
bool is_public_address(const boost::asio::ip::address& address);

}  // namespace instantstart::net
