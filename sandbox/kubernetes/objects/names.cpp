// Names and labels as apimachinery's util/validation checks them, in its words.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/pattern.h"
#include "sandbox/kubernetes/objects/validate.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::size_t k_label_length = 63;
constexpr std::size_t k_subdomain_length = 253;
constexpr std::size_t k_generated_base = 58;

std::string too_long(std::size_t limit) { return fmt::format("must be no more than {} bytes", limit); }

std::string regex_words(std::string_view rule, std::string_view form, std::string_view example) {
  return fmt::format("{} (e.g. {}, regex used for validation is '{}')", rule, example, form);
}

}  // namespace

std::string check_dns1123_label(std::string_view text) {
  static const Pattern form("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
  if (text.size() > k_label_length) return too_long(k_label_length);
  if (form.matches(text)) return {};
  return regex_words(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
      "and end with an alphanumeric character",
      "[a-z0-9]([-a-z0-9]*[a-z0-9])?", "'my-name',  or '123-abc'");
}

std::string check_dns1123_subdomain(std::string_view text) {
  static const Pattern form("^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$");
  if (text.size() > k_subdomain_length) return too_long(k_subdomain_length);
  if (form.matches(text)) return {};
  return regex_words(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
      "must start and end with an alphanumeric character",
      "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", "'example.com'");
}

std::string check_dns1035_label(std::string_view text) {
  static const Pattern form("^[a-z]([-a-z0-9]*[a-z0-9])?$");
  if (text.size() > k_label_length) return too_long(k_label_length);
  if (form.matches(text)) return {};
  return regex_words(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
      "character, and end with an alphanumeric character",
      "[a-z]([-a-z0-9]*[a-z0-9])?", "'my-name',  or 'abc-123'");
}

std::string check_qualified_name(std::string_view text) {
  static const Pattern form("^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$");
  const auto slash = text.find('/');
  auto name = text;
  if (slash != std::string_view::npos) {
    const auto prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (prefix.empty()) return "prefix part must be non-empty";
    if (auto why = check_dns1123_subdomain(prefix); !why.empty()) return "prefix part " + why;
  }
  if (name.empty()) return "name part must be non-empty";
  if (name.size() > k_label_length) return "name part " + too_long(k_label_length);
  if (name.find('/') == std::string_view::npos && form.matches(name)) return {};
  return "name part " +
         regex_words(
             "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
             "an alphanumeric character",
             "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", "'MyName',  or 'my.name',  or '123-abc'");
}

std::string check_label_value(std::string_view text) {
  static const Pattern form("^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$");
  if (text.size() > k_label_length) return too_long(k_label_length);
  if (form.matches(text)) return {};
  return regex_words(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
      "must start and end with an alphanumeric character",
      "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", "'MyValue',  or 'my_value',  or '12345'");
}

std::string check_path_segment(std::string_view text) {
  if (text == "." || text == "..") return fmt::format("may not be '{}'", text);
  for (const char bad : {'/', '%'}) {
    if (text.find(bad) != std::string_view::npos) return fmt::format("may not contain '{}'", bad);
  }
  return {};
}

std::string generated_name(std::string_view base, std::string_view suffix) {
  return std::string(base.substr(0, k_generated_base)) + std::string(suffix);
}

}  // namespace instantstart::sandbox::kubernetes
