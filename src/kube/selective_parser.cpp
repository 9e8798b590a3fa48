#include "kube/selective_parser.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include "base/error_codes.h"

namespace instantstart::kube {
namespace {

constexpr std::size_t k_value_bytes = 16;  // what a boost::json::value takes itself
constexpr std::size_t k_max_key_bytes = 64 * 1024;

enum class Refusal { none, not_json, not_an_object, too_large };

/// Receives tokens from Boost.JSON's parser and builds what is selected. Named as its Handler concept wants.
class Handler {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names are Boost's
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = k_max_key_bytes;
  static constexpr std::size_t max_string_size = std::size_t(-1);
  // NOLINTEND(readability-identifier-naming)

  using Code = boost::json::error_code;
  using Text = boost::json::string_view;

  Handler(FieldSelection selection, std::size_t max_kept, SelectiveParser::Take document,
          SelectiveParser::Take item)
      : selection_(std::move(selection)),
        max_kept_(max_kept),
        take_document_(std::move(document)),
        take_item_(std::move(item)) {}

  Refusal refusal() const { return refusal_; }
  /// Items and documents that were handed out.
  std::size_t handed_out() const { return handed_out_; }

  bool on_document_begin(Code&) {
    envelope_.reset();
    frames_.clear();
    skipping_ = 0;
    skip_next_ = false;
    kept_ = 0;
    return true;
  }
  bool on_document_end(Code&) {
    ++handed_out_;
    take_document_(std::move(envelope_.release().as_object()));
    return true;
  }
  bool on_object_begin(Code& code) { return open(false, code); }
  bool on_array_begin(Code& code) { return open(true, code); }
  bool on_object_end(std::size_t, Code& code) { return close(code); }
  bool on_array_end(std::size_t, Code& code) { return close(code); }

  bool on_key_part(Text part, std::size_t, Code&) {
    if (skipping_ == 0) key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(Text part, std::size_t, Code& code) {
    if (skipping_ > 0) return true;
    key_.append(part.data(), part.size());
    const std::string key = std::exchange(key_, {});
    Frame& frame = frames_.back();
    next_items_ = false;
    if (take_item_ && frames_.size() == 1) {
      next_items_ = key == "items";
      next_ = &everything_;
    } else {
      next_ = frame.selection->below(key);
    }
    if (next_items_) return true;
    skip_next_ = next_ == nullptr;
    if (skip_next_) return true;
    stack().push_key(key);
    return keep(key.size(), code);
  }

  bool on_string_part(Text part, std::size_t, Code& code) {
    if (frames_.empty() || frames_.back().items) return refuse(Refusal::not_an_object, code);
    if (skipping_ > 0 || skip_next_ || next_items_) return true;
    stack().push_chars(part);
    return keep(part.size(), code);
  }
  bool on_string(Text part, std::size_t, Code& code) {
    return scalar(code, part.size(), [&](auto& stack) { stack.push_string(part); });
  }
  bool on_number_part(Text, Code&) { return true; }
  bool on_int64(std::int64_t number, Text, Code& code) {
    return scalar(code, 0, [&](auto& stack) { stack.push_int64(number); });
  }
  bool on_uint64(std::uint64_t number, Text, Code& code) {
    return scalar(code, 0, [&](auto& stack) { stack.push_uint64(number); });
  }
  bool on_double(double number, Text, Code& code) {
    return scalar(code, 0, [&](auto& stack) { stack.push_double(number); });
  }
  bool on_bool(bool value, Code& code) {
    return scalar(code, 0, [&](auto& stack) { stack.push_bool(value); });
  }
  bool on_null(Code& code) {
    if (skipping_ == 0 && std::exchange(next_items_, false)) return true;  // Go writes an empty list as null
    return scalar(code, 0, [](auto& stack) { stack.push_null(); });
  }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }

 private:
  struct Frame {
    const FieldSelection* selection;  ///< What is kept of its members; of an array: of its elements.
    bool array;
    bool items;  ///< The array whose elements are handed out.
    std::size_t kept = 0;
  };

  bool in_item() const { return item_depth_ > 0; }
  json::value_stack& stack() { return in_item() ? item_ : envelope_; }

  bool refuse(Refusal refusal, Code& code) {
    refusal_ = refusal;
    code = boost::json::error::syntax;
    return false;
  }
  bool keep(std::size_t bytes, Code& code) {
    kept_ += bytes;
    return kept_ <= max_kept_ || refuse(Refusal::too_large, code);
  }

  template <class Push>
  bool scalar(Code& code, std::size_t bytes, Push push) {
    if (frames_.empty()) return refuse(Refusal::not_an_object, code);
    if (skipping_ > 0) return true;
    if (std::exchange(skip_next_, false)) return true;
    if (next_items_ || frames_.back().items) return refuse(Refusal::not_an_object, code);
    push(stack());
    ++frames_.back().kept;
    return keep(k_value_bytes + bytes, code);
  }

  bool open(bool array, Code& code) {
    if (frames_.empty()) {
      if (array) return refuse(Refusal::not_an_object, code);
      frames_.push_back(
          {.selection = take_item_ ? &everything_ : &selection_, .array = false, .items = false});
      return true;
    }
    if (skipping_ > 0 || std::exchange(skip_next_, false)) {
      ++skipping_;
      return true;
    }
    const Frame& parent = frames_.back();
    if (std::exchange(next_items_, false)) {
      if (!array) return refuse(Refusal::not_an_object, code);
      frames_.push_back({.selection = &selection_, .array = true, .items = true});
      return true;
    }
    if (parent.items) {
      if (array) return refuse(Refusal::not_an_object, code);
      item_depth_ = frames_.size() + 1;
      item_.reset();
      kept_ = 0;
    }
    frames_.push_back({.selection = parent.array ? parent.selection : next_, .array = array, .items = false});
    return keep(k_value_bytes, code);
  }

  bool close(Code&) {
    if (skipping_ > 0) {
      --skipping_;
      return true;
    }
    const Frame frame = frames_.back();
    frames_.pop_back();
    if (frame.items) return true;
    if (frame.array) {
      stack().push_array(frame.kept);
    } else {
      stack().push_object(frame.kept);
    }
    if (in_item() && frames_.size() + 1 == item_depth_) {
      item_depth_ = 0;
      kept_ = 0;
      ++handed_out_;
      take_item_(std::move(item_.release().as_object()));
    } else if (!frames_.empty()) {
      ++frames_.back().kept;
    }
    return true;
  }

  const FieldSelection everything_;
  FieldSelection selection_;
  std::size_t max_kept_;
  SelectiveParser::Take take_document_;
  SelectiveParser::Take take_item_;
  json::value_stack envelope_;
  json::value_stack item_;
  std::vector<Frame> frames_;
  std::string key_;
  const FieldSelection* next_ = nullptr;  ///< Of the member whose name came last.
  bool skip_next_ = false;                ///< The value that comes next is not kept.
  bool next_items_ = false;               ///< The value that comes next is the list's items.
  std::size_t skipping_ = 0;              ///< How deep inside a value that is not kept.
  std::size_t item_depth_ = 0;            ///< Frames while the item's outermost is open; 0 outside.
  std::size_t kept_ = 0;
  std::size_t handed_out_ = 0;
  Refusal refusal_ = Refusal::none;
};

boost::json::parse_options options(const SelectiveLimits& limits) {
  boost::json::parse_options result;
  result.max_depth = limits.max_depth;
  return result;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

struct SelectiveParser::State {
  State(FieldSelection selection, const SelectiveLimits& given, Take document, Take item)
      : limits(given),
        parser(options(given), std::move(selection), given.max_kept_bytes, std::move(document),
               std::move(item)) {}

  std::unexpected<Error> refuse(Refusal refusal, std::string_view why) {
    broken = true;
    Error error{.code = std::string(codes::upstream_error)};
    error.detail["reason"] = refusal == Refusal::too_large ? "too_large" : "not_json";
    error.message = refusal == Refusal::too_large
                        ? fmt::format("the server sent an object larger than {} bytes", why)
                        : fmt::format("the server's answer is not the JSON that was expected: {}", why);
    return fail(std::move(error));
  }

  SelectiveLimits limits;
  boost::json::basic_parser<Handler> parser;
  bool started = false;  ///< A document has begun.
  bool broken = false;
  std::size_t raw = 0;  ///< Bytes since the last document or item was handed out.
};

SelectiveParser::SelectiveParser(FieldSelection selection, SelectiveLimits limits, Take take_document,
                                 Take take_item)
    : state_(std::make_unique<State>(std::move(selection), limits, std::move(take_document),
                                     std::move(take_item))) {}

SelectiveParser::~SelectiveParser() = default;

Result<> SelectiveParser::feed(std::string_view bytes) {
  State& state = *state_;
  if (state.broken) return state.refuse(Refusal::not_json, "it went on after an error");
  while (!bytes.empty()) {
    if (!state.started) {
      if (is_space(bytes.front())) {
        bytes.remove_prefix(1);
        continue;
      }
      state.parser.reset();
      state.started = true;
      state.raw = 0;
    }
    const auto handed_out = state.parser.handler().handed_out();
    boost::json::error_code code;
    const std::size_t used = state.parser.write_some(true, bytes.data(), bytes.size(), code);
    if (code) {
      const Refusal refusal = state.parser.handler().refusal();
      if (refusal == Refusal::too_large)
        return state.refuse(refusal, std::to_string(state.limits.max_kept_bytes));
      if (refusal == Refusal::not_an_object)
        return state.refuse(refusal, "an object belongs where another value is");
      return state.refuse(Refusal::not_json, code.message());
    }
    if (state.parser.handler().handed_out() != handed_out) {
      state.raw = 0;
    } else {
      state.raw += used;
      if (state.raw > state.limits.max_raw_bytes) {
        return state.refuse(Refusal::too_large, std::to_string(state.limits.max_raw_bytes));
      }
    }
    bytes.remove_prefix(used);
    if (state.parser.done()) state.started = false;
  }
  return {};
}

bool SelectiveParser::between_documents() const { return !state_->started && !state_->broken; }

}  // namespace instantstart::kube
