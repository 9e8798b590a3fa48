#include "aws/protocols/scalars.h"

#include <cmath>

#include <gtest/gtest.h>

namespace instantstart::aws {
namespace {

TEST(NumberText, ReadsAsPythonsRepr) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(5), "5.0");
  EXPECT_EQ(number_text(1e-7), "1e-07");
  EXPECT_EQ(number_text(1e16), "1e+16");
  EXPECT_EQ(number_text(123456789012345.0), "123456789012345.0");
  EXPECT_EQ(number_text(std::nan("")), "NaN");
  EXPECT_EQ(number_text(-INFINITY), "-Infinity");
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number("-1.5e3"), -1500.0);
  EXPECT_TRUE(std::isnan(*parse_number("NaN")));
  EXPECT_EQ(parse_number("Infinity"), INFINITY);
  for (const auto text : {"", "1.5x", " 1", "0x10", "inf", "nan", "1e999"})
    EXPECT_FALSE(parse_number(text)) << text;
}

template <class T>
std::expected<T, Fault> read(ShapeKind kind, std::string_view text) {
  const ShapeInfo shape{.name = "Scalar", .kind = kind};
  T value{};
  auto walked = scalar_from_text(shape, text, &value);
  if (!walked) return std::unexpected(walked.error());
  return value;
}

TEST(ScalarFromText, ReadsEachKind) {
  EXPECT_EQ(read<std::int64_t>(ShapeKind::integer, "-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(read<bool>(ShapeKind::boolean, "True"), true);
  EXPECT_EQ(read<Blob>(ShapeKind::blob, "AAE="), Blob{std::string("\0\x01", 2)});
  EXPECT_EQ(read<std::string>(ShapeKind::string, " a "), " a ");
}

TEST(ScalarFromText, SaysWhatIsWrong) {
  EXPECT_EQ(read<std::int64_t>(ShapeKind::integer, "1.5").error().reason, "is not a whole number");
  EXPECT_EQ(read<std::int64_t>(ShapeKind::integer, "9223372036854775808").error().reason,
            "is not a whole number");
  EXPECT_EQ(read<bool>(ShapeKind::boolean, "yes").error().reason, "is neither true nor false");
  EXPECT_EQ(read<Blob>(ShapeKind::blob, "AAE").error().reason, "is not base64");
  EXPECT_EQ(read<Timestamp>(ShapeKind::timestamp, "soon").error().reason, "is not a time");
}

}  // namespace
}  // namespace instantstart::aws
