#include "aws/ini_file.h"

#include <optional>
#include <set>
#include <vector>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "base/utf8.h"

namespace instantstart::aws {
namespace {

constexpr std::string_view k_spaces = " \t\f\v\r\n";
constexpr std::string_view k_default_section = "DEFAULT";

using Options = std::map<std::string, std::string, std::less<>>;
using Sections = std::map<std::string, Options, std::less<>>;

std::string_view stripped(std::string_view text) {
  const auto begin = text.find_first_not_of(k_spaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(k_spaces) - begin + 1);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto point = first_code_point(text);
    if (!point.valid) return false;
    text.remove_prefix(point.bytes);
  }
  return true;
}

/// Lines without their ends, which may be \n, \r\n or \r.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find_first_of("\r\n");
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    const bool both = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
    text.remove_prefix(end + (both ? 2 : 1));
  }
  return lines;
}

/// "[header]" with whatever behind the last bracket; nullopt when it is no section line.
std::optional<std::string_view> section_header(std::string_view line) {
  const auto close = line.rfind(']');
  if (!line.starts_with('[') || close == std::string_view::npos || close < 2) return std::nullopt;
  return line.substr(1, close - 1);
}

std::unexpected<Error> broken(std::size_t line, std::string_view why) {
  return fail(codes::credentials_invalid, fmt::format("line {}: {}", line, why));
}

/// The reader of configparser's `_read`, with its defaults.
class Reader {
 public:
  Result<> read(std::string_view text) {
    std::size_t number = 0;
    for (const auto line : lines_of(text)) {
      if (auto taken = take(++number, line); !taken) return taken;
    }
    return {};
  }

  Sections take_sections() {
    for (auto& [name, options] : sections_) {
      for (auto& [key, value] : options) value.resize(value.find_last_not_of(k_spaces) + 1);
    }
    for (auto& [key, value] : defaults_) value.resize(value.find_last_not_of(k_spaces) + 1);
    for (auto& [name, options] : sections_) options.insert(defaults_.begin(), defaults_.end());
    return std::move(sections_);
  }

 private:
  Result<> take(std::size_t number, std::string_view line) {
    const auto value = stripped(line);
    if (value.empty()) {
      if (value_) *value_ += '\n';  // blank lines belong to the value; trailing ones are cut at the end
      return {};
    }
    if (value.front() == '#' || value.front() == ';') return {};
    const auto indent = line.find_first_not_of(k_spaces);
    if (value_ && indent > indent_) {
      value_->append("\n").append(value);
      return {};
    }
    indent_ = indent;
    if (const auto header = section_header(value)) return begin_section(number, *header);
    if (!section_) return broken(number, "a value stands before the first [section]");
    return begin_option(number, value);
  }

  Result<> begin_section(std::size_t number, std::string_view header) {
    value_ = nullptr;
    section_name_ = header;
    if (header == k_default_section) {
      section_ = &defaults_;
      return {};
    }
    const auto [position, added] = sections_.try_emplace(std::string(header));
    if (!added) return broken(number, fmt::format("section [{}] is there twice", header));
    section_ = &position->second;
    return {};
  }

  Result<> begin_option(std::size_t number, std::string_view line) {
    const auto delimiter = line.find_first_of("=:");
    if (delimiter == std::string_view::npos) return broken(number, "neither [section] nor name = value");
    const std::string name = to_lower(stripped(line.substr(0, delimiter)));
    if (name.empty()) return broken(number, "a value without a name");
    const auto [position, added] = section_->try_emplace(name, stripped(line.substr(delimiter + 1)));
    if (!added) return broken(number, fmt::format("'{}' is twice in section [{}]", name, section_name_));
    value_ = &position->second;
    return {};
  }

  Sections sections_;
  Options defaults_;
  Options* section_ = nullptr;
  std::string section_name_;
  std::string* value_ = nullptr;  ///< The value that a deeper indented line continues.
  std::size_t indent_ = 0;
};

Result<Options> parse_block(std::string_view name, std::string_view block) {
  Options options;
  for (const auto line : lines_of(block)) {
    const auto text = stripped(line);
    if (text.empty()) continue;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
      return fail(codes::credentials_invalid, fmt::format("the block '{}' has a line without '='", name));
    }
    options[std::string(stripped(text.substr(0, equals)))] = stripped(text.substr(equals + 1));
  }
  return options;
}

}  // namespace

const std::string* IniSection::find(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

Result<IniFile> parse_ini(std::string_view text) {
  if (!is_utf8(text)) return fail(codes::credentials_invalid, "it is not UTF-8 text");
  Reader reader;
  if (auto read = reader.read(text); !read) return fail(std::move(read.error()));
  IniFile file;
  for (auto& [name, options] : reader.take_sections()) {
    IniSection& section = file[name];
    for (auto& [key, value] : options) {
      if (!value.starts_with('\n')) {
        section.values.emplace(key, std::move(value));
        continue;
      }
      auto block = parse_block(key, value);
      if (!block) return fail(std::move(block.error()));
      section.nested.emplace(key, std::move(*block));
    }
  }
  return file;
}

}  // namespace instantstart::aws
