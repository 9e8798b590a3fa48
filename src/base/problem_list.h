// What a decoder found wrong, and where. Used by decode.cpp alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/decode.h"

namespace instantstart {

/// A place in a request. The pointer is put together only when there is something to report.
class Place {
 public:
  Place() = default;  ///< The whole request.

  /// One level down; `this` must outlive it.
  Place member(std::string_view key, bool secret = false) const {
    return {this, key, 0, false, secret_ || secret};
  }
  Place item(std::size_t index) const { return {this, {}, index, true, secret_}; }
  /// The same place, where the type says that it is secret.
  Place as_secret(bool secret) const {
    Place same = *this;
    same.secret_ = secret_ || secret;
    return same;
  }

  bool secret() const { return secret_; }
  std::string pointer() const;

 private:
  Place(const Place* outer, std::string_view key, std::size_t index, bool is_item, bool secret)
      : outer_(outer), key_(key), index_(index), is_item_(is_item), secret_(secret) {}

  const Place* outer_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
  bool is_item_ = false;
  bool secret_ = false;
};

/// Whether a value of the type may have a secret somewhere inside.
bool holds_secret(const Type& type);

/// The value at one place, and the type that it should be of.
struct Sent {
  const Type& type;
  const json::value& value;
  const Place& at;
};

/// What is counted in a value, and what the rules on it are called.
struct Measure {
  std::string_view unit;
  std::string_view too_few;
  std::string_view too_many;
};

/// Collects problems up to k_max_problems. Values that may hold a secret are never shown.
class ProblemList {
 public:
  std::size_t size() const { return problems_.size(); }
  /// True when there are more problems than are kept: it makes no sense to look for others.
  bool overflowed() const { return overflowed_; }
  std::vector<FieldProblem> release();

  void add(FieldProblem problem);
  void add(const Sent& sent, std::string_view rule, std::string message,
           std::optional<std::string> near = {});
  void wrong_kind(const Sent& sent);
  void not_one_of(const Sent& sent, std::span<const std::string_view> names);

  // Each adds a problem and answers false when the rule is broken.
  bool in_range(const Sent& sent, const Rule& rule, double number);
  bool in_size(const Sent& sent, const Rule& rule, std::size_t size, const Measure& measure);
  bool matches(const Sent& sent, const Rule& rule, std::string_view text);
  bool passes_check(const Sent& sent, const Rule& rule, std::string_view text);

 private:
  std::vector<FieldProblem> problems_;
  bool overflowed_ = false;
};

}  // namespace instantstart
