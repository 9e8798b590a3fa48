#include "base/digest.h"

#include <gtest/gtest.h>

namespace instantstart {
namespace {

std::string hex_of(std::string_view bytes) {
  return to_hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

// FIPS 180-4 examples and NIST CAVP SHA256ShortMsg.
TEST(Sha256, EqualsTheNistVectors) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(to_hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(to_hex(sha256("\xd3")), "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
}

TEST(HmacSha256, EqualsRfc4231) {
  struct Case {
    std::string key, data;
    std::string_view digest;
  };
  const Case cases[] = {
      {std::string(20, '\x0b'), "Hi There",
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?",
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19",
       std::string(50, '\xcd'), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {std::string(131, '\xaa'),
       "This is a test using a larger than block-size key and a larger than block-size data. The key needs "
       "to be "
       "hashed before being used by the HMAC algorithm.",
       "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
  };
  for (const auto& [key, data, digest] : cases) EXPECT_EQ(to_hex(hmac_sha256(key, data)), digest);
}

TEST(HmacSha256, AnEmptyKeyIsNotTheOneFromBefore) {
  hmac_sha256("Jefe", "what do ya want for nothing?");
  EXPECT_EQ(to_hex(hmac_sha256({}, {})), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(Base64, EqualsRfc4648) {
  constexpr std::pair<std::string_view, std::string_view> k_vectors[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [bytes, text] : k_vectors) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
    std::string_view bare = text;
    while (bare.ends_with('=')) bare.remove_suffix(1);
    EXPECT_EQ(to_base64url(bytes), bare);
    EXPECT_EQ(from_base64url(bare), bytes);
  }
  EXPECT_EQ(to_base64("\xfb\xff\xfe"), "+//+");
  EXPECT_EQ(to_base64url("\xfb\xff\xfe"), "-__-");
}

TEST(Base64, AllBytesComeBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    EXPECT_EQ(from_base64url(to_base64url(bytes)), bytes);
  }
}

TEST(FromBase64, RefusesEverythingElse) {
  for (const std::string_view text : {"Zg", "Zg=", "Z", "Zg===", "=", "====", "Z===", "Zm9v\n", "Zm 9",
                                      "Zm9-", "Zg==Zg==", "Zh==", "Zm9=", "Zg=a", "\xff\xff\xff\xff"}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

TEST(FromBase64Url, RefusesEverythingElse) {
  for (const std::string_view text :
       {"Zg==", "Z", "A", "AAAAA", "Zm9vZ", "Zm+v", "Zm/v", "Zh", "Zm9vYm9 ", "Zg="}) {
    EXPECT_EQ(from_base64url(text), std::nullopt) << text;
  }
}

TEST(ToHex, IsLowerCase) { EXPECT_EQ(hex_of("\x0f\xf0\xab\xff"), "0ff0abff"); }

TEST(PercentEncode, KeepsUnreservedCharactersAlone) {
  EXPECT_EQ(percent_encode("AZaz09-._~"), "AZaz09-._~");
  EXPECT_EQ(percent_encode("a b/c?d=e&f+g*h"), "a%20b%2Fc%3Fd%3De%26f%2Bg%2Ah");
  EXPECT_EQ(percent_encode("a/b c", "/"), "a/b%20c");
  EXPECT_EQ(percent_encode("é\xff\n"), "%C3%A9%FF%0A");
}

TEST(PercentDecode, UndoesIt) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(percent_decode(percent_encode(bytes)), bytes);
  EXPECT_EQ(percent_decode("%c3%A9+%41"), "é+A");
  EXPECT_EQ(percent_decode("%00"), std::string(1, '\0'));
}

TEST(PercentDecode, RefusesBadEscapes) {
  for (const std::string_view text : {"%", "%4", "a%", "%4g", "%g4", "%%41", "% 4"}) {
    EXPECT_EQ(percent_decode(text), std::nullopt) << text;
  }
}

TEST(EqualInConstantTime, ComparesWholeTexts) {
  EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
  EXPECT_TRUE(equal_in_constant_time("", {}));
  EXPECT_FALSE(equal_in_constant_time("secret", "secreT"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secre"));
  EXPECT_FALSE(equal_in_constant_time("secre", "secret"));
  EXPECT_FALSE(equal_in_constant_time("secret", ""));
  EXPECT_FALSE(equal_in_constant_time("", "secret"));
}

}  // namespace
}  // namespace instantstart
