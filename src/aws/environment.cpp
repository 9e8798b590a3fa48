#include "aws/environment.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

constexpr std::size_t k_largest_file = 1024 * 1024;

std::optional<std::string> home_of_user() {
  passwd entry{};
  passwd* found = nullptr;
  std::string buffer(16 * 1024, '\0');
  if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found) return std::nullopt;
  return std::string(entry.pw_dir);
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Unknown variables stay as they are written.
std::string with_variables(const Environment& environment, std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size();) {
    if (path[i] != '$') {
      out += path[i++];
      continue;
    }
    const bool braced = i + 1 < path.size() && path[i + 1] == '{';
    const std::size_t begin = i + (braced ? 2 : 1);
    std::size_t end = begin;
    if (braced) {
      end = path.find('}', begin);
    } else {
      while (end < path.size() && is_name_character(path[end])) ++end;
    }
    if (end == std::string_view::npos || end == begin) {
      out += path[i++];
      continue;
    }
    const std::size_t next = braced ? end + 1 : end;
    const auto value = environment.variable(path.substr(begin, end - begin));
    out += value ? *value : std::string(path.substr(i, next - i));
    i = next;
  }
  return out;
}

}  // namespace

std::optional<std::string> SystemEnvironment::variable(std::string_view name) const {
  if (const char* value = std::getenv(std::string(name).c_str())) return value;
  if (name == "HOME") return home_of_user();
  return std::nullopt;
}

Result<std::optional<std::string>> SystemEnvironment::read_file(const std::string& path) const {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return fail(codes::credentials_invalid, fmt::format("Can't read {}: {}", path, std::strerror(errno)));
  }
  if (!S_ISREG(info.st_mode)) return std::nullopt;  // as botocore: what is no file is no configuration
  std::ifstream file(path, std::ios::binary);
  std::string text(k_largest_file + 1, '\0');
  if (!file || (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && !file.eof())) {
    return fail(codes::credentials_invalid, fmt::format("Can't read {}", path));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > k_largest_file) {
    return fail(codes::credentials_invalid, fmt::format("{} is larger than 1 MiB", path));
  }
  return text;
}

std::optional<std::string> FixedEnvironment::variable(std::string_view name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? std::nullopt : std::optional(found->second);
}

Result<std::optional<std::string>> FixedEnvironment::read_file(const std::string& path) const {
  const auto found = files.find(path);
  if (found == files.end()) return std::nullopt;
  return found->second;
}

std::string expand_path(const Environment& environment, std::string_view path) {
  std::string expanded = with_variables(environment, path);
  // Other users' homes (~name) are not looked up; such a path stays as it is and is not found.
  if (expanded == "~" || expanded.starts_with("~/")) {
    if (const auto home = environment.variable("HOME")) {
      std::string_view base = *home;
      while (base.size() > 1 && base.ends_with('/')) base.remove_suffix(1);
      expanded.replace(0, 1, base);
    }
  }
  return expanded;
}

}  // namespace instantstart::aws
