#include "sandbox/services/eks/principals.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/pattern.h"
#include "base/text.h"

namespace instantstart::sandbox::eks {
namespace {

constexpr std::size_t k_arn_parts = 6;
constexpr std::size_t k_longest = 2048;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

bool is_account(std::string_view text) {
  static const Pattern pattern("^[0-9]{12}$");
  return pattern.matches(text);
}

/// "/team/dev" into "/team/" and "dev".
bool split_path(std::string_view rest, Principal& principal) {
  const auto slash = rest.rfind('/');
  principal.path = std::string(rest.substr(0, slash + 1));
  principal.name = std::string(rest.substr(slash + 1));
  return !principal.name.empty();
}

}  // namespace

std::optional<Principal> parse_principal(std::string_view arn) {
  if (arn.size() > k_longest) return std::nullopt;
  const auto parts = split(arn, ':');
  if (parts.size() != k_arn_parts || parts[0] != "arn" || !parts[3].empty() || !is_account(parts[4])) {
    return std::nullopt;
  }
  Principal principal{.partition = std::string(parts[1]),
                      .account = std::string(parts[4]),
                      .path = "/",
                      .name = {},
                      .session = {}};
  const std::string_view resource = parts[5];
  if (parts[2] == "iam" && resource == "root") {
    principal.kind = PrincipalKind::root;
    return principal;
  }
  if (parts[2] == "iam" && resource.starts_with("user/")) {
    principal.kind = PrincipalKind::user;
    return split_path(resource.substr(4), principal) ? std::optional(principal) : std::nullopt;
  }
  if (parts[2] == "iam" && resource.starts_with("role/")) {
    principal.kind = PrincipalKind::role;
    return split_path(resource.substr(4), principal) ? std::optional(principal) : std::nullopt;
  }
  const auto pieces = split(resource, '/');
  if (parts[2] != "sts" || pieces.size() != 3 || pieces[0] != "assumed-role") return std::nullopt;
  principal.kind = PrincipalKind::session;
  principal.name = std::string(pieces[1]);
  principal.session = std::string(pieces[2]);
  return principal;
}

std::string default_username(const Principal& principal, std::string_view arn, std::string_view entry_type) {
  if (entry_type == "EC2_LINUX" || entry_type == "EC2_WINDOWS") return "system:node:{{EC2PrivateDNSName}}";
  if (entry_type != "STANDARD") return "system:node:{{SessionName}}";
  if (principal.kind != PrincipalKind::role) return std::string(arn);
  return fmt::format("arn:{}:sts::{}:assumed-role/{}/{{{{SessionName}}}}", principal.partition,
                     principal.account, principal.name);
}

std::string expand_username(std::string_view username, const Principal& caller) {
  std::string plain = caller.session;
  std::ranges::replace(plain, '@', '-');
  std::string text(username);
  replace_all(text, "{{EC2PrivateDNSName}}", plain);
  replace_all(text, "{{AccountID}}", caller.account);
  replace_all(text, "{{SessionNameRaw}}", caller.session);
  replace_all(text, "{{SessionName}}", plain);
  return text;
}

}  // namespace instantstart::sandbox::eks
