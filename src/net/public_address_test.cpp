#include "net/public_address.h"

#include <string>

#include <gtest/gtest.h>

namespace instantstart::net {
namespace {

bool is_public(const std::string& text) { return is_public_address(boost::asio::ip::make_address(text)); }

TEST(PublicAddress, OrdinaryAddressesAreTaken) {
  for (const char* text :
       {"1.1.1.1",        "8.8.8.8",         "52.94.236.248",    "11.0.0.1",        "100.63.255.255",
        "100.128.0.0",    "126.255.255.255", "128.0.0.1",        "169.253.255.255", "169.255.0.0",
        "172.15.255.255", "172.32.0.0",      "192.167.255.255",  "192.169.0.0",     "198.17.255.255",
        "198.20.0.0",     "223.255.255.255", "2600:1f18::1",     "2a05:d018::1",    "2001:4860:4860::8888",
        "2001:200::1",    "::ffff:8.8.8.8",  "64:ff9b::808:808", "2002:808:808::1"}) {
    EXPECT_TRUE(is_public(text)) << text;
  }
}

TEST(PublicAddress, EachSpecialBlockIsRefusedToItsEdges) {
  for (const char* text :
       {"0.0.0.0",         "0.255.255.255", "10.0.0.0",        "10.255.255.255",  "100.64.0.0",
        "100.127.255.255", "127.0.0.1",     "127.255.255.255", "169.254.0.0",     "169.254.169.254",
        "169.254.255.255", "172.16.0.0",    "172.31.255.255",  "192.0.0.1",       "192.0.2.1",
        "192.88.99.1",     "192.168.0.0",   "192.168.255.255", "198.18.0.0",      "198.19.255.255",
        "198.51.100.1",    "203.0.113.1",   "224.0.0.1",       "239.255.255.255", "240.0.0.1",
        "255.255.255.255"}) {
    EXPECT_FALSE(is_public(text)) << text;
  }
}

TEST(PublicAddress, EachSpecialBlockOfVersion6IsRefused) {
  for (const char* text :
       {"::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fdff::1", "fd00:ec2::254", "ff02::1",
        "100::1", "2001::1", "2001:1ff::1", "2001:db8::1", "3fff::1", "4000::1", "5f00::1", "64:ff9b:1::1"}) {
    EXPECT_FALSE(is_public(text)) << text;
  }
}

TEST(PublicAddress, AVersion4AddressInsideAVersion6AddressIsJudgedItself) {
  for (const char* text : {"::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.1.2.3", "64:ff9b::7f00:1",
                           "64:ff9b::a9fe:a9fe", "2002:7f00:1::1", "2002:a00:1::1", "::127.0.0.1"}) {
    EXPECT_FALSE(is_public(text)) << text;
  }
}

}  // namespace
}  // namespace instantstart::net
