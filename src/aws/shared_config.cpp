#include "aws/shared_config.h"

#include <vector>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

/// Words of a section header as a POSIX shell splits them: quotes and backslashes. nullopt when a quote is
/// open.
std::optional<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escape = c == '\\' && quote != '\'';
    if (escape) {
      if (i + 1 == text.size()) return std::nullopt;
      const char next = text[i + 1];
      // Inside double quotes a backslash is one, unless it protects a quote or a backslash.
      if (quote == '"' && next != '"' && next != '\\') word += c;
      word += next;
      ++i;
      in_word = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != '\0') return std::nullopt;
  if (in_word) words.push_back(std::move(word));
  return words;
}

void take_named(IniFile& target, std::string_view header, const IniSection& section) {
  const auto words = shell_words(header);
  if (words && words->size() == 2) target[(*words)[1]] = section;
}

Result<IniFile> load_file(const Environment& environment, std::string_view variable,
                          std::string_view fallback) {
  const auto named = environment.variable(variable);
  const std::string path = expand_path(environment, named ? *named : std::string(fallback));
  auto text = environment.read_file(path);
  if (!text) return fail(std::move(text.error()));
  if (!*text) return IniFile{};
  auto file = parse_ini(**text);
  if (!file) return fail(within(fmt::format("Can't read the AWS configuration {}", path), file.error()));
  return file;
}

void sort_sections(const IniFile& file, SharedConfig& config) {
  for (const auto& [header, section] : file) {
    if (header.starts_with("profile")) {
      take_named(config.config_profiles, header, section);
    } else if (header.starts_with("sso-session")) {
      take_named(config.sso_sessions, header, section);
    } else if (header.starts_with("services")) {
      take_named(config.services, header, section);
    } else if (header == "default") {
      config.config_profiles[header] = section;
    }
  }
}

void lay_over(IniSection& target, const IniSection& over) {
  for (const auto& [name, value] : over.values) {
    target.values.insert_or_assign(name, value);
    target.nested.erase(name);
  }
  for (const auto& [name, block] : over.nested) {
    target.nested.insert_or_assign(name, block);
    target.values.erase(name);
  }
}

}  // namespace

const IniSection& SharedConfig::profile(std::string_view name) const {
  static const IniSection none;
  const auto found = profiles.find(name);
  return found == profiles.end() ? none : found->second;
}

Result<SharedConfig> load_shared_config(const Environment& environment, std::optional<std::string> profile) {
  auto config_file = load_file(environment, "AWS_CONFIG_FILE", "~/.aws/config");
  if (!config_file) return fail(std::move(config_file.error()));
  auto credentials_file = load_file(environment, "AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials");
  if (!credentials_file) return fail(std::move(credentials_file.error()));

  SharedConfig config;
  sort_sections(*config_file, config);
  config.profiles = config.config_profiles;
  for (const auto& [name, section] : *credentials_file) lay_over(config.profiles[name], section);
  config.credentials_file = std::move(*credentials_file);

  config.profile_asked = profile.has_value();
  if (!profile) profile = environment.variable("AWS_DEFAULT_PROFILE");
  if (!profile) profile = environment.variable("AWS_PROFILE");
  if (profile && !config.profiles.contains(*profile)) {
    return fail(codes::credentials_invalid, fmt::format("There is no AWS profile '{}'", *profile));
  }
  config.profile_name = profile && !profile->empty() ? *profile : "default";
  return config;
}

std::optional<std::string> setting(const Environment& environment, const SharedConfig& config,
                                   std::string_view variable, std::string_view name) {
  if (auto value = environment.variable(variable)) return value;
  const std::string* value = config.profile().find(name);
  return value ? std::optional(*value) : std::nullopt;
}

bool is_true(std::string_view text) { return to_lower(text) == "true"; }

}  // namespace instantstart::aws
