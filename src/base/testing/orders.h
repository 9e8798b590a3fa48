// Described types that use every kind once, for the tests of decoding and encoding.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/decode.h"

namespace instantstart::testing {

struct ShopName : Text<ShopName> {};
Type describe(ShopName*);

struct ApiToken : Text<ApiToken> {};
Type describe(ApiToken*);

struct Pieces : Number<Pieces> {};
Type describe(Pieces*);

enum class Speed { slow, normal, express };
Type describe(Speed*);

struct Item {
  std::string sku;
  Pieces pieces{1};
  double price = 0;
  std::optional<std::string> note;
  bool operator==(const Item&) const = default;
};
Type describe(Item*);

struct Card {
  std::string number;
  int year = 0;
  bool operator==(const Card&) const = default;
};
Type describe(Card*);

struct Invoice {
  std::string email;
  bool operator==(const Invoice&) const = default;
};
Type describe(Invoice*);

using Payment = std::variant<Invoice, Card>;
Type describe(Payment*);

struct Order {
  ShopName shop;
  std::vector<Item> items;
  std::map<std::string, std::string> labels;
  std::optional<Payment> payment;
  std::optional<ApiToken> token;
  Speed speed = Speed::normal;
  bool gift = false;
  std::vector<std::string> channels = {"mail"};
  std::optional<json::value> extra;
  std::optional<json::object> settings;
  std::optional<std::int64_t> budget;
  bool operator==(const Order&) const = default;
};
Type describe(Order*);

/// Holds itself.
struct Folder {
  std::string name;
  std::vector<Folder> folders;
  bool operator==(const Folder&) const = default;
};
Type describe(Folder*);

}  // namespace instantstart::testing
