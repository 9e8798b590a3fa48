#include "base/testing/orders.h"

namespace instantstart::testing {

Type describe(ShopName*) {
  return text_type<ShopName>("ShopName", "The name of a shop.", {.max = 10, .pattern = "^[a-z][a-z0-9-]*$"},
                             {"corner"});
}

Type describe(ApiToken*) {
  Type type = text_type<ApiToken>("ApiToken", "A token.", {.min = 8, .check = [](std::string_view text) {
                                                             std::optional<std::string> complaint;
                                                             if (!text.starts_with("tok_")) {
                                                               complaint = "must start with tok_, not " +
                                                                           std::string(text);
                                                             }
                                                             return complaint;
                                                           }});
  type.secret = true;
  return type;
}

Type describe(Pieces*) {
  return number_type<Pieces>("Pieces", "How many.",
                             {.min = 1, .max = 1000, .check = [](std::string_view text) {
                                std::optional<std::string> complaint;
                                if (text == "13") complaint = "must not be unlucky";
                                return complaint;
                              }});
}

Type describe(Speed*) {
  return enum_type<Speed>("Speed", "How fast.",
                          {{Speed::slow, {"slow", "In a week."}},
                           {Speed::normal, {"normal", "In a day."}},
                           {Speed::express, {"express", "In an hour."}}});
}

Type describe(Item*) {
  return object_type<Item>(
      "Item", "One line of an order.",
      {field<&Item::sku>("sku", "What.", {.rule = {.min = 3, .max = 5}}),
       field<&Item::pieces>("pieces", "How many.", {.defaulted = true, .rule = {.max = 50}}),
       field<&Item::price>("price", "Each.", {.rule = {.min = 0, .max = 99.5}}),
       field<&Item::note>("note", "For the packer.")});
}

Type describe(Card*) {
  return object_type<Card>(
      "Card", "A card.",
      {field<&Card::number>("number", "Its number.", {.secret = true, .rule = {.min = 12, .max = 19}}),
       field<&Card::year>("year", "When it expires.", {.rule = {.min = 2000, .max = 2100}})});
}

Type describe(Invoice*) {
  return object_type<Invoice>("Invoice", "Paid later.", {field<&Invoice::email>("email", "Where it goes.")});
}

Type describe(Payment*) {
  return variant_type<Payment>("Payment", "How it is paid.", "method", {"invoice", "card"});
}

namespace {

void gifts_go_fast(const Order& order, std::vector<FieldProblem>& problems) {
  if (order.gift && order.speed == Speed::slow) {
    problems.push_back({"/speed", "gift_speed", "must not be slow for a gift", "\"slow\"", {}});
  }
  if (order.gift && order.token) {
    problems.push_back({"/token", "gift_token", "must be absent for a gift", order.token->value, {}});
  }
}

}  // namespace

Type describe(Order*) {
  return object_type<Order>(
      "Order", "What a shop sells.",
      {field<&Order::shop>("shop", "Which shop."),
       field<&Order::items>("items", "What is bought.", {.rule = {.min = 1, .max = 200}}),
       field<&Order::labels>("labels", "Free.", {.defaulted = true, .rule = {.max = 3}}),
       field<&Order::payment>("payment", "How it is paid."), field<&Order::token>("token", "Who buys."),
       field<&Order::speed>("speed", "How fast.", {.defaulted = true}),
       field<&Order::gift>("gift", "Wrapped.", {.defaulted = true}),
       field<&Order::channels>("channels", "Who is told.", {.defaulted = true}),
       field<&Order::extra>("extra", "Anything."), field<&Order::settings>("settings", "Any object."),
       field<&Order::budget>("budget", "In cents.")},
      &gifts_go_fast);
}

Type describe(Folder*) {
  return object_type<Folder>("Folder", "Holds folders.",
                             {field<&Folder::name>("name", "Its name."),
                              field<&Folder::folders>("folders", "Inside.", {.defaulted = true})});
}

}  // namespace instantstart::testing
