#include "sandbox/services/iam/policy_document.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include "base/json.h"
#include "base/pattern.h"
#include "base/text.h"

namespace instantstart::sandbox::iam {
namespace {

/// nullopt: fine.
using Complaint = std::optional<std::string>;

constexpr std::string_view k_syntax = "Syntax errors in policy.";
constexpr std::array<std::string_view, 2> k_versions = {"2012-10-17", "2008-10-17"};
constexpr std::array<std::string_view, 3> k_document_members = {"Version", "Id", "Statement"};
constexpr std::array<std::string_view, 9> k_statement_members = {"Sid",          "Effect",      "Principal",
                                                                 "NotPrincipal", "Action",      "NotAction",
                                                                 "Resource",     "NotResource", "Condition"};

bool is_one_of(const auto& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

bool has_only(const json::object& object, const auto& members) {
  return std::ranges::all_of(object,
                             [&members](const auto& member) { return is_one_of(members, member.key()); });
}

/// A text or a list of texts, not empty. Conditions may hold numbers and booleans as well.
std::optional<std::vector<std::string>> texts_of(const json::value& value, bool scalars_too = false) {
  const auto text_of = [scalars_too](const json::value& item) -> std::optional<std::string> {
    if (const auto* text = item.if_string()) return std::string(*text);
    if (scalars_too && (item.is_bool() || item.is_number())) return to_text(item);
    return std::nullopt;
  };
  std::vector<std::string> texts;
  const auto* list = value.if_array();
  if (!list) {
    auto one = text_of(value);
    return one ? std::optional(std::vector{std::move(*one)}) : std::nullopt;
  }
  for (const auto& item : *list) {
    auto text = text_of(item);
    if (!text) return std::nullopt;
    texts.push_back(std::move(*text));
  }
  return texts.empty() ? std::nullopt : std::optional(std::move(texts));
}

class StatementReader {
 public:
  StatementReader(const json::object& given, PolicyKind kind) : given_(given), kind_(kind) {}

  Complaint read() {
    if (!has_only(given_, k_statement_members)) return std::string(k_syntax);
    for (const auto step :
         {&StatementReader::read_effect, &StatementReader::read_principals, &StatementReader::read_actions,
          &StatementReader::read_resources, &StatementReader::read_conditions}) {
      if (auto complaint = (this->*step)()) return complaint;
    }
    return std::nullopt;
  }

  PolicyStatement statement;

 private:
  Complaint read_effect() {
    if (const json::value* id = given_.if_contains("Sid")) {
      if (!id->is_string()) return std::string(k_syntax);
      statement.id = std::string(id->get_string());
    }
    const json::value* effect = given_.if_contains("Effect");
    if (!effect) return "Missing required field Effect";
    if (*effect != "Allow" && *effect != "Deny") return "Invalid effect: " + to_text(*effect);
    statement.allows = *effect == "Allow";
    return std::nullopt;
  }

  Complaint read_principals() {
    const json::value* principal = given_.if_contains("Principal");
    if (kind_ == PolicyKind::identity) {
      if (principal || given_.contains("NotPrincipal"))
        return "Policy document should not specify a principal.";
      return std::nullopt;
    }
    if (given_.contains("NotPrincipal")) return "Has prohibited field NotPrincipal";
    if (!principal) return "Missing required field Principal";
    if (*principal == "*") {
      statement.principals.emplace_back("*", "*");
      return std::nullopt;
    }
    const auto* kinds = principal->if_object();
    if (!kinds || kinds->empty()) return std::string(k_syntax);
    for (const auto& kind : *kinds) {
      const auto names = texts_of(kind.value());
      if (!names) return std::string(k_syntax);
      for (const auto& name : *names) {
        if (auto complaint = read_principal(kind.key(), name)) return complaint;
      }
    }
    return std::nullopt;
  }

  Complaint read_principal(std::string_view kind, const std::string& name) {
    static const Pattern k_service("^[a-z0-9.-]+\\.amazonaws\\.com(\\.cn)?$");
    static const Pattern k_account("^(\\*|[0-9]{12}|arn:aws[a-z-]*:(iam|sts)::[0-9]{12}:.+)$");
    static const Pattern k_provider(
        "^(arn:aws[a-z-]*:iam::[0-9]{12}:(oidc|saml)-provider/.+|[a-z0-9.-]+\\.[a-z]+)$");
    const bool is_good = (kind == "Service" && k_service.matches(name)) ||
                         (kind == "AWS" && k_account.matches(name)) ||
                         (kind == "Federated" && k_provider.matches(name));
    if (!is_good) return fmt::format("Invalid principal in policy: \"{}\":\"{}\"", upper(kind), name);
    statement.principals.emplace_back(kind, name);
    return std::nullopt;
  }

  /// "AWS" and "SERVICE" is how IAM writes them in complaints.
  static std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return result;
  }

  Complaint read_actions() {
    const bool negated = given_.contains("NotAction");
    if (negated && given_.contains("Action")) return std::string(k_syntax);
    const json::value* given = given_.if_contains(negated ? "NotAction" : "Action");
    if (!given) return "Missing required field Action";
    auto actions = texts_of(*given);
    if (!actions) return std::string(k_syntax);
    for (const auto& action : *actions) {
      if (auto complaint = complaint_about_action(action)) return complaint;
    }
    statement.actions = std::move(*actions);
    statement.all_but_actions = negated;
    return std::nullopt;
  }

  Complaint complaint_about_action(const std::string& action) const {
    static const Pattern k_action("^[A-Za-z0-9-]+:[A-Za-z0-9*?]+$");
    if (kind_ == PolicyKind::trust) {
      if (to_lower(action).starts_with("sts:")) return std::nullopt;
      return "AssumeRole policy may only specify STS AssumeRole actions.";
    }
    if (action == "*" || k_action.matches(action)) return std::nullopt;
    return "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.";
  }

  Complaint read_resources() {
    const bool negated = given_.contains("NotResource");
    const json::value* given = given_.if_contains(negated ? "NotResource" : "Resource");
    if (kind_ == PolicyKind::trust) {
      if (!given) return std::nullopt;
      return negated ? "Has prohibited field NotResource" : "Has prohibited field Resource";
    }
    if (negated && given_.contains("Resource")) return std::string(k_syntax);
    if (!given) return "Policy statement must contain resources.";
    auto resources = texts_of(*given);
    if (!resources) return std::string(k_syntax);
    for (const auto& resource : *resources) {
      if (resource == "*" || (resource.starts_with("arn:") && std::ranges::count(resource, ':') >= 5))
        continue;
      return fmt::format("Resource {} must be in ARN format or \"*\".", resource);
    }
    statement.resources = std::move(*resources);
    statement.all_but_resources = negated;
    return std::nullopt;
  }

  Complaint read_conditions() {
    const json::value* given = given_.if_contains("Condition");
    if (!given) return std::nullopt;
    const auto* tests = given->if_object();
    if (!tests) return std::string(k_syntax);
    for (const auto& test : *tests) {
      const auto* keys = test.value().if_object();
      if (!keys) return std::string(k_syntax);
      for (const auto& key : *keys) {
        auto values = texts_of(key.value(), true);
        if (!values) return std::string(k_syntax);
        statement.conditions.push_back({std::string(test.key()), std::string(key.key()), std::move(*values)});
      }
    }
    return std::nullopt;
  }

  const json::object& given_;
  PolicyKind kind_;
};

bool ids_are_unique(const PolicyDocument& document) {
  std::set<std::string_view> ids;
  return std::ranges::all_of(document.statements, [&ids](const PolicyStatement& statement) {
    return statement.id.empty() || ids.insert(statement.id).second;
  });
}

}  // namespace

std::expected<PolicyDocument, std::string> parse_policy(std::string_view text, PolicyKind kind) {
  const auto parsed = parse_json(text);
  if (!parsed) return std::unexpected("This policy contains invalid Json");
  const auto* object = parsed->if_object();
  if (!object || !has_only(*object, k_document_members)) return std::unexpected(std::string(k_syntax));
  if (const json::value* version = object->if_contains("Version")) {
    const auto* name = version->if_string();
    if (!name || !is_one_of(k_versions, *name)) return std::unexpected(std::string(k_syntax));
  }
  const json::value* given = object->if_contains("Statement");
  if (!given) return std::unexpected("Missing required field Statement");
  const json::array statements = given->is_array() ? given->get_array() : json::array{*given};
  if (statements.empty()) return std::unexpected(std::string(k_syntax));
  PolicyDocument document;
  for (const auto& statement : statements) {
    if (!statement.is_object()) return std::unexpected(std::string(k_syntax));
    StatementReader reader(statement.get_object(), kind);
    if (auto complaint = reader.read()) return std::unexpected(std::move(*complaint));
    document.statements.push_back(std::move(reader.statement));
  }
  if (!ids_are_unique(document)) {
    return std::unexpected("Statement IDs (SID) in a single policy must be unique.");
  }
  return document;
}

}  // namespace instantstart::sandbox::iam
