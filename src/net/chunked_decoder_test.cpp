#include "net/chunked_decoder.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace instantstart::net {
namespace {

/// The body, "incomplete", or the status of the refusal; the same in one piece and byte by byte.
std::string decoded(const std::string& wire, std::size_t limit = 100, std::size_t step = 1'000'000) {
  ChunkedDecoder decoder(limit);
  for (std::size_t at = 0; at < wire.size() && !decoder.done();) {
    const auto taken = decoder.feed(std::string_view(wire).substr(at, step));
    if (!taken) return std::to_string(taken.error().status);
    at += *taken;
    if (decoder.done() && at < wire.size()) return decoder.take() + "|" + wire.substr(at);
  }
  return decoder.done() ? decoder.take() : "incomplete";
}

struct Case {
  std::string wire;
  std::string expected;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> k_cases = {
      {"0\r\n\r\n", ""},
      {"5\r\nhello\r\n0\r\n\r\n", "hello"},
      {"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"},
      {"A\r\n0123456789\r\n000\r\n\r\n", "0123456789"},
      {"5\r\nhello\r\n0\r\n\r\nGET /", "hello|GET /"},
      {"5;name=value;quoted=\"a;b\"\r\nhello\r\n0;last\r\n\r\n", "hello"},
      {"5 ;name\r\nhello\r\n0\r\n\r\n", "hello"},
      {"5\r\nhello\r\n0\r\nX-Checksum: 1\r\nHost: other\r\n\r\n", "hello"},
      {"2\r\n\r\n\r\n0\r\n\r\n", "\r\n"},
      {"5\r\nhello\r\n0\r\n", "incomplete"},
      {"5\r\nhel", "incomplete"},
      {"", "incomplete"},
      {"\r\n", "400"},
      {";a\r\n", "400"},
      {"g\r\n", "400"},
      {"+5\r\nhello\r\n0\r\n\r\n", "400"},
      {"0x5\r\nhello\r\n0\r\n\r\n", "400"},
      {"-1\r\n", "400"},
      {"5 \r\nhello\r\n0\r\n\r\n", "400"},
      {"5 5\r\nhello\r\n", "400"},
      {"5\nhello\n0\n\n", "400"},
      {"5\rhello", "400"},
      {"5\r\nhello0\r\n\r\n", "400"},
      {"5\r\nhello\n0\r\n\r\n", "400"},
      {"5;a=\"\nx\"\r\nhello\r\n0\r\n\r\n", "400"},
      {"5;a=\"x\r\nhello\r\n0\r\n\r\n", "hello"},
      {"0\r\n X: folded\r\n\r\n", "400"},
      {"0\r\nX: a\nY: b\r\n\r\n", "400"},
      {"0\r\nX: a\rb\r\n\r\n", "400"},
      {"0\r\n\rX", "400"},
      {"0000000000000005\r\nhello\r\n0\r\n\r\n", "400"},
      {"10000000000000000\r\n", "413"},
      {"ffffffffffffffff\r\n", "413"},
      {"65\r\n", "413"},
      {"64\r\n" + std::string(100, 'a') + "\r\n0\r\n\r\n", std::string(100, 'a')},
      {"64\r\n" + std::string(100, 'a') + "\r\n1\r\n", "413"},
  };
  return k_cases;
}

TEST(ChunkedDecoderTest, ReadsWhatIsWellFormedAndRefusesTheRest) {
  for (const auto& [wire, expected] : cases()) EXPECT_EQ(decoded(wire), expected) << wire;
}

TEST(ChunkedDecoderTest, WhereTheBytesAreCutMakesNoDifference) {
  for (const auto& [wire, expected] : cases()) {
    if (expected.contains('|')) continue;
    EXPECT_EQ(decoded(wire, 100, 1), expected) << wire;
    EXPECT_EQ(decoded(wire, 100, 3), expected) << wire;
  }
}

TEST(ChunkedDecoderTest, ChunksOfOneByteAreFine) {
  std::string wire;
  for (int i = 0; i < 50'000; ++i) wire += "1\r\nx\r\n";
  EXPECT_EQ(decoded(wire + "0\r\n\r\n", 50'000), std::string(50'000, 'x'));
}

TEST(ChunkedDecoderTest, ALongExtensionOrTrailerIsRefused) {
  const std::string fits(8'000, 'a');
  const std::string too_long(8'300, 'a');
  EXPECT_EQ(decoded("1;" + fits + "\r\nx\r\n0\r\n\r\n"), "x");
  EXPECT_EQ(decoded("1;" + too_long + "\r\nx\r\n0\r\n\r\n"), "400");
  EXPECT_EQ(decoded("1\r\nx\r\n0\r\nT: " + fits + "\r\n\r\n"), "x");
  EXPECT_EQ(decoded("1\r\nx\r\n0\r\nT: " + too_long + "\r\n\r\n"), "400");
}

TEST(ChunkedDecoderTest, ManyExtensionsOutOfProportionToTheDataAreRefused) {
  std::string wire;
  for (int i = 0; i < 100; ++i) wire += "1;" + std::string(1'000, 'a') + "\r\nx\r\n";
  EXPECT_EQ(decoded(wire, 1'000'000), "400");
}

}  // namespace
}  // namespace instantstart::net
