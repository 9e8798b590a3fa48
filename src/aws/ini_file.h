// The INI dialect of ~/.aws/config and ~/.aws/credentials, as Python's configparser reads it, since that is
// what botocore and so the AWS CLI understand: values may go on in deeper indented lines, names are
// lower-cased, "#" and ";" begin a comment only at the start of a line, [DEFAULT] lends its values to every
// section.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace instantstart::aws {

/// One section. A value that begins on the line after its name is a block of `name = value` lines and lands
/// in `nested`.
struct IniSection {
  std::map<std::string, std::string, std::less<>> values;
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> nested;

  /// The value of a name, or nullptr.
  const std::string* find(std::string_view name) const;
  /// The name is there, be it with a value or a block.
  bool contains(std::string_view name) const { return values.contains(name) || nested.contains(name); }

  bool operator==(const IniSection&) const = default;
};

using IniFile = std::map<std::string, IniSection, std::less<>>;

/// Error `credentials_invalid` with the line: no section yet, no "=" or ":", a section or name twice, not
/// UTF-8.
Result<IniFile> parse_ini(std::string_view text);

}  // namespace instantstart::aws
