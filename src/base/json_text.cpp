// Writing JSON. Boost's serializer writes 8.5 as 8.5E0 and passes invalid UTF-8 on; people read this text,
// and peers that are strict must be able to.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <boost/json/value.hpp>

#include "base/json.h"
#include "base/utf8.h"

namespace instantstart {
namespace {

/// Also DEL and the C1 controls: the terminal of somebody who reads a log would obey them.
void append_escaped(std::string& out, unsigned char byte) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  switch (byte) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default:
      out += "\\u00";
      out += k_digits[byte >> 4];
      out += k_digits[byte & 0xF];
  }
}

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto special = static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    out += text.substr(0, special);
    text.remove_prefix(special);
    if (text.empty()) break;
    const CodePoint point = first_code_point(text);
    if (point.value < 0xA0) {
      append_escaped(out, static_cast<unsigned char>(point.value));
    } else {
      append_utf8(out, point.value);  // U+FFFD for what is not UTF-8
    }
    text.remove_prefix(point.bytes);
  }
  out += '"';
}

template <class T>
void append_number(std::string& out, T number) {
  char buffer[32];
  const auto [end, failure] = std::to_chars(buffer, buffer + sizeof buffer, number);
  out.append(buffer, end);
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) {  // JSON has no word for it
    out += "null";
    return;
  }
  const std::size_t start = out.size();
  append_number(out, number);
  // A double must come back as a double.
  if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

class Writer {
 public:
  explicit Writer(bool canonical) : canonical_(canonical) {}

  std::string text(const json::value& value) {
    write(value);
    return std::move(out_);
  }

 private:
  void write(const json::value& value) {
    switch (value.kind()) {
      case json::kind::null: out_ += "null"; return;
      case json::kind::bool_: out_ += value.get_bool() ? "true" : "false"; return;
      case json::kind::int64: return append_number(out_, value.get_int64());
      case json::kind::uint64: return append_number(out_, value.get_uint64());
      case json::kind::double_: return write_double(value.get_double());
      case json::kind::string: return append_string(out_, value.get_string());
      case json::kind::array: return write(value.get_array());
      case json::kind::object: return write(value.get_object());
    }
  }

  void write_double(double number) {
    // -0.0 equals 0.0, so they share one canonical text.
    append_double(out_, canonical_ && number == 0 ? 0.0 : number);
  }

  void write(const json::array& items) {
    out_ += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ += ',';
      write(items[i]);
    }
    out_ += ']';
  }

  void write(const json::object& members) {
    out_ += '{';
    const std::size_t start = out_.size();
    if (canonical_) {
      std::vector<const json::key_value_pair*> sorted;
      sorted.reserve(members.size());
      for (const auto& member : members) sorted.push_back(&member);
      std::ranges::sort(sorted, {}, [](const auto* member) { return member->key(); });
      for (const auto* member : sorted) write(*member, start);
    } else {
      for (const auto& member : members) write(member, start);
    }
    out_ += '}';
  }

  /// `start` is where the first member of its object is written.
  void write(const json::key_value_pair& member, std::size_t start) {
    if (out_.size() > start) out_ += ',';
    append_string(out_, member.key());
    out_ += ':';
    write(member.value());
  }

  bool canonical_;
  std::string out_;
};

}  // namespace

std::string to_text(const json::value& value) { return Writer(false).text(value); }

std::string to_canonical_text(const json::value& value) { return Writer(true).text(value); }

std::string join_pointer(std::string_view pointer, std::string_view key) {
  std::string joined;
  joined.reserve(pointer.size() + key.size() + 1);
  joined += pointer;
  joined += '/';
  for (const char c : key) {
    if (c == '~')
      joined += "~0";
    else if (c == '/')
      joined += "~1";
    else
      joined += c;
  }
  return joined;
}

std::string join_pointer(std::string_view pointer, std::size_t index) {
  std::string joined(pointer);
  joined += '/';
  append_number(joined, index);
  return joined;
}

}  // namespace instantstart
