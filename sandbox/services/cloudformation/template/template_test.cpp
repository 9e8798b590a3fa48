#include "sandbox/services/cloudformation/template/template.h"

#include <gtest/gtest.h>

#include "sandbox/services/cloudformation/template/parameters.h"
#include "sandbox/services/cloudformation/template/references.h"

namespace instantstart::sandbox::cloudformation {
namespace {

std::string refusal(std::string_view body) {
  const auto parsed = parse_template(body);
  return parsed ? "" : parsed.error().message;
}

std::string cycle(std::string_view body) {
  const auto found = dependencies_of(parse_template(body).value());
  return found ? "" : found.error().message;
}

ParameterTexts resolved(std::string_view declaration, std::vector<aws::cloudformation::Parameter> given,
                        std::string* refused = nullptr) {
  const auto source = parse_template(std::string(R"({"Parameters":)") + std::string(declaration) +
                                     R"(,"Resources":{"A":{"Type":"AWS::EC2::VPC"}}})");
  auto texts = resolve_parameters(source.value(), given);
  if (refused) *refused = texts ? "" : texts.error().message;
  return texts ? *texts : ParameterTexts{};
}

std::string refused(std::string_view declaration, std::vector<aws::cloudformation::Parameter> given) {
  std::string message;
  resolved(declaration, std::move(given), &message);
  return message;
}

TEST(ParseTemplate, ReadsResourcesWithTheirPolicies) {
  const auto parsed = parse_template(
      R"({"Resources":{"A":{"Type":"AWS::EC2::VPC","DependsOn":"B","DeletionPolicy":"Retain"},"B":{"Type":"AWS::EC2::EIP"}}})");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->resources.at("A").deletion_policy, "Retain");
  EXPECT_EQ(parsed->resources.at("A").depends_on, std::vector<std::string>{"B"});
  EXPECT_EQ(parsed->resources.at("B").update_replace_policy, "Delete");
}

TEST(ParseTemplate, RefusesWhatIsNoTemplateInCloudFormationsWords) {
  EXPECT_EQ(refusal(R"({"Resources":{}})"),
            "Template format error: At least one Resources member must be defined.");
  EXPECT_EQ(refusal(R"({"Resources":{"A":{}}})"),
            "Template format error: [/Resources/A] Every Resources object must contain a Type member.");
  EXPECT_EQ(refusal(R"({"Rezources":{"A":{"Type":"AWS::EC2::VPC"}}})"),
            "Invalid template property or properties [Rezources]");
  EXPECT_EQ(refusal(R"({"AWSTemplateFormatVersion":"2011","Resources":{}})"),
            "Template format error: 2011 is not a supported value for AWSTemplateFormatVersion.");
  EXPECT_EQ(refusal(R"({"Resources":{"a-b":{"Type":"AWS::EC2::VPC"}}})"),
            "Template format error: Resource name a-b is non alphanumeric.");
  EXPECT_TRUE(refusal(R"({"Resources":)").starts_with("Template format error: JSON not well-formed."));
}

TEST(ParseTemplate, SaysThatYamlIsNotRead) {
  EXPECT_NE(refusal("Resources:\n  A:\n    Type: AWS::EC2::VPC\n").find("JSON templates only"),
            std::string::npos);
}

TEST(ParseTemplate, RefusesALongOne) {
  EXPECT_NE(refusal(std::string(k_longest_template + 1, ' ')).find("51200"), std::string::npos);
}

TEST(DependenciesOf, FollowReferencesOfEveryForm) {
  const auto found = dependencies_of(
      parse_template(R"({"Resources":{"A":{"Type":"T"},"B":{"Type":"T"},"C":{"Type":"T"},"D":{"Type":"T"},
    "E":{"Type":"T","DependsOn":["D"],"Properties":{"x":[{"Ref":"A"}],"y":{"Fn::GetAtt":["B","Arn"]},
    "z":{"Fn::Sub":["${C.Id} ${own} ${AWS::Region} ${!A}",{"own":"x"}]}}}}})")
          .value());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->at("E"), (std::set<std::string>{"A", "B", "C", "D"}));
}

TEST(DependenciesOf, NamesTheResourcesOfACycleAndNoOthers) {
  EXPECT_EQ(cycle(R"({"Resources":{"A":{"Type":"T","Properties":{"x":{"Ref":"B"}}},
                                   "B":{"Type":"T","DependsOn":"A"},"C":{"Type":"T","DependsOn":"A"},
                                   "D":{"Type":"T"}}})"),
            "Circular dependency between resources: [A, B]");
}

TEST(DependenciesOf, RefusesNamesThatAreNotThere) {
  EXPECT_EQ(cycle(R"({"Resources":{"A":{"Type":"T","Properties":{"x":{"Ref":"Nope"}}}}})"),
            "Template format error: Unresolved resource dependencies [Nope] in the Resources block of the "
            "template");
  EXPECT_EQ(
      cycle(R"({"Resources":{"A":{"Type":"T"}},"Outputs":{"O":{"Value":{"Ref":"Nope"}}}})"),
      "Template format error: Unresolved resource dependencies [Nope] in the Outputs block of the template");
  EXPECT_EQ(cycle(R"({"Resources":{"A":{"Type":"T","Properties":{"x":{"Fn::GetAtt":"Nope.Arn"}}}}})"),
            "Template error: instance of Fn::GetAtt references undefined resource Nope");
}

TEST(ResolveParameters, TakesGivenValuesBeforeDefaults) {
  const auto texts = resolved(R"({"A":{"Type":"String","Default":"d"},"B":{"Type":"Number","Default":5}})",
                              {{.parameter_key = "A", .parameter_value = "g"}});
  EXPECT_EQ(texts, (ParameterTexts{{"A", "g"}, {"B", "5"}}));
}

TEST(ResolveParameters, RefusesMissingUnknownAndUnfitValues) {
  EXPECT_EQ(refused(R"({"A":{"Type":"String"}})", {}), "Parameters: [A] must have values");
  EXPECT_EQ(refused(R"({})", {{.parameter_key = "X", .parameter_value = "g"}}),
            "Parameters: [X] do not exist in the template");
  EXPECT_EQ(refused(R"({"A":{"Type":"String","AllowedValues":["x"]}})",
                    {{.parameter_key = "A", .parameter_value = "y"}}),
            "Parameter 'A' must be one of AllowedValues");
  EXPECT_EQ(refused(R"({"A":{"Type":"String","AllowedPattern":"[a-z]+"}})",
                    {{.parameter_key = "A", .parameter_value = "a1"}}),
            "Parameter 'A' must match pattern [a-z]+");
  EXPECT_EQ(
      refused(R"({"A":{"Type":"Number","MinValue":"3"}})", {{.parameter_key = "A", .parameter_value = "2"}}),
      "Parameter 'A' must be a number not less than 3");
  EXPECT_EQ(refused(R"({"A":{"Type":"String","MaxLength":2,"ConstraintDescription":"be short"}})",
                    {{.parameter_key = "A", .parameter_value = "abc"}}),
            "Parameter A failed to satisfy constraint: be short");
  EXPECT_FALSE(refused(R"({"A":{"Type":"String","AllowedPattern":"["}})",
                       {{.parameter_key = "A", .parameter_value = "a"}})
                   .empty());
}

}  // namespace
}  // namespace instantstart::sandbox::cloudformation
