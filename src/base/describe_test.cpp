#include "base/describe.h"

#include <thread>

#include <gtest/gtest.h>

#include "base/testing/orders.h"

namespace instantstart {
namespace {

using namespace instantstart::testing;

const Field& field_of(const Type& type, std::string_view name) {
  for (const auto& field : type.fields) {
    if (field.name == name) return field;
  }
  throw std::out_of_range("no such field");
}

TEST(TypeOf, HoldsNamesDocsRulesAndFields) {
  const Type& order = type_of<Order>();
  EXPECT_EQ(order.kind, Kind::object);
  EXPECT_EQ(order.name, "Order");
  EXPECT_EQ(order.fields.size(), 11u);
  EXPECT_EQ(field_of(order, "items").type().kind, Kind::array);
  EXPECT_EQ(&field_of(order, "items").type().element(), &type_of<Item>());
  EXPECT_EQ(type_of<ShopName>().rule.pattern->expression(), "^[a-z][a-z0-9-]*$");
  EXPECT_EQ(type_of<ShopName>().examples, std::vector<std::string_view>{"corner"});
  EXPECT_EQ(type_of<Speed>().values.at(2).name, "express");
  EXPECT_EQ(type_of<Payment>().alternatives.at(1).first, "card");
  EXPECT_EQ(&type_of<Payment>().alternatives.at(1).second(), &type_of<Card>());
}

TEST(TypeOf, IsBuiltOnceForAllThreads) {
  const Type* seen[4] = {};
  {
    std::vector<std::jthread> threads;
    for (auto& place : seen)
      threads.emplace_back([&place] { place = &type_of<std::map<std::string, std::vector<Folder>>>(); });
  }
  for (const auto* each : seen) EXPECT_EQ(each, seen[0]);
}

TEST(Field, IsRequiredUnlessOptionalOrDefaulted) {
  const Type& order = type_of<Order>();
  EXPECT_TRUE(field_of(order, "shop").required());
  EXPECT_FALSE(field_of(order, "payment").required());
  EXPECT_FALSE(field_of(order, "speed").required());
}

TEST(Field, ReachesItsMember) {
  Order order;
  const Field& token = field_of(type_of<Order>(), "token");
  EXPECT_EQ(token.peek(&order), nullptr);
  static_cast<ApiToken*>(token.emplace(&order))->value = "tok";
  EXPECT_EQ(order.token->value, "tok");
  EXPECT_EQ(token.peek(&order), &*order.token);

  const Field& channels = field_of(type_of<Order>(), "channels");
  channels.emplace(&order);
  EXPECT_TRUE(order.channels.empty()) << "a fresh member, without its default";
}

TEST(Type, KnowsTheDefaultsOfAnObject) {
  const auto* defaults = static_cast<const Order*>(type_of<Order>().access.defaults());
  EXPECT_EQ(*defaults, Order{});
  EXPECT_EQ(defaults->channels, std::vector<std::string>{"mail"});
}

TEST(StrongTypes, CompareByValue) {
  EXPECT_EQ(ShopName{"a"}, ShopName{"a"});
  EXPECT_LT(ShopName{"a"}, ShopName{"b"});
  EXPECT_LT(Pieces{1}, Pieces{2});
}

TEST(IntegerTypes, CarryTheBoundsOfTheirCppType) {
  EXPECT_EQ(type_of<int>().rule.max, 2147483647.0);
  EXPECT_EQ(type_of<std::uint16_t>().rule.min, 0.0);
  EXPECT_EQ(type_of<std::int64_t>().rule.max, std::nullopt);
}

}  // namespace
}  // namespace instantstart
