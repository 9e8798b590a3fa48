// resource.Quantity: "500m", "1.5Gi", "1e3". Exact: nano units in 128 bits, as far as Kubernetes itself is
// exact.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace instantstart::sandbox::kubernetes {

class Quantity {
 public:
  enum class Format { decimal_si, binary_si, decimal_exponent };

  Quantity() = default;  ///< "0".
  static Quantity of(std::int64_t value, Format format = Format::decimal_si);
  /// Errors: `invalid_request` in kube's words (`quantities must match the regular expression …`, `unable to
  /// parse quantity's suffix`). Finer than nano is rounded up (away from zero); above 2^63-1 is capped, as
  /// Kubernetes does.
  static Result<Quantity> parse(std::string_view text);

  /// The canonical form: no fraction, the largest suffix that keeps it exact: "1500m", "1536Mi".
  std::string to_text() const;
  Format format() const { return format_; }
  std::int64_t value() const;        ///< Whole units, rounded up.
  std::int64_t milli_value() const;  ///< Thousandths, rounded up; capped.
  bool is_zero() const { return nano_ == 0; }

  /// The format of the left one stays, unless that is zero.
  Quantity operator+(const Quantity& other) const;
  Quantity operator-(const Quantity& other) const;
  Quantity operator-() const;
  Quantity times(std::int64_t factor) const;

  /// By value: "1" equals "1000m".
  bool operator==(const Quantity& other) const { return nano_ == other.nano_; }
  std::strong_ordering operator<=>(const Quantity& other) const { return nano_ <=> other.nano_; }

 private:
  __extension__ typedef __int128 Nano;
  Nano nano_ = 0;
  Format format_ = Format::decimal_si;
};

}  // namespace instantstart::sandbox::kubernetes
