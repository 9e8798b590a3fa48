#include "sandbox/kubernetes/objects/quantity.h"

#include <gtest/gtest.h>

namespace instantstart::sandbox::kubernetes {
namespace {

std::string canonical(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  return quantity ? quantity->to_text() : "error: " + quantity.error().message;
}

TEST(Quantity, CanonicalFormHasNoFractionAndTheLargestSuffix) {
  const std::pair<const char*, const char*> rows[] = {
      {"0", "0"},
      {"1", "1"},
      {"0.5", "500m"},
      {"1.5", "1500m"},
      {"1000m", "1"},
      {"1000", "1k"},
      {"1500", "1500"},
      {"100k", "100k"},
      {"1024Mi", "1Gi"},
      {"1.5Gi", "1536Mi"},
      {"0.5Gi", "512Mi"},
      {"512", "512"},
      {"1023Ki", "1023Ki"},
      {"1e3", "1e3"},
      {"1E6", "1e6"},
      {"1.5e3", "1500"},
      {"+5", "5"},
      {"-5", "-5"},
      {"-1.5Gi", "-1536Mi"},
      {"0.1n", "1n"},
      {"1u", "1u"},
      {"1Ei", "1Ei"},
      {"10Pi", "10Pi"},
      {"100m", "100m"},
      {"0.001Ki", "1024m"},
      {"1.", "1"},
      {".5", "500m"},
      {"00012", "12"},
      {"123456789012345678901234567890", "9223372036854775807"},
      {"1000Ki", "1000Ki"},
      {"16384Ki", "16Mi"},
      {"0.00000000000000000000001Gi", "1n"}};
  for (const auto& [given, wanted] : rows) EXPECT_EQ(canonical(given), wanted) << given;
}

TEST(Quantity, OtherTextIsRefused) {
  for (const auto* text :
       {"", "a", "1x", "1 Gi", "Gi", "1..2", "--1", "1ki", "1Kii", "0x10", "1e", "1e3Gi", "."}) {
    EXPECT_FALSE(Quantity::parse(text)) << text;
  }
  EXPECT_EQ(Quantity::parse("1ki").error().message, "unable to parse quantity's suffix");
}

TEST(Quantity, ComparesByValue) {
  EXPECT_EQ(*Quantity::parse("1"), *Quantity::parse("1000m"));
  EXPECT_EQ(*Quantity::parse("1Ki"), *Quantity::parse("1024"));
  EXPECT_LT(*Quantity::parse("1G"), *Quantity::parse("1Gi"));
  EXPECT_GT(*Quantity::parse("1"), *Quantity::parse("999m"));
}

TEST(Quantity, SumsAreExactAndKeepTheFormatOfTheLeft) {
  EXPECT_EQ((*Quantity::parse("100m") + *Quantity::parse("0.9")).to_text(), "1");
  EXPECT_EQ((*Quantity::parse("1Gi") + *Quantity::parse("512Mi")).to_text(), "1536Mi");
  EXPECT_EQ((*Quantity::parse("1Gi") - *Quantity::parse("1Gi")).to_text(), "0");
  EXPECT_EQ((Quantity() + *Quantity::parse("2Gi")).to_text(), "2Gi");
  EXPECT_EQ(Quantity::parse("250m")->times(4).to_text(), "1");
}

TEST(Quantity, WholeUnitsAreRoundedUp) {
  EXPECT_EQ(Quantity::parse("1500m")->value(), 2);
  EXPECT_EQ(Quantity::parse("0.1")->milli_value(), 100);
  EXPECT_EQ(Quantity::parse("1u")->milli_value(), 1);
  EXPECT_EQ(Quantity::of(8).to_text(), "8");
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
