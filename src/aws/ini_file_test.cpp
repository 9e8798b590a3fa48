#include "aws/ini_file.h"

#include <gtest/gtest.h>

namespace instantstart::aws {
namespace {

IniFile parse(std::string_view text) {
  auto file = parse_ini(text);
  EXPECT_TRUE(file) << text;
  return file.value_or(IniFile{});
}

std::string value(const IniFile& file, std::string_view section, std::string_view name) {
  const auto found = file.find(section);
  if (found == file.end()) return "(no section)";
  const std::string* text = found->second.find(name);
  return text ? *text : "(none)";
}

TEST(ParseIni, ReadsSectionsAndTrimsValues) {
  const auto file =
      parse("[default]\nregion = us-west-2  \r\nAWS_Access_Key_Id:AKID\n[profile b]\nkey==a=b;c # d\n");
  EXPECT_EQ(value(file, "default", "region"), "us-west-2");
  EXPECT_EQ(value(file, "default", "aws_access_key_id"), "AKID");
  EXPECT_EQ(value(file, "profile b", "key"), "=a=b;c # d");
}

TEST(ParseIni, CommentsStandAloneOnTheirLine) {
  const auto file = parse("# one\n; two\n[a]\n  # three\nx = 1\n;y = 2\n");
  EXPECT_EQ(value(file, "a", "x"), "1");
  EXPECT_EQ(value(file, "a", "y"), "(none)");
}

TEST(ParseIni, DeeperLinesGoOnWithTheValue) {
  const auto file = parse("[a]\nx = 1\n  2\n\n  3\ny = 4\n");
  EXPECT_EQ(value(file, "a", "x"), "1\n2\n\n3");
  EXPECT_EQ(value(file, "a", "y"), "4");
}

TEST(ParseIni, ABlockUnderANameIsNested) {
  const auto file =
      parse("[services local]\ns3 =\n  endpoint_url = http://127.0.0.1:1\n  x=\neks =\n  endpoint_url=y\n");
  const auto& nested = file.at("services local").nested;
  EXPECT_EQ(nested.at("s3").at("endpoint_url"), "http://127.0.0.1:1");
  EXPECT_EQ(nested.at("s3").at("x"), "");
  EXPECT_EQ(nested.at("eks").at("endpoint_url"), "y");
}

TEST(ParseIni, DefaultLendsItsValues) {
  const auto file = parse("[DEFAULT]\nregion = r\n[a]\nx = 1\n[b]\nregion = own\n");
  EXPECT_EQ(value(file, "a", "region"), "r");
  EXPECT_EQ(value(file, "b", "region"), "own");
  EXPECT_FALSE(file.contains("DEFAULT"));
}

TEST(ParseIni, SaysInWhichLineItIsBroken) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"x = 1\n", "line 1"},
      {"[a]\nno delimiter\n", "line 2"},
      {"[a]\nx = 1\nX = 2\n", "line 3: 'x' is twice"},
      {"[a]\n[b]\n[a]\n", "line 3: section [a] is there twice"},
      {"[a]\n= 1\n", "line 2"},
      {"[a]\nx =\n  not a pair\n", "the block 'x'"},
      {"[a]\nx = \xff\n", "UTF-8"},
  };
  for (const auto& [text, why] : cases) {
    const auto file = parse_ini(text);
    ASSERT_FALSE(file) << text;
    EXPECT_EQ(file.error().code, "credentials_invalid");
    EXPECT_NE(file.error().message.find(why), std::string::npos) << file.error().message;
  }
}

TEST(ParseIni, ErrorsDoNotShowValues) {
  const auto file = parse_ini("[a]\naws_secret_access_key = wJalrXUtn\naws_secret_access_key = wJalrXUtn\n");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message.find("wJalrXUtn"), std::string::npos);
}

}  // namespace
}  // namespace instantstart::aws
