#include <gtest/gtest.h>

#include "base/decode.h"
#include "base/testing/orders.h"

namespace instantstart {
namespace {

using namespace instantstart::testing;

Order full_order() {
  Order order;
  order.shop = {"corner"};
  order.items = {{"abc", {2}, 1.5, "blue"}, {"def", {1}, 0, {}}};
  order.labels = {{"b", "2"}, {"a/b", "1"}};
  order.payment = Card{"4111111111111111", 2030};
  order.token = ApiToken{"tok_12345"};
  order.speed = Speed::express;
  order.channels = {};
  order.extra = parse_json(R"({"deep":[1,null,{"x":0.1}]})").value();
  order.settings = parse_json(R"({"y":[]})")->as_object();
  order.budget = -1;
  return order;
}

TEST(Encode, WritesMembersInTableOrder) {
  EXPECT_EQ(to_text(encode(full_order(), {.reveal_secrets = true})),
            R"({"shop":"corner","items":[{"sku":"abc","pieces":2,"price":1.5,"note":"blue"},)"
            R"({"sku":"def","pieces":1,"price":0.0}],"labels":{"a/b":"1","b":"2"},)"
            R"("payment":{"method":"card","number":"4111111111111111","year":2030},"token":"tok_12345",)"
            R"("speed":"express","gift":false,"channels":[],"extra":{"deep":[1,null,{"x":0.1}]},)"
            R"("settings":{"y":[]},"budget":-1})");
}

TEST(Encode, LeavesAbsentOptionalsOutAndWritesDefaults) {
  EXPECT_EQ(to_text(encode(Item{.sku = "abc"})), R"({"sku":"abc","pieces":1,"price":0.0})");
}

TEST(Encode, HidesSecretsUnlessToldToReveal) {
  const Order order = full_order();
  const std::string text = to_text(encode(order));
  EXPECT_EQ(text.find("4111111111111111"), std::string::npos);
  EXPECT_EQ(text.find("tok_12345"), std::string::npos);
  EXPECT_NE(text.find(R"("number":"[secret]","year":2030)"), std::string::npos);
  EXPECT_NE(text.find(R"("token":"[secret]")"), std::string::npos);
  EXPECT_EQ(to_text(encode(std::vector<ApiToken>{{"tok_1"}, {"tok_2"}})), R"(["[secret]","[secret]"])");
}

TEST(Encode, AnEmptySecretLooksLikeAnyOther) {
  EXPECT_EQ(to_text(encode(Card{})), R"({"number":"[secret]","year":0})");
}

TEST(Encode, AValueOutsideItsEnumerationIsNull) {
  EXPECT_EQ(to_text(encode(static_cast<Speed>(77))), "null");
}

TEST(Encode, ComesBackEqual) {
  const Order order = full_order();
  const auto text = to_text(encode(order, {.reveal_secrets = true}));
  const auto back = decode<Order>(parse_json(text).value());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, order);

  const Folder folder{"a", {{"b", {{"c", {}}}}, {"d", {}}}};
  EXPECT_EQ(decode<Folder>(encode(folder)).value(), folder);
  const Payment payment = Invoice{"a@b"};
  EXPECT_EQ(decode<Payment>(encode(payment)).value(), payment);
}

TEST(Encode, ExtremeNumbersComeBackEqual) {
  for (const auto number :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(decode<std::int64_t>(parse_json(to_text(encode(number))).value()).value(), number);
  }
  for (const double number : {0.1, -1e-300, 1.7976931348623157e308, 9007199254740993.0}) {
    EXPECT_EQ(decode<double>(parse_json(to_text(encode(number))).value()).value(), number);
  }
}

}  // namespace
}  // namespace instantstart
