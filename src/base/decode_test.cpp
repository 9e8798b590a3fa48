#include "base/decode.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "base/testing/orders.h"

namespace instantstart {
namespace {

using namespace instantstart::testing;

template <class T>
std::vector<FieldProblem> problems_of(std::string_view text, DecodeOptions options = {}) {
  const auto parsed = parse_json(text);
  if (!parsed) return {{"", "not_json", parsed.error().message, "", {}}};
  T target{};
  return decode_into(type_of<T>(), *parsed, &target, options);
}

/// "/pointer rule", one a line.
template <class T>
std::string summary(std::string_view text, DecodeOptions options = {}) {
  std::string lines;
  for (const auto& problem : problems_of<T>(text, options)) {
    lines += fmt::format("{}{} {}", lines.empty() ? "" : "\n", problem.pointer, problem.rule);
  }
  return lines;
}

template <class T>
T decoded(std::string_view text, DecodeOptions options = {}) {
  const auto value = decode<T>(parse_json(text).value(), options);
  EXPECT_TRUE(value) << (value ? "" : value.error().message);
  return value.value_or(T{});
}

/// A valid order with other members put in: with(R"("gift":true)").
std::string with(std::string_view members) {
  return fmt::format(R"({{"shop":"corner","items":[{{"sku":"abc","price":1}}]{}{}}})",
                     members.empty() ? "" : ",", members);
}

FieldProblem only(const std::vector<FieldProblem>& problems) {
  EXPECT_EQ(problems.size(), 1u);
  return problems.empty() ? FieldProblem{} : problems.front();
}

TEST(DecodeObject, FillsEveryKindOfField) {
  const Order order = decoded<Order>(R"({
    "shop": "corner", "items": [{"sku": "abc", "pieces": 2, "price": 1.5, "note": "blue"}, {"sku": "def", "price": 0}],
    "labels": {"a": "b"}, "payment": {"method": "card", "number": "4111111111111111", "year": 2030},
    "token": "tok_12345", "speed": "express", "gift": false, "channels": ["sms"], "extra": [1, null],
    "settings": {"x": 1}, "budget": -5})");
  EXPECT_EQ(order.shop.value, "corner");
  ASSERT_EQ(order.items.size(), 2u);
  EXPECT_EQ(order.items[0], (Item{"abc", {2}, 1.5, "blue"}));
  EXPECT_EQ(order.items[1], (Item{"def", {1}, 0, {}}));
  EXPECT_EQ(order.labels, (std::map<std::string, std::string>{{"a", "b"}}));
  EXPECT_EQ(order.payment, Payment(Card{"4111111111111111", 2030}));
  EXPECT_EQ(order.token->value, "tok_12345");
  EXPECT_EQ(order.speed, Speed::express);
  EXPECT_EQ(order.extra, parse_json("[1,null]").value());
  EXPECT_EQ(order.settings, parse_json(R"({"x":1})")->as_object());
  EXPECT_EQ(order.budget, -5);
}

TEST(DecodeObject, ReportsAllProblemsAtOnce) {
  EXPECT_EQ(summary<Order>(R"({
    "shop": "Corner", "items": [{"sku": "ab", "pieces": 0, "price": "1"}, {"price": 100, "nte": ""}, 7],
    "labels": {"a": 1, "b": "c"}, "payment": {"method": "card", "number": "1", "year": 1999},
    "speed": "fast", "gift": "yes", "settings": [], "colour": "red"})"),
            "/shop pattern\n"
            "/items/0/sku min_length\n"
            "/items/0/pieces minimum\n"
            "/items/0/price type\n"
            "/items/1/sku required\n"
            "/items/1/price maximum\n"
            "/items/1/nte unknown_field\n"
            "/items/2 type\n"
            "/labels/a type\n"
            "/payment/number min_length\n"
            "/payment/year minimum\n"
            "/speed enum\n"
            "/gift type\n"
            "/settings type\n"
            "/colour unknown_field");
}

TEST(DecodeObject, TellsPointerRuleMessageValueAndNearest) {
  EXPECT_EQ(
      only(problems_of<Order>(with(R"("speed":"expres")"))),
      (FieldProblem{"/speed", "enum", "must be one of slow, normal, express", "\"expres\"", "express"}));
  EXPECT_EQ(only(problems_of<Item>(R"({"sku":"abc","price":99.75})")),
            (FieldProblem{"/price", "maximum", "must be at most 99.5", "99.75", "99.5"}));
  EXPECT_EQ(only(problems_of<Item>(R"({"sku":"abcdefg","price":1})")),
            (FieldProblem{"/sku", "max_length", "must have at most 5 characters, has 7", "\"abcdefg\"", {}}));
  EXPECT_EQ(only(problems_of<Item>(R"({"price":1})")),
            (FieldProblem{"/sku", "required", "is required", "", {}}));
  EXPECT_EQ(only(problems_of<Order>(R"({"shop":"corner","items":[]})")),
            (FieldProblem{"/items", "min_items", "must have at least 1 items, has 0", "[]", {}}));
}

TEST(DecodeObject, UnknownFieldNamesTheNearestKnownOne) {
  EXPECT_EQ(only(problems_of<Order>(with(R"("chanels":["sms"])"))),
            (FieldProblem{"/chanels", "unknown_field", "is not known here", "", "channels"}));
  EXPECT_EQ(only(problems_of<Order>(with(R"("zzzzzz":1)"))).nearest, std::nullopt);
}

TEST(DecodeObject, AnUnknownFieldIsRefusedEvenWhenNull) {
  EXPECT_EQ(summary<Order>(with(R"("colour":null)")), "/colour unknown_field");
}

TEST(DecodeObject, PointersAreEscaped) {
  EXPECT_EQ(summary<Order>(with(R"("a/b~c":1)")), "/a~1b~0c unknown_field");
  EXPECT_EQ(summary<Order>(with(R"("labels":{"x/y":1,"~1":2})")), "/labels/x~1y type\n/labels/~01 type");
}

TEST(DecodeObject, WrongKindsSayWhatIsWanted) {
  EXPECT_EQ(only(problems_of<Order>("[]")), (FieldProblem{"", "type", "must be an object", "[secret]", {}}));
  EXPECT_EQ(only(problems_of<Item>("null")), (FieldProblem{"", "type", "must be an object", "null", {}}));
  EXPECT_EQ(only(problems_of<Order>(with(R"("gift":1)"))).message, "must be true or false");
  EXPECT_EQ(only(problems_of<Order>(with(R"("channels":"sms")"))).message, "must be a list");
  EXPECT_EQ(only(problems_of<Order>(with(R"("labels":[])"))).message, "must be an object");
  EXPECT_EQ(only(problems_of<Order>(with(R"("speed":1)"))).message, "must be a string");
}

TEST(DecodeObject, NullMeansAbsent) {
  const Order order = decoded<Order>(with(
      R"("payment":null,"token":null,"speed":null,"gift":null,"channels":null,"extra":null,"budget":null,"labels":{"a":null})"));
  EXPECT_EQ(order, decoded<Order>(with("")));
  EXPECT_EQ(summary<Order>(R"({"shop":null,"items":null})"), "/shop required\n/items required");
}

TEST(DecodeObject, NullInAListIsAValue) {
  EXPECT_EQ(summary<Order>(with(R"("channels":["a",null])")), "/channels/1 type");
  using AnyMap = std::map<std::string, json::value>;
  EXPECT_EQ(decoded<AnyMap>(R"({"a":null})").size(), 1u) << "where anything goes, null does";
}

TEST(DecodeObject, AbsentDefaultedFieldsKeepTheirDefault) {
  const Order order = decoded<Order>(with(""));
  EXPECT_EQ(order.speed, Speed::normal);
  EXPECT_EQ(order.channels, std::vector<std::string>{"mail"});
  EXPECT_EQ(order.payment, std::nullopt);
}

TEST(DecodeObject, WhatIsSentReplacesADefaultList) {
  EXPECT_EQ(decoded<Order>(with(R"("channels":["sms"])")).channels, std::vector<std::string>{"sms"});
  EXPECT_TRUE(decoded<Order>(with(R"("channels":[])")).channels.empty());
}

TEST(DecodeObject, HoldsItself) {
  const Folder folder = decoded<Folder>(R"({"name":"a","folders":[{"name":"b","folders":[{"name":"c"}]}]})");
  EXPECT_EQ(folder.folders.at(0).folders.at(0).name, "c");
  EXPECT_EQ(
      summary<Folder>(R"({"name":"a","folders":[{"name":"b"},{"folders":[{"nam":1}]}]})"),
      "/folders/1/name required\n/folders/1/folders/0/name required\n/folders/1/folders/0/nam unknown_field");
}

TEST(DecodeObject, AProblemOfATypeThatHoldsItselfShowsTheValue) {
  EXPECT_EQ(only(problems_of<Folder>("7")), (FieldProblem{"", "type", "must be an object", "7", {}}));
}

TEST(DecodeObject, AReportEndsAfterAHundredProblems) {
  std::string members;
  for (int i = 0; i < 5000; ++i) members += fmt::format("{}\"x{}\":1", i ? "," : "", i);
  const auto problems = problems_of<Order>(with(members));
  ASSERT_EQ(problems.size(), k_max_problems + 1);
  EXPECT_EQ(problems.back().rule, "too_many_problems");

  std::string texts = "\"\"";
  for (std::size_t i = 1; i < k_max_problems; ++i) texts += ",\"\"";
  EXPECT_EQ(problems_of<std::vector<int>>("[" + texts + "]").size(), k_max_problems)
      << "just as many as are kept";
}

TEST(DecodeObject, LongValuesAreCut) {
  const auto problem =
      only(problems_of<Item>(fmt::format(R"({{"sku":"{}","price":1}})", std::string(5000, 'x'))));
  EXPECT_EQ(problem.value.size(), 200u);
  EXPECT_TRUE(problem.value.ends_with("…"));
}

TEST(DecodeInteger, TakesWholeNumbersInAnyNotation) {
  EXPECT_EQ(decoded<int>("8.0"), 8);
  EXPECT_EQ(decoded<int>("1e3"), 1000);
  EXPECT_EQ(decoded<int>("-0"), 0);
  EXPECT_EQ(decoded<int>("-0.0"), 0);
  EXPECT_EQ(decoded<int>("1.5e1"), 15);
  EXPECT_EQ(decoded<std::int64_t>("9007199254740992.0"), 9007199254740992);
  EXPECT_EQ(decoded<std::int64_t>("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(decoded<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
}

TEST(DecodeInteger, RefusesFractions) {
  EXPECT_EQ(only(problems_of<int>("8.5")), (FieldProblem{"", "type", "must be a whole number", "8.5", {}}));
  EXPECT_EQ(summary<int>("1e-1"), " type");
}

TEST(DecodeInteger, RefusesWhatDoesNotFit) {
  EXPECT_EQ(only(problems_of<std::int64_t>("9223372036854775808")),
            (FieldProblem{"", "maximum", "must be at most 9223372036854775807", "9223372036854775808", {}}));
  EXPECT_EQ(summary<std::int64_t>("18446744073709551616"), " maximum");
  EXPECT_EQ(summary<std::int64_t>("-1e300"), " minimum");
  EXPECT_EQ(summary<std::int64_t>("9007199254740994.0"), " maximum");
  EXPECT_EQ(only(problems_of<int>("2147483648")).message, "must be at most 2147483647");
  EXPECT_EQ(only(problems_of<int>("-2147483649")).message, "must be at least -2147483648");
  EXPECT_EQ(summary<unsigned>("-1"), " minimum");
  EXPECT_EQ(summary<std::uint16_t>("65536"), " maximum");
}

TEST(DecodeNumber, TakesAnyNumber) {
  EXPECT_EQ(decoded<double>("7"), 7.0);
  EXPECT_EQ(decoded<double>("18446744073709551615"), 18446744073709551615.0);
  EXPECT_EQ(summary<double>("\"7\""), " type");
  EXPECT_EQ(summary<double>("true"), " type");
}

TEST(DecodeString, CountsCodePointsNotBytes) {
  EXPECT_EQ(summary<Item>(R"({"sku":"ééééé","price":1})"), "");
  EXPECT_EQ(summary<Item>(R"({"sku":"éé","price":1})"), "/sku min_length");
}

TEST(DecodeStrongType, ChecksItsOwnRuleAndThatOfThePlace) {
  const auto pieces = [](int count) {
    return summary<Item>(fmt::format(R"({{"sku":"abc","price":1,"pieces":{}}})", count));
  };
  EXPECT_EQ(pieces(50), "");
  EXPECT_EQ(pieces(51), "/pieces maximum") << "the place";
  EXPECT_EQ(pieces(0), "/pieces minimum") << "the type";
  EXPECT_EQ(pieces(13), "/pieces value") << "the type's check, though the place has a rule";
  EXPECT_EQ(only(problems_of<Pieces>("1001")).message, "must be at most 1000");
}

TEST(DecodeStrongType, ParsesOneText) {
  EXPECT_EQ(parse_text<ShopName>("corner")->value, "corner");
  const auto refused = parse_text<ShopName>("a b");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "The request must match ^[a-z][a-z0-9-]*$");
}

TEST(DecodeVariant, ChoosesByTag) {
  EXPECT_EQ(decoded<Payment>(R"({"email":"a@b","method":"invoice"})"), Payment(Invoice{"a@b"}));
  EXPECT_EQ(decoded<Payment>(R"({"method":"card","number":"4111111111111111","year":2030})"),
            Payment(Card{"4111111111111111", 2030}));
}

TEST(DecodeVariant, TellsWhatTagsThereAre) {
  EXPECT_EQ(only(problems_of<Payment>(R"({"method":"invoce","email":"a"})")),
            (FieldProblem{"/method", "enum", "must be one of invoice, card", "\"invoce\"", "invoice"}));
  EXPECT_EQ(only(problems_of<Payment>(R"({"email":"a"})")),
            (FieldProblem{"/method", "required", "is required: one of invoice, card", "", {}}));
  EXPECT_EQ(only(problems_of<Payment>(R"({"method":null})")).rule, "required");
  EXPECT_EQ(only(problems_of<Payment>(R"({"method":7})")),
            (FieldProblem{"/method", "type", "must be a string", "7", {}}));
  EXPECT_EQ(only(problems_of<Payment>("[]")).message, "must be an object");
}

TEST(DecodeVariant, MembersOfAnotherAlternativeAreUnknown) {
  EXPECT_EQ(summary<Order>(with(R"("payment":{"method":"invoice","email":"a","year":2030})")),
            "/payment/year unknown_field");
}

TEST(DecodeMap, BoundsItsSize) {
  EXPECT_EQ(summary<Order>(with(R"("labels":{"a":"","b":"","c":"","d":""})")), "/labels max_properties");
}

TEST(DecodeCrossCheck, RunsWhenTheFieldsAreFine) {
  EXPECT_EQ(only(problems_of<Order>(with(R"("gift":true,"speed":"slow")"))),
            (FieldProblem{"/speed", "gift_speed", "must not be slow for a gift", "\"slow\"", {}}));
  EXPECT_EQ(summary<std::vector<Order>>("[" + with("") + "," + with(R"("gift":true,"speed":"slow")") + "]"),
            "/1/speed gift_speed");
}

TEST(DecodeCrossCheck, DoesNotRunOnBrokenFields) {
  EXPECT_EQ(summary<Order>(with(R"("gift":true,"speed":"slow","budget":"x")")), "/budget type");
  EXPECT_EQ(summary<Order>(with(R"("gift":true,"speed":"slow","x":1)")), "/x unknown_field");
}

TEST(DecodeScalarsFromText, TurnsTextIntoTheScalarThatIsWanted) {
  const DecodeOptions text{.scalars_from_text = true};
  EXPECT_EQ(decoded<int>("\"8\"", text), 8);
  EXPECT_EQ(decoded<int>("\"8.0\"", text), 8);
  EXPECT_EQ(decoded<int>("\"-3\"", text), -3);
  EXPECT_EQ(decoded<double>("\"0.5\"", text), 0.5);
  EXPECT_EQ(decoded<double>("\"7\"", text), 7.0);
  EXPECT_EQ(decoded<bool>("\"true\"", text), true);
  EXPECT_EQ(decoded<bool>("\"false\"", text), false);
  EXPECT_EQ(decoded<std::vector<int>>(R"(["1",2])", text), (std::vector<int>{1, 2}));
  EXPECT_EQ(decoded<std::string>("\"8\"", text), "8") << "a string stays one";
}

TEST(DecodeScalarsFromText, RefusesTextThatIsNoScalar) {
  const DecodeOptions text{.scalars_from_text = true};
  for (const std::string_view bad :
       {R"("")", R"(" 8")", R"("8 ")", R"("+8")", R"("0x8")", R"("8.5")", R"("1,000")", R"("x")"}) {
    EXPECT_EQ(summary<int>(bad, text), " type") << bad;
  }
  for (const std::string_view bad :
       {R"("")", R"("nan")", R"("inf")", R"("-Infinity")", R"("1e999")", R"("0,5")"}) {
    EXPECT_EQ(summary<double>(bad, text), " type") << bad;
  }
  for (const std::string_view bad : {R"("True")", R"("1")", R"("yes")", "1"}) {
    EXPECT_EQ(summary<bool>(bad, text), " type") << bad;
  }
  EXPECT_EQ(summary<std::int64_t>("\"9223372036854775808\"", text), " maximum");
}

TEST(DecodeScalarsFromText, IsOffUnlessAskedFor) {
  EXPECT_EQ(summary<int>("\"8\""), " type");
  EXPECT_EQ(summary<double>("\"0.5\""), " type");
  EXPECT_EQ(summary<bool>("\"true\""), " type");
}

/// Decodes and looks for the secret in all that is answered.
template <class T>
void expect_hidden(std::string_view text, std::string_view secret) {
  const auto problems = problems_of<T>(text);
  ASSERT_FALSE(problems.empty()) << text;
  const Error error = invalid_request(problems);
  EXPECT_EQ(error.message.find(secret), std::string::npos) << error.message;
  for (const auto& problem : problems) {
    EXPECT_EQ(problem.value.find(secret), std::string::npos) << problem.pointer;
    EXPECT_EQ(problem.message.find(secret), std::string::npos) << problem.pointer;
    EXPECT_EQ(problem.nearest.value_or("").find(secret), std::string::npos) << problem.pointer;
  }
}

TEST(DecodeSecret, IsNeverShownInAProblem) {
  expect_hidden<ApiToken>(R"("hunter2")", "hunter2");
  expect_hidden<ApiToken>(R"("hunter2hunter2")", "hunter2");  // the check quotes it
  expect_hidden<Card>(R"({"number":"hunter2","year":2030})", "hunter2");
  expect_hidden<Card>(R"({"number":["hunter2"],"year":2030})", "hunter2");
  expect_hidden<Card>(R"("hunter2")", "hunter2");  // in place of the object that holds it
  expect_hidden<std::vector<Card>>(R"("hunter2")", "hunter2");
  expect_hidden<Order>(with(R"("payment":["hunter2"])"), "hunter2");
  expect_hidden<Order>(with(R"("tokn":"hunter2")"), "hunter2");                   // under a wrong name
  expect_hidden<Order>(with(R"("gift":true,"token":"tok_hunter2")"), "hunter2");  // in a check between fields
}

TEST(DecodeSecret, ProblemsStillSayWhatIsWrong) {
  EXPECT_EQ(only(problems_of<Card>(R"({"number":"123","year":2030})")),
            (FieldProblem{"/number", "min_length", "must have at least 12 characters", "[secret]", {}}))
      << "and not how long it is";
  EXPECT_EQ(only(problems_of<ApiToken>(R"("abcdefgh")")).message, "is not valid");
}

TEST(DecodeSecret, TheWordThatHidesItIsNotTakenForIt) {
  EXPECT_EQ(only(problems_of<Order>(with(R"("token":"[secret]")"))).message,
            "must be the secret itself, not [secret]");
  EXPECT_EQ(decoded<std::string>(R"("[secret]")"), "[secret]") << "elsewhere it is a text as any other";
}

TEST(InvalidRequest, NamesTheFirstProblemAndCountsTheRest) {
  const auto error_of = [](std::string_view text) { return decode<Item>(parse_json(text).value()).error(); };
  EXPECT_EQ(error_of(R"({"price":1})").message, "/sku is required");
  EXPECT_EQ(error_of(R"({})").message, "/sku is required; 1 more problem");
  EXPECT_EQ(error_of(R"({"skuu":1})").message, "/sku is required; 2 more problems");
  EXPECT_EQ(error_of(R"({"sku":"abc","price":-1})").message, "/price must be at least 0 (nearest: 0)");
  EXPECT_EQ(error_of(R"({})").code, codes::invalid_request);
  EXPECT_EQ(error_of(R"({})").problems.size(), 2u);
  EXPECT_FALSE(error_of(R"({})").retryable);
}

}  // namespace
}  // namespace instantstart
