#include "base/text.h"

#include <array>

#include <gtest/gtest.h>

#include "base/random.h"

namespace instantstart {
namespace {

constexpr auto k_names =
    std::to_array<std::string_view>({"name", "instance_type", "count", "subnet_ids", "min"});

TEST(Nearest, FindsAMistypedName) {
  EXPECT_EQ(nearest("instance_typ", k_names), "instance_type");
  EXPECT_EQ(nearest("instanceType", k_names), "instance_type");
  EXPECT_EQ(nearest("conut", k_names), "count") << "neighbours swapped";
  EXPECT_EQ(nearest("nam", k_names), "name");
  EXPECT_EQ(nearest("MIN", k_names), "min") << "case is free";
}

TEST(Nearest, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest("replicas", k_names), std::nullopt);
  EXPECT_EQ(nearest("", k_names), std::nullopt);
  EXPECT_EQ(nearest("name", {}), std::nullopt);
  EXPECT_EQ(nearest(std::string(1'000'000, 'n'), k_names), std::nullopt);
}

TEST(Nearest, AllowsOneChangeInAShortName) {
  EXPECT_EQ(nearest("max", k_names), std::nullopt);
  EXPECT_EQ(nearest("mix", k_names), "min");
}

TEST(Nearest, PrefersTheSmallestDistance) {
  constexpr auto k_types =
      std::to_array<std::string_view>({"ml.p5.48xlarge", "ml.p4d.24xlarge", "ml.p5e.48xlarge"});
  EXPECT_EQ(nearest("ml.p5e.48xlarg", k_types), "ml.p5e.48xlarge");
  EXPECT_EQ(nearest("p5.48xlarge", k_types), "ml.p5.48xlarge");
}

TEST(CodePoints, CountsCharactersAndBrokenBytes) {
  EXPECT_EQ(code_points(""), 0u);
  EXPECT_EQ(code_points("aé€😀"), 4u);
  EXPECT_EQ(code_points("a\xff\xfe"), 3u);
  EXPECT_EQ(code_points("\xe2\x82"), 2u) << "a cut off sequence counts its bytes";
}

TEST(Shortened, CutsBetweenCodePoints) {
  EXPECT_EQ(shortened("hello", 5), "hello");
  EXPECT_EQ(shortened("hello!", 5), "he…");
  EXPECT_EQ(shortened("éééé", 7), "éé…");
  EXPECT_EQ(shortened("éééé", 6), "é…");
  EXPECT_EQ(shortened("😀😀", 2), "");
  EXPECT_EQ(shortened("abc", 0), "");
}

TEST(Shortened, NeverExceedsTheLimit) {
  const std::string_view text = "aé€😀\xff\xe2\x82z0123456789";
  for (std::size_t limit = 0; limit < text.size() + 2; ++limit)
    EXPECT_LE(shortened(text, limit).size(), limit);
}

TEST(WithoutControls, KeepsOrdinaryText) {
  EXPECT_EQ(without_controls("tab\tline\nnaïve Größe 東京 😀 [31m"), "tab\tline\nnaïve Größe 東京 😀 [31m");
}

TEST(WithoutControls, RemovesC0DelAndC1) {
  EXPECT_EQ(without_controls(std::string_view("a\0b\x07\x08\x0d\x7f"
                                              "c",
                                              8)),
            "abc");
  EXPECT_EQ(without_controls("a\u0085\u0080b"), "ab");
}

TEST(WithoutControls, RemovesEscapeSequences) {
  EXPECT_EQ(without_controls("\x1b[31mred\x1b[0m"), "red");
  EXPECT_EQ(without_controls("\x1b[2J\x1b[1;1Hx"), "x");
  EXPECT_EQ(without_controls("\x1b[?25l\x1b[38:2::1:2:3mx"), "x");
  EXPECT_EQ(without_controls("\x1b(B\x1b"
                             "cx\x1b"
                             "7y\x1b#8z"),
            "xyz");
  EXPECT_EQ(without_controls("\x1b[2 qx"), "x") << "a sequence with an intermediate";
  EXPECT_EQ(without_controls("\u009b31mred"), "red") << "eight-bit introducer";
}

TEST(WithoutControls, RemovesLinksTitlesAndDeviceStrings) {
  EXPECT_EQ(without_controls("\x1b]8;;http://evil.example\x1b\\safe\x1b]8;;\x1b\\!"), "safe!");
  EXPECT_EQ(without_controls("\x1b]0;title\x07text"), "text");
  EXPECT_EQ(without_controls("\x1b]52;c;cm0gLXJm\x07text"), "text") << "clipboard";
  EXPECT_EQ(without_controls("\x1bP1$r0m\x1b\\text\x1b_apc\x1b\\"), "text");
  EXPECT_EQ(without_controls("\u009d0;title\u009ctext"), "text");
}

TEST(WithoutControls, AnUnfinishedSequenceHidesNothing) {
  EXPECT_EQ(without_controls("\x1b]0;title and the rest"), "0;title and the rest");
  EXPECT_EQ(without_controls("\x1b]0;one\ntwo\x07"), "0;one\ntwo") << "a sequence ends with its line";
  EXPECT_EQ(without_controls("\x1b]0;a\x1b[31mb\x07"
                             "c"),
            "0;abc");
  EXPECT_EQ(without_controls("\x1b[31"), "31");
  EXPECT_EQ(without_controls("x\x1b"), "x");
  EXPECT_EQ(without_controls("\x1b\x1b[31mx"), "x");
  EXPECT_EQ(without_controls("\x1b[31\nmx"), "31\nmx");
}

TEST(WithoutControls, RemovesBidirectionalOverrides) {
  EXPECT_EQ(without_controls("user\u202Etxt.exe"), "usertxt.exe");
  EXPECT_EQ(without_controls("\u202A\u202B\u202C\u202D\u2066\u2067\u2068\u2069\u200E\u200F\u061Cx"), "x");
}

TEST(WithoutControls, RemovesZeroWidthAndTagCharacters) {
  EXPECT_EQ(without_controls("pa\u200Bss\u200C\u200D\u2060\uFEFF\u00ADword"), "password");
  EXPECT_EQ(without_controls("hi\U000E0001\U000E0049\U000E0067\U000E007F!"), "hi!");
  EXPECT_EQ(without_controls("a\uFE0F\U000E0100b"), "ab") << "variation selectors";
}

TEST(WithoutControls, ReplacesInvalidUtf8) {
  EXPECT_EQ(without_controls("a\xff"
                             "b"),
            "a\uFFFDb");
  EXPECT_EQ(without_controls("\xc0\x9b"
                             "31m"),
            "\uFFFD\uFFFD31m")
      << "an overlong control";
  EXPECT_EQ(without_controls("\xe0\x82\x9b"
                             "31m"),
            "\uFFFD\uFFFD\uFFFD31m");
  EXPECT_EQ(without_controls("\xf0\x80\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(without_controls("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(without_controls("\x9b"
                             "31m"),
            "\uFFFD31m")
      << "a raw C1 byte is not UTF-8";
  EXPECT_EQ(without_controls("\xe2\x80"), "\uFFFD");
}

TEST(WithoutControls, LeavesNothingThatASecondPassWouldRemove) {
  constexpr std::string_view k_alphabet[] = {"\x1b", "[",  "]",      "0",      ";",    "m",
                                             "\x07", "\\", "\u009b", "\u202e", "\xff", "\xe2\x80",
                                             "\n",   "a",  "(",      "\u009c"};
  SeededRandom random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < 8; ++i) text += k_alphabet[random.next() % std::size(k_alphabet)];
    const std::string once = without_controls(text);
    ASSERT_EQ(without_controls(once), once);
    ASSERT_EQ(once.find('\x1b'), std::string::npos);
    ASSERT_EQ(once.find("\xc2\x9b"), std::string::npos);
  }
}

TEST(Split, KeepsEmptyParts) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a/b//c/", '/'), (Parts{"a", "b", "", "c", ""}));
  EXPECT_EQ(split("", '/'), Parts{""});
}

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(join(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Trim, TakesSpacesAndTabsOffBothEnds) {
  EXPECT_EQ(trim(" \ta b\t "), "a b");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim("\na\n"), "\na\n");
}

TEST(ToLower, ChangesAsciiAlone) { EXPECT_EQ(to_lower("AbZ[É"), "abz[É"); }

}  // namespace
}  // namespace instantstart
