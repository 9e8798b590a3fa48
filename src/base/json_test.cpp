#include "base/json.h"

#include <bit>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "base/random.h"

namespace instantstart {
namespace {

/// The code of the refusal and its offset, "invalid_json@3"; the text of the value when it was accepted.
std::string outcome(std::string_view text, JsonLimits limits = {}) {
  const auto value = parse_json(text, limits);
  if (value) return to_text(*value);
  const auto* offset = value.error().detail.if_contains("offset");
  return value.error().code + (offset ? "@" + to_text(*offset) : "");
}

std::string round_trip(double number) { return to_text(*parse_json(to_text(number))); }

TEST(ParseJson, ReadsEveryKindOfValue) {
  EXPECT_EQ(outcome(R"( {"a": [1, -2, 0.5, true, false, null, "x"], "b": {}} )"),
            R"({"a":[1,-2,0.5,true,false,null,"x"],"b":{}})");
  EXPECT_EQ(outcome("7"), "7");
  EXPECT_EQ(outcome("\"\""), "\"\"");
  EXPECT_EQ(outcome(" \t\r\nnull \t\r\n"), "null");
}

TEST(ParseJson, RefusesWhatIsNotRfc8259) {
  for (const std::string_view text : {
           "",         " ",          "{",          "[",         "[1",
           "[1,]",     "[,1]",       "{\"a\":1,}", "{\"a\"}",   "{\"a\":}",
           "{a:1}",    "{'a':1}",    "{1:1}",      "// x\n1",   "/* x */ 1",
           "1 // x",   "NaN",        "[Infinity]", "-",         "+1",
           "01",       "-01",        "1.",         ".5",        "1e",
           "1e+",      "0x10",       "nul",        "True",      "\"",
           "\"a",      "'a'",        "\"\\x41\"",  "\"\\u12\"", "\"\\",
           "\"a\tb\"", "\"a\nb\"",   "[1 2]",      "{\"a\" 1}", "{\"a\":1 \"b\":2}",
           "\x0c{}",   "\xc2\xa0{}",
       }) {
    EXPECT_TRUE(outcome(text).starts_with("invalid_json@")) << text << " gives " << outcome(text);
  }
}

TEST(ParseJson, SaysWhereItStopped) {
  EXPECT_EQ(outcome("[1,]"), "invalid_json@3");
  EXPECT_EQ(outcome("{\"a\":tru}"), "invalid_json@5") << "where the misspelt word begins";
  const auto value = parse_json("[1,]");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message, "Not valid JSON at byte 3: syntax error.");
  EXPECT_EQ(value.error().code, codes::invalid_json);
}

TEST(ParseJson, RefusesTrailingBytes) {
  EXPECT_EQ(outcome("{} x"), "invalid_json@3");
  EXPECT_EQ(outcome("1 1"), "invalid_json@2");
  EXPECT_EQ(outcome("{}{}"), "invalid_json@2");
  EXPECT_EQ(outcome(std::string_view("{}\0", 3)), "invalid_json@2");
  EXPECT_EQ(outcome(std::string_view("\0{}", 3)), "invalid_json@0");
}

TEST(ParseJson, RefusesAByteOrderMark) { EXPECT_EQ(outcome("\xEF\xBB\xBF{}"), "invalid_json@0"); }

TEST(ParseJson, RefusesAKeyTwiceInOneObject) {
  EXPECT_EQ(outcome(R"({"a":1,"a":1})"), "invalid_json@12");
  EXPECT_EQ(outcome(R"({"a":1,"\u0061":2})"), "invalid_json@17") << "escaped, the key is the same";
  EXPECT_EQ(outcome(R"([{"x":{"b":1,"a":2,"b":3}}])"), "invalid_json@24");
  EXPECT_EQ(outcome(R"({"":1,"":2})"), "invalid_json@10");
  EXPECT_EQ(parse_json(R"({"a":1,"a":1})").error().message,
            R"(Not valid JSON at byte 12: the key "a" is twice in one object.)");
}

TEST(ParseJson, ComparesLongKeysWhole) {
  const auto keys = [](std::string_view first, std::string_view second) {
    const std::string tail = "\\n" + std::string(10'000, 'x');  // the parser hands such a key over in parts
    return fmt::format(R"({{"{0}{2}":1,"{1}{2}":2}})", first, second, tail);
  };
  EXPECT_TRUE(parse_json(keys("a", "b")));
  EXPECT_FALSE(parse_json(keys("a", "a")));
}

TEST(ParseJson, AllowsAKeyInSeveralObjects) {
  EXPECT_EQ(outcome(R"({"a":{"a":[{"a":1},{"a":2}]},"A":3})"), R"({"a":{"a":[{"a":1},{"a":2}]},"A":3})");
}

TEST(ParseJson, KeysOfALargeObjectStayApartFromThoseOfItsMembers) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += fmt::format(R"("key-{0}":{{"key-{0}":1,"other":2}},)", i);
  EXPECT_FALSE(outcome(text + R"("key-1000":0})").starts_with("invalid"));
  EXPECT_TRUE(outcome(text + R"("key-500":0})").starts_with("invalid_json@"));
}

TEST(ParseJson, RefusesInvalidUtf8) {
  for (const std::string_view bytes :
       {"\xff", "\xc0\x80", "\x80", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_TRUE(outcome(fmt::format("\"{}\"", bytes)).starts_with("invalid_json@"));
    EXPECT_TRUE(outcome(fmt::format("{{\"{}\":1}}", bytes)).starts_with("invalid_json@"));
  }
}

TEST(ParseJson, RefusesLoneSurrogates) {
  EXPECT_TRUE(outcome(R"("\ud800")").starts_with("invalid_json@"));
  EXPECT_TRUE(outcome(R"("\udc00")").starts_with("invalid_json@"));
  EXPECT_TRUE(outcome(R"("\ud800\ud800")").starts_with("invalid_json@"));
  EXPECT_TRUE(outcome(R"("\ud83dx")").starts_with("invalid_json@"));
  EXPECT_EQ(outcome(R"("\ud83d\ude00")"), "\"😀\"");
}

TEST(ParseJson, KeepsEscapedNulsAndControls) {
  EXPECT_EQ(outcome(R"("a\u0000\u001f\n")"), R"("a\u0000\u001f\n")");
}

TEST(ParseJson, RefusesNumbersPastADouble) {
  EXPECT_EQ(outcome("1e400"), "invalid_json@5");
  EXPECT_EQ(outcome("[-1e309]"), "invalid_json@7");
  EXPECT_TRUE(outcome("1e99999999999999999999").starts_with("invalid_json@"));
  EXPECT_TRUE(outcome(std::string(400, '9')).starts_with("invalid_json@"));
  EXPECT_EQ(outcome("1.7976931348623157e308"), "1.7976931348623157e+308");
}

TEST(ParseJson, NumbersTooSmallForADoubleAreZero) {
  EXPECT_EQ(outcome("1e-400"), "0.0");
  EXPECT_EQ(outcome("5e-324"), "5e-324");
}

TEST(ParseJson, WholeNumbersAreExactOver64Bits) {
  EXPECT_EQ(outcome("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(outcome("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(outcome("18446744073709551615"), "18446744073709551615");
  EXPECT_TRUE(parse_json("18446744073709551616")->is_double());
}

TEST(ParseJson, DoublesAreRoundedCorrectly) {
  // Each of these is off by a bit when the decimal mantissa is multiplied by a power of ten.
  for (const double number :
       {0.1, 0.3, 2.2250738585072014e-308, 8.41e+21, 9.5367431640625e-07, 1.2345678901234567e-100}) {
    EXPECT_EQ(parse_json(fmt::format("{}", number))->as_double(), number);
  }
  SeededRandom random(7);
  for (int i = 0; i < 2000; ++i) {
    const double number = std::bit_cast<double>(random.next() & ~(1ull << 62));
    EXPECT_EQ(parse_json(to_text(number))->as_double(), number);
  }
}

TEST(ParseJson, HoldsTheByteLimit) {
  const std::string largest = "\"" + std::string(1024 * 1024 - 2, 'x') + "\"";
  EXPECT_TRUE(parse_json(largest));
  EXPECT_EQ(outcome(largest + " "), "body_too_large");
  EXPECT_EQ(outcome("[1]", {.max_bytes = 2}), "body_too_large");
}

TEST(ParseJson, HoldsTheDepthLimit) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(64)));
  EXPECT_EQ(outcome(nested(65)), "invalid_json@64");
  EXPECT_EQ(outcome(nested(10000)), "invalid_json@64");
  EXPECT_EQ(outcome(std::string(10000, '[')), "invalid_json@64");
  EXPECT_TRUE(outcome("[[1]]", {.max_depth = 1}).starts_with("invalid_json@"));
  std::string objects;
  for (int i = 0; i < 10000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(outcome(objects).starts_with("invalid_json@"));
}

TEST(ToText, WritesNumbersAsPeopleDo) {
  EXPECT_EQ(to_text(8.5), "8.5");
  EXPECT_EQ(to_text(8.0), "8.0");
  EXPECT_EQ(to_text(-0.0), "-0.0");
  EXPECT_EQ(to_text(1e300), "1e+300");
  EXPECT_EQ(round_trip(1e15), to_text(1e15));
}

TEST(ToText, HasNoWordForNonFiniteNumbers) {
  EXPECT_EQ(to_text(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(to_text(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(ToText, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(to_text(json::value("\"\\\b\f\n\r\t\x01\x1b\x7f\xc2\x9b")),
            R"("\"\\\b\f\n\r\t\u0001\u001b\u007f\u009b")");
}

TEST(ToText, ReplacesInvalidUtf8SoThatTheTextIsAlwaysJson) {
  EXPECT_EQ(to_text(json::value("a\xff\xe2\x82z")), "\"a\uFFFD\uFFFDz\"");
  json::object keyed;
  keyed["\xff"] = 1;
  EXPECT_TRUE(parse_json(to_text(keyed)));
}

TEST(ToText, KeepsTheOrderOfMembers) { EXPECT_EQ(outcome(R"({"b":1,"a":2})"), R"({"b":1,"a":2})"); }

TEST(ToCanonicalText, SortsTheKeysOfEveryObject) {
  const auto one = parse_json(R"({"b":[{"y":1,"x":2}],"a":{"d":1,"c":2},"":0})");
  const auto two = parse_json(R"({"":0,"a":{"c":2,"d":1},"b":[{"x":2,"y":1}]})");
  EXPECT_EQ(to_canonical_text(*one), R"({"":0,"a":{"c":2,"d":1},"b":[{"x":2,"y":1}]})");
  EXPECT_EQ(to_canonical_text(*one), to_canonical_text(*two));
  EXPECT_NE(to_canonical_text(*parse_json("[1,2]")), to_canonical_text(*parse_json("[2,1]")));
}

TEST(ToCanonicalText, EqualNumbersGiveEqualText) {
  EXPECT_EQ(to_canonical_text(json::value(std::uint64_t{8})),
            to_canonical_text(json::value(std::int64_t{8})));
  EXPECT_EQ(to_canonical_text(0.0), to_canonical_text(-0.0));
}

TEST(JoinPointer, EscapesTildeAndSlash) {
  EXPECT_EQ(join_pointer("/a", "b/c"), "/a/b~1c");
  EXPECT_EQ(join_pointer("", "m~n"), "/m~0n");
  EXPECT_EQ(join_pointer("", "~1"), "/~01");
  EXPECT_EQ(join_pointer("/a", ""), "/a/");
  EXPECT_EQ(join_pointer("/a", std::size_t{12}), "/a/12");
}

}  // namespace
}  // namespace instantstart
