// What AWS configuration is read from: variables and small files. Injected, so that a test, or one of several
// account contexts in one process, has its own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace instantstart::aws {

class Environment {
 public:
  virtual ~Environment() = default;

  /// nullopt when it is not set; it may be set and empty.
  virtual std::optional<std::string> variable(std::string_view name) const = 0;

  /// nullopt when there is no such file. Error `credentials_invalid` when it can't be read or is larger than
  /// 1 MiB. Reads at once: these are small local files.
  virtual Result<std::optional<std::string>> read_file(const std::string& path) const = 0;

  /// The variable's text, or "" when it is not set.
  std::string variable_or_empty(std::string_view name) const { return variable(name).value_or(""); }
};

/// The process's own. HOME falls back to the user database.
class SystemEnvironment final : public Environment {
 public:
  std::optional<std::string> variable(std::string_view name) const override;
  Result<std::optional<std::string>> read_file(const std::string& path) const override;
};

/// Given values only; files by path.
class FixedEnvironment final : public Environment {
 public:
  std::map<std::string, std::string, std::less<>> variables;
  std::map<std::string, std::string, std::less<>> files;

  std::optional<std::string> variable(std::string_view name) const override;
  Result<std::optional<std::string>> read_file(const std::string& path) const override;
};

/// $NAME, ${NAME} and a leading ~ replaced, as botocore does it for the paths of its files.
std::string expand_path(const Environment& environment, std::string_view path);

}  // namespace instantstart::aws
