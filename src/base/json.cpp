#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart {
namespace {

using boost::system::error_code;

/// Builds the value while Boost's parser reads, as its own parser does, and adds what that leaves open: a key
/// twice in one object, and doubles, which Boost 1.81 neither bounds nor rounds correctly.
class Builder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  /// The complaint, when it was this builder that stopped the parser.
  const std::string& complaint() const { return complaint_; }
  json::value release() { return stack_.release(); }

  bool on_document_begin(error_code&) {
    stack_.reset();
    return true;
  }
  bool on_document_end(error_code&) { return true; }

  bool on_object_begin(error_code&) {
    starts_.push_back(keys_.size());
    return true;
  }
  bool on_object_end(std::size_t size, error_code& failure) {
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(starts_.back());
    starts_.pop_back();
    std::sort(begin, keys_.end());
    if (const auto twice = std::adjacent_find(begin, keys_.end()); twice != keys_.end()) {
      return refuse(
          fmt::format("the key {} is twice in one object", to_text(json::value(shortened(*twice, 100)))),
          failure);
    }
    keys_.erase(begin, keys_.end());
    stack_.push_object(size);
    return true;
  }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t size, error_code&) {
    stack_.push_array(size);
    return true;
  }

  bool on_key_part(json::string_view part, std::size_t, error_code&) {
    key_ += part;
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view rest, std::size_t, error_code&) {
    key_ += rest;
    keys_.push_back(std::move(key_));
    key_.clear();
    stack_.push_key(rest);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(json::string_view rest, std::size_t, error_code&) {
    stack_.push_string(rest);
    return true;
  }

  /// Only a text that comes in parts has numbers in parts.
  bool on_number_part(json::string_view, error_code& failure) {
    return refuse("a number is not in one piece", failure);
  }
  bool on_int64(std::int64_t number, json::string_view, error_code&) {
    stack_.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, error_code&) {
    stack_.push_uint64(number);
    return true;
  }
  bool on_double(double approximate, json::string_view text, error_code& failure) {
    double exact = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), exact);
    if (problem == std::errc::result_out_of_range && std::abs(approximate) < 1)
      exact = 0;  // rounds to zero
    else if (problem != std::errc())
      return refuse("a number is too large for a double", failure);
    stack_.push_double(exact);
    return true;
  }

  bool on_bool(bool value, error_code&) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(error_code&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, error_code&) { return true; }
  bool on_comment(json::string_view, error_code&) { return true; }

 private:
  bool refuse(std::string complaint, error_code& failure) {
    complaint_ = std::move(complaint);
    failure = json::error::syntax;
    return false;
  }

  json::value_stack stack_;
  std::string key_;                  // the parts of a key so far
  std::vector<std::string> keys_;    // of all open objects, outermost first
  std::vector<std::size_t> starts_;  // where the keys of each open object start
  std::string complaint_;
};

json::parse_options strict(std::size_t max_depth) {
  json::parse_options options;
  options.max_depth = max_depth;
  options.allow_comments = false;
  options.allow_trailing_commas = false;
  options.allow_invalid_utf8 = false;
  return options;
}

}  // namespace

Result<json::value> parse_json(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.max_bytes) {
    return fail(codes::body_too_large, fmt::format("The JSON text has {} bytes; at most {} are read.",
                                                   text.size(), limits.max_bytes));
  }
  json::basic_parser<Builder> parser(strict(limits.max_depth));
  error_code failure;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), failure);
  if (!failure && read < text.size()) failure = json::error::extra_data;
  if (!failure) return parser.handler().release();

  const std::string& complaint = parser.handler().complaint();
  Error error{.code = std::string(codes::invalid_json),
              .message = fmt::format("Not valid JSON at byte {}: {}.", read,
                                     complaint.empty() ? failure.message() : complaint)};
  error.detail["offset"] = read;
  return fail(std::move(error));
}

}  // namespace instantstart
