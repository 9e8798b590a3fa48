#include "contract/type_faults.h"

#include <map>
#include <optional>
#include <variant>

#include <gtest/gtest.h>

namespace instantstart::contract {
namespace {

using Faults = std::vector<std::string>;

template <class T>
Faults faults_of() {
  T instance{};
  TypeChecker checker;
  checker.check(type_of<T>(), &instance);
  return checker.release();
}

struct Undocumented {
  std::string name;
};
Type describe(Undocumented*) {
  return object_type<Undocumented>(
      "Undocumented", "",
      {field<&Undocumented::name>("name", ""), field<&Undocumented::name>("name", "A\nB")});
}

TEST(TypeFaults, DocsAreThereInOneLineAndNamesAreUnique) {
  EXPECT_EQ(faults_of<Undocumented>(),
            (Faults{"type Undocumented: there is no doc", "Undocumented.name: there is no doc",
                    "type Undocumented: two members are named name",
                    "Undocumented.name: the doc has more than one line"}));
}

struct BadDefaults {
  std::string path;
  std::int32_t count = 0;
  std::vector<std::int32_t> ports = {0};
};
Type describe(BadDefaults*) {
  return object_type<BadDefaults>(
      "BadDefaults", "Defaults that break rules.",
      {field<&BadDefaults::path>("path", "A path.", {.defaulted = true, .rule = {.pattern = Pattern("^/")}}),
       field<&BadDefaults::count>("count", "A count.",
                                  {.defaulted = true, .rule = {.min = 1}, .examples = {"0", "two"}}),
       field<&BadDefaults::ports>("ports", "Ports.", {.defaulted = true, .rule = {.min = 2}})});
}

TEST(TypeFaults, DefaultsAndExamplesKeepTheRules) {
  EXPECT_EQ(faults_of<BadDefaults>(),
            (Faults{"BadDefaults.path: the default must match ^/",
                    "BadDefaults.count: the example must be at least 1",
                    "BadDefaults.count: the example two is not JSON",
                    "BadDefaults.count: the default must be at least 1",
                    "BadDefaults.ports: the default must have at least 2 items, has 1"}));
}

struct Inner {
  std::string word;
};
Type describe(Inner*) {
  return object_type<Inner>(
      "Inner", "Deep inside.",
      {field<&Inner::word>("word", "A word.", {.rule = {.max = 2}, .examples = {"long"}})});
}
struct Other {
  Inner inner;
  std::string kind;
};
Type describe(Other*) {
  return object_type<Other>("Other", "Holds the inner one.",
                            {field<&Other::inner>("inner", "It."), field<&Other::kind>("kind", "Clashes.")});
}
using Choice = std::variant<Other>;
Type describe(Choice*) { return variant_type<Choice>("Choice", "One of one.", "kind", {"other"}); }
struct Outer {
  std::vector<std::map<std::string, std::optional<int>>> unused;
  std::map<std::string, std::vector<Choice>> choices;
};
Type describe(Outer*) {
  return object_type<Outer>("Outer", "Holds it far inside.", {field<&Outer::choices>("choices", "By name.")});
}

TEST(TypeFaults, AreFoundBehindListsMapsAndVariants) {
  EXPECT_EQ(faults_of<Outer>(),
            (Faults{"type Choice: the alternative other has a member of its own named kind, as the tag is",
                    "Inner.word: the example must have at most 2 characters, has 4"}));
}

enum class Shade { light, dark };
Type describe(Shade*) {
  return enum_type<Shade>("shade", "Names that clash.",
                          {{Shade::light, {"light", "Bright."}}, {Shade::dark, {"light", ""}}});
}

TEST(TypeFaults, EnumerationsHaveNamedAndDocumentedValues) {
  EXPECT_EQ(faults_of<Shade>(),
            (Faults{"type shade: the name is not PascalCase", "value light of shade: there is no doc",
                    "type shade: the value name 'light' is empty or twice"}));
}

struct Twin {
  std::int32_t size = 0;
};
Type describe(Twin*) {
  return object_type<Twin>("Inner", "Another Inner.", {field<&Twin::size>("size", "A size.")});
}
struct Pair {
  Inner inner;
  Twin twin;
};
Type describe(Pair*) {
  return object_type<Pair>("Pair", "Two of one name.",
                           {field<&Pair::inner>("inner", "One."), field<&Pair::twin>("twin", "The other.")});
}

TEST(TypeFaults, TwoTypesCantShareAName) {
  const auto faults = faults_of<Pair>();
  EXPECT_NE(std::ranges::find(faults, "two types are named Inner"), faults.end());
}

struct Login {
  std::string password;
};
Type describe(Login*) {
  return object_type<Login>(
      "Login", "A login.",
      {field<&Login::password>("password", "Secret.", {.secret = true, .examples = {"hunter2"}})});
}
struct Logins {
  std::map<std::string, std::vector<Login>> by_user;
};
Type describe(Logins*) {
  return object_type<Logins>("Logins", "Logins.", {field<&Logins::by_user>("by_user", "Of each user.")});
}

TEST(TypeFaults, SecretsHaveNoExamples) {
  EXPECT_EQ(faults_of<Login>(), Faults{"Login.password: a secret has no examples"});
}

TEST(SecretMembers, AreFoundBehindListsAndMaps) {
  EXPECT_EQ(secret_members(type_of<Logins>()), Faults{"Login.password"});
  EXPECT_EQ(secret_members(type_of<Outer>()), Faults{});
}

}  // namespace
}  // namespace instantstart::contract
