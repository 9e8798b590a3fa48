#include "sandbox/kubernetes/objects/quantity.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/error_codes.h"

namespace instantstart::sandbox::kubernetes {
namespace {

__extension__ typedef __int128 Wide;

constexpr Wide k_nano = 1'000'000'000;
constexpr Wide k_max = Wide{std::numeric_limits<std::int64_t>::max()} * k_nano;

struct Suffix {
  std::string_view text;
  Quantity::Format format;
  int exponent;  ///< Of 10 or 2.
};

constexpr std::array k_suffixes = {
    Suffix{"n", Quantity::Format::decimal_si, -9}, Suffix{"u", Quantity::Format::decimal_si, -6},
    Suffix{"m", Quantity::Format::decimal_si, -3}, Suffix{"", Quantity::Format::decimal_si, 0},
    Suffix{"k", Quantity::Format::decimal_si, 3},  Suffix{"M", Quantity::Format::decimal_si, 6},
    Suffix{"G", Quantity::Format::decimal_si, 9},  Suffix{"T", Quantity::Format::decimal_si, 12},
    Suffix{"P", Quantity::Format::decimal_si, 15}, Suffix{"E", Quantity::Format::decimal_si, 18},
    Suffix{"Ki", Quantity::Format::binary_si, 10}, Suffix{"Mi", Quantity::Format::binary_si, 20},
    Suffix{"Gi", Quantity::Format::binary_si, 30}, Suffix{"Ti", Quantity::Format::binary_si, 40},
    Suffix{"Pi", Quantity::Format::binary_si, 50}, Suffix{"Ei", Quantity::Format::binary_si, 60}};

constexpr std::string_view k_form =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view k_suffix_unknown = "unable to parse quantity's suffix";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "e3", "E-2": the exponent, as far as it can matter.
std::optional<int> exponent_of(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  const bool negative = text[0] == '-';
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  int value = 0;
  for (const char c : text) value = std::min(value * 10 + (c - '0'), 1000);
  return negative ? -value : value;
}

/// value / 10^digits in nano units, times the scale, rounded up, capped.
Wide scaled(std::string_view digits, int decimal_exponent, int binary_exponent) {
  // Leading zeros cost nothing; past 30 digits everything is above the cap or below nano.
  Wide value = 0;
  bool lost = false;
  const Wide top = k_max * 1000;
  for (const char c : digits) {
    if (value > top) {
      lost = lost || c != '0';
      ++decimal_exponent;
    } else {
      value = value * 10 + (c - '0');
    }
  }
  if (value == 0) return 0;
  int power = decimal_exponent + 9;
  for (; binary_exponent > 0; --binary_exponent) {
    while (value > k_max && power < 0) {
      lost = lost || value % 10 != 0;
      value /= 10;
      ++power;
    }
    if (value > k_max) return k_max;
    value *= 2;
  }
  for (; power > 0; --power) {
    if (value > k_max) return k_max;
    value *= 10;
  }
  for (; power < 0 && value > 0; ++power) {
    lost = lost || value % 10 != 0;
    value /= 10;
  }
  if (lost) ++value;
  return std::min(value, k_max);
}

std::string digits_of(Wide value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  if (negative) value = -value;
  std::string out;
  for (; value > 0; value /= 10) out.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
  if (negative) out.push_back('-');
  std::ranges::reverse(out);
  return out;
}

Wide capped(Wide value) { return std::clamp(value, -k_max, k_max); }

std::int64_t rounded_up(Wide nano, Wide unit) {
  Wide whole = nano / unit;
  if (nano % unit != 0) whole += nano > 0 ? 1 : -1;
  constexpr Wide top = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(whole, -top, top));
}

}  // namespace

Quantity Quantity::of(std::int64_t value, Format format) {
  Quantity out;
  out.nano_ = capped(Wide{value} * k_nano);
  out.format_ = format;
  return out;
}

Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) return fail(codes::invalid_request, std::string(k_form));
  auto rest = text;
  const bool negative = rest[0] == '-';
  if (rest[0] == '-' || rest[0] == '+') rest.remove_prefix(1);
  std::string digits;
  int fraction = 0;
  bool point = false;
  std::size_t used = 0;
  for (; used < rest.size(); ++used) {
    const char c = rest[used];
    if (c == '.' && !point) {
      point = true;
    } else if (is_digit(c)) {
      digits.push_back(c);
      if (point) ++fraction;
    } else {
      break;
    }
  }
  if (digits.empty() || text.size() > 256) return fail(codes::invalid_request, std::string(k_form));
  const auto suffix_text = rest.substr(used);
  Quantity out;
  const auto suffix = std::ranges::find(k_suffixes, suffix_text, &Suffix::text);
  int decimal = 0;
  int binary = 0;
  if (suffix != k_suffixes.end()) {
    out.format_ = suffix->format;
    (out.format_ == Format::binary_si ? binary : decimal) = suffix->exponent;
  } else if (const auto exponent = exponent_of(suffix_text)) {
    out.format_ = Format::decimal_exponent;
    decimal = *exponent;
  } else {
    const bool form = std::ranges::all_of(suffix_text, [](char c) {
      return is_digit(c) || std::string_view("eEinumkKMGTP+-").find(c) != std::string_view::npos;
    });
    return fail(codes::invalid_request, std::string(form ? k_suffix_unknown : k_form));
  }
  out.nano_ = scaled(digits, decimal - fraction, binary);
  if (negative) out.nano_ = -out.nano_;
  return out;
}

std::string Quantity::to_text() const {
  if (nano_ == 0) return "0";
  auto format = format_;
  // Kubernetes: binary suffixes only say whole multiples, and nothing below 1024.
  const Wide size = nano_ < 0 ? -nano_ : nano_;
  if (format == Format::binary_si && (size < 1024 * k_nano || size % k_nano != 0))
    format = Format::decimal_si;
  if (format == Format::binary_si) {
    Wide whole = nano_ / k_nano;
    int exponent = 0;
    for (; exponent < 60 && whole % 1024 == 0; exponent += 10) whole /= 1024;
    const auto suffix = std::ranges::find_if(k_suffixes, [&](const Suffix& row) {
      return row.format == Format::binary_si && row.exponent == exponent;
    });
    return digits_of(whole) + (exponent == 0 ? std::string() : std::string(suffix->text));
  }
  Wide value = nano_;
  int exponent = -9;
  for (; exponent < 18 && value % 1000 == 0; exponent += 3) value /= 1000;
  if (format == Format::decimal_exponent) {
    return digits_of(value) + (exponent == 0 ? std::string() : "e" + std::to_string(exponent));
  }
  const auto suffix = std::ranges::find_if(k_suffixes, [&](const Suffix& row) {
    return row.format == Format::decimal_si && row.exponent == exponent;
  });
  return digits_of(value) + std::string(suffix->text);
}

std::int64_t Quantity::value() const { return rounded_up(nano_, k_nano); }
std::int64_t Quantity::milli_value() const { return rounded_up(nano_, k_nano / 1000); }

Quantity Quantity::operator+(const Quantity& other) const {
  Quantity out = *this;
  if (is_zero()) out.format_ = other.format_;
  out.nano_ = capped(nano_ + other.nano_);
  return out;
}

Quantity Quantity::operator-(const Quantity& other) const { return *this + -other; }

Quantity Quantity::operator-() const {
  Quantity out = *this;
  out.nano_ = -nano_;
  return out;
}

Quantity Quantity::times(std::int64_t factor) const {
  Quantity out = *this;
  Wide product = 0;
  if (__builtin_mul_overflow(nano_, Wide{factor}, &product))
    product = (nano_ < 0) == (factor < 0) ? k_max : -k_max;
  out.nano_ = capped(product);
  return out;
}

}  // namespace instantstart::sandbox::kubernetes
