#include "sandbox/services/cloudformation/template/intrinsics.h"

#include <gtest/gtest.h>

namespace instantstart::sandbox::cloudformation {
namespace {

constexpr std::string_view k_template = R"({
  "Parameters": {"Name": {"Type": "String"}, "Zones": {"Type": "CommaDelimitedList"}},
  "Mappings": {"Sizes": {"us-west-2": {"small": "10", "list": ["a", "b"]}}},
  "Conditions": {"Yes": {"Fn::Equals": [{"Ref": "Name"}, "demo"]},
                 "No": {"Fn::Not": [{"Condition": "Yes"}]},
                 "Both": {"Fn::And": [{"Condition": "Yes"}, {"Condition": "No"}]},
                 "One": {"Fn::Or": [{"Condition": "Yes"}, {"Condition": "No"}]}},
  "Resources": {"Vpc": {"Type": "AWS::EC2::VPC"}, "Later": {"Type": "AWS::EC2::VPC"}}})";

/// The value of an expression, as JSON text; else the refusal.
std::string value(std::string_view expression) {
  const auto source = parse_template(k_template).value();
  const ParameterTexts parameters{{"Name", "demo"}, {"Zones", "a, b"}};
  Scope scope{.source = source,
              .parameters = parameters,
              .pseudo = {{"AWS::Region", "us-west-2"}, {"AWS::StackName", "s"}}};
  scope.conditions = evaluate_conditions(scope).value();
  scope.ref = [](const std::string& name) -> Reply<json::value> {
    return json::value(name == "Vpc" ? json::string("vpc-1") : json::string(k_unknown));
  };
  scope.attribute = [](const std::string& name, const std::string& attribute) -> Reply<json::value> {
    return json::value(name == "Vpc" ? json::string(attribute == "CidrBlock" ? "10.0.0.0/16" : "x")
                                     : json::string(k_unknown));
  };
  scope.zones = [](const std::string& region) {
    return std::vector<std::string>{region + "a", region + "b"};
  };
  const auto made = evaluate(parse_json(expression).value(), scope);
  if (!made) return made.error().message;
  return *made ? to_text(**made) : "nothing";
}

TEST(Evaluate, RefGivesParametersPseudoParametersAndResources) {
  EXPECT_EQ(value(R"({"Ref":"Name"})"), R"("demo")");
  EXPECT_EQ(value(R"({"Ref":"Zones"})"), R"(["a","b"])");
  EXPECT_EQ(value(R"({"Ref":"AWS::Region"})"), R"("us-west-2")");
  EXPECT_EQ(value(R"({"Ref":"Vpc"})"), R"("vpc-1")");
}

TEST(Evaluate, NoValueTakesItsMemberAway) {
  EXPECT_EQ(value(R"({"a":1,"b":{"Ref":"AWS::NoValue"}})"), R"({"a":1})");
  EXPECT_EQ(value(R"([1,{"Fn::If":["No",2,{"Ref":"AWS::NoValue"}]}])"), "[1]");
}

TEST(Evaluate, SubReplacesNamesAttributesAndItsOwnVariables) {
  EXPECT_EQ(value(R"({"Fn::Sub":"${AWS::StackName}-${Name}-${Vpc}-${Vpc.CidrBlock}-${!Literal}"})"),
            R"("s-demo-vpc-1-10.0.0.0/16-${Literal}")");
  EXPECT_EQ(value(R"({"Fn::Sub":["${own} ${Name}",{"own":{"Ref":"Vpc"}}]})"), R"("vpc-1 demo")");
}

TEST(Evaluate, ListFunctions) {
  EXPECT_EQ(value(R"({"Fn::Join":["-",["a",{"Ref":"Name"}]]})"), R"("a-demo")");
  EXPECT_EQ(value(R"({"Fn::Select":["1",{"Ref":"Zones"}]})"), R"("b")");
  EXPECT_EQ(value(R"({"Fn::Split":["/","a/b/"]})"), R"(["a","b",""])");
  EXPECT_EQ(value(R"({"Fn::Select":[0,{"Fn::GetAZs":""}]})"), R"("us-west-2a")");
  EXPECT_EQ(value(R"({"Fn::Select":[5,{"Ref":"Zones"}]})"),
            "Template error: Fn::Select cannot select nonexistent value at index 5");
}

TEST(Evaluate, CidrCutsBlocks) {
  EXPECT_EQ(value(R"({"Fn::Cidr":[{"Fn::GetAtt":["Vpc","CidrBlock"]},3,8]})"),
            R"(["10.0.0.0/24","10.0.1.0/24","10.0.2.0/24"])");
  EXPECT_EQ(value(R"({"Fn::Cidr":["10.0.0.0/24","2","5"]})"), R"(["10.0.0.0/27","10.0.0.32/27"])");
  EXPECT_TRUE(value(R"({"Fn::Cidr":["10.0.0.0/24",9,5]})").starts_with("Template error:"));
}

TEST(Evaluate, ConditionsAndMappings) {
  EXPECT_EQ(value(R"({"Fn::If":["Yes","a","b"]})"), R"("a")");
  EXPECT_EQ(value(R"({"Fn::If":["Both","a","b"]})"), R"("b")");
  EXPECT_EQ(value(R"({"Fn::If":["One","a","b"]})"), R"("a")");
  EXPECT_EQ(value(R"({"Fn::FindInMap":["Sizes",{"Ref":"AWS::Region"},"small"]})"), R"("10")");
  EXPECT_EQ(value(R"({"Fn::FindInMap":["Sizes","eu","small"]})"),
            "Template error: Unable to get mapping for Sizes::eu::small");
  EXPECT_EQ(value(R"({"Fn::Base64":"hi"})"), R"("aGk=")");
}

TEST(Evaluate, APolicysConditionIsData) {
  EXPECT_EQ(value(R"({"Effect":"Allow","Condition":{"StringEquals":{"a":"b"}}})"),
            R"({"Effect":"Allow","Condition":{"StringEquals":{"a":"b"}}})");
}

TEST(Evaluate, WhatIsNotKnownStaysSo) {
  EXPECT_EQ(value(R"({"Fn::Cidr":[{"Fn::GetAtt":["Later","CidrBlock"]},3,8]})"),
            R"("{{changeSet:KNOWN_AFTER_APPLY}}")");
  EXPECT_EQ(value(R"({"Fn::Select":[0,{"Fn::Split":["-",{"Ref":"Later"}]}]})"),
            R"("{{changeSet:KNOWN_AFTER_APPLY}}")");
}

TEST(Evaluate, AnUnknownFunctionIsNamed) {
  EXPECT_EQ(value(R"({"Fn::ImportValue":"x"})"),
            "Template error: Fn::ImportValue is not a function that the sandbox knows.");
}

TEST(EvaluateConditions, ACircleIsRefused) {
  const auto source = parse_template(R"({"Conditions":{"A":{"Fn::Not":[{"Condition":"B"}]},
      "B":{"Fn::Not":[{"Condition":"A"}]}},"Resources":{"R":{"Type":"T"}}})")
                          .value();
  const ParameterTexts parameters;
  const auto holds = evaluate_conditions({.source = source, .parameters = parameters, .pseudo = {}});
  ASSERT_FALSE(holds);
  EXPECT_NE(holds.error().message.find("circular condition dependency"), std::string::npos);
}

}  // namespace
}  // namespace instantstart::sandbox::cloudformation
