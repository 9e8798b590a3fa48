#include "aws/protocols/testing/random_value.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace instantstart::aws::testing {
namespace {

constexpr std::array<std::string_view, 14> k_pieces{"a", "Z", "9", "-",  ".", "/", "+",
                                                    " ", "&", "<", "\"", "=", "é", "日"};
constexpr std::array<std::string_view, 4> k_plain{"a", "Z", "9", "-"};
constexpr int k_deepest = 8;

class Filler {
 public:
  Filler(Random& random, RandomOptions options) : random_(random), options_(options) {}

  /// Whether anything was filled.
  bool structure(const ShapeInfo& shape, void* object, int depth) {
    const std::size_t chosen = shape.is_union ? below(shape.members.size()) : 0;
    bool filled = false;
    for (std::size_t i = 0; i < shape.members.size(); ++i) {
      const MemberInfo& member = shape.members[i];
      const bool needed = member.required || member.location == Location::uri;
      const bool wanted = shape.is_union ? i == chosen : needed || below(10) < (depth < 3 ? 7u : 3u);
      if (!wanted || (depth > k_deepest && !needed && !shape.is_union)) continue;
      if (member.location == Location::status_code) continue;
      place_ = member.location;
      format_ = member.wire.timestamp;
      value(*member.shape, member.emplace(object), depth + 1);
      filled = true;
    }
    if (filled || options_.empty_collections || shape.members.empty()) return filled;
    // Something has to be there: a scalar where there is one, since a type may hold itself.
    const auto scalar = std::ranges::find_if(shape.members, [](const MemberInfo& member) {
      return member.shape->kind != ShapeKind::structure && member.shape->kind != ShapeKind::list &&
             member.shape->kind != ShapeKind::map;
    });
    const MemberInfo& member = scalar == shape.members.end() ? shape.members[0] : *scalar;
    value(*member.shape, member.emplace(object), depth + 1);
    return true;
  }

 private:
  void value(const ShapeInfo& shape, void* target, int depth) {
    switch (shape.kind) {
      case ShapeKind::structure: structure(shape, target, depth); return;
      case ShapeKind::list: return list(shape, target, depth);
      case ShapeKind::map: return map(shape, target, depth);
      case ShapeKind::string: *static_cast<std::string*>(target) = text(shape); return;
      case ShapeKind::integer: *static_cast<std::int64_t*>(target) = integer(shape); return;
      case ShapeKind::number:
        *static_cast<double*>(target) = least(shape, -10) + random_.unit() * 1e6;
        return;
      case ShapeKind::boolean: *static_cast<bool*>(target) = below(2) == 1; return;
      case ShapeKind::timestamp: *static_cast<Timestamp*>(target) = timestamp(); return;
      case ShapeKind::blob: static_cast<Blob*>(target)->bytes = bytes(); return;
    }
  }

  std::size_t count(const ShapeInfo& shape) {
    const auto fewest = static_cast<std::size_t>(least(shape, 0));
    const bool may_be_empty = options_.empty_collections && place_ == Location::body;
    return std::max(fewest, may_be_empty ? below(3) : 1 + below(2));
  }

  void list(const ShapeInfo& shape, void* list, int depth) {
    const std::size_t size = count(shape);
    for (std::size_t i = 0; i < size; ++i) value(*shape.element.shape, shape.list->append(list), depth + 1);
  }

  void map(const ShapeInfo& shape, void* map, int depth) {
    const std::size_t size = count(shape);
    for (std::size_t i = 0; i < size; ++i) {
      value(*shape.element.shape, shape.map->insert(map, text(*shape.key.shape)), depth + 1);
    }
  }

  std::string text(const ShapeInfo& shape) {
    if (!shape.values.empty()) return std::string(shape.values[below(shape.values.size())]);
    const bool plain = place_ == Location::header || place_ == Location::header_map;
    const std::size_t size = static_cast<std::size_t>(std::max(least(shape, 0), 1.0)) + below(5);
    std::string text;
    for (std::size_t i = 0; i < size; ++i)
      text += plain ? k_plain[below(k_plain.size())] : k_pieces[below(k_pieces.size())];
    return text;
  }

  std::int64_t integer(const ShapeInfo& shape) {
    return static_cast<std::int64_t>(least(shape, -5)) + static_cast<std::int64_t>(below(1'000'000));
  }

  Timestamp timestamp() {
    const auto seconds = std::chrono::seconds(below(4'000'000'000));
    const bool whole = place_ == Location::header || format_ == TimestampFormat::rfc822;
    return Timestamp{std::chrono::sys_time<std::chrono::microseconds>(seconds) +
                     std::chrono::microseconds(whole ? 0 : below(1'000'000))};
  }

  std::string bytes() {
    std::string bytes(1 + below(20), '\0');
    for (char& byte : bytes) byte = static_cast<char>(below(256));
    return bytes;
  }

  static double least(const ShapeInfo& shape, double otherwise) {
    return std::isfinite(shape.limits.min) ? std::ceil(shape.limits.min) : otherwise;
  }

  std::size_t below(std::size_t bound) { return random_.next() % bound; }

  Random& random_;
  RandomOptions options_;
  // Of the member that is being filled.
  Location place_ = Location::body;
  TimestampFormat format_ = TimestampFormat::by_protocol;
};

}  // namespace

void fill_random(const ShapeInfo& shape, void* structure, Random& random, RandomOptions options) {
  Filler(random, options).structure(shape, structure, 0);
}

}  // namespace instantstart::aws::testing
