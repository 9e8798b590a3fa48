#include "capabilities/dependencies/component.h"

#include <set>

#include <gtest/gtest.h>

#include "base/decode.h"
#include "capabilities/dependencies/dependencies.h"

namespace instantstart::capabilities {
namespace {

std::string names_of(const std::vector<const Component*>& chosen) {
  std::string names;
  for (const auto* component : chosen) names += std::string(component->name) + " ";
  return names;
}

TEST(ComponentTable, EveryRowSaysAllThatItsWayNeeds) {
  std::set<std::string_view> before;
  for (const auto& component : components()) {
    EXPECT_FALSE(before.contains(component.name)) << component.name;
    for (const auto need : component.needs) {
      EXPECT_TRUE(before.contains(need)) << component.name << " stands before " << need;
    }
    EXPECT_EQ(component.how == How::objects, component.objects != nullptr) << component.name;
    EXPECT_EQ(component.how == How::objects, !component.version.empty()) << component.name;
    EXPECT_EQ(component.how == How::eks_addon, !component.addon.empty()) << component.name;
    before.insert(component.name);
  }
}

TEST(ComponentTable, WhatIsChosenBringsWhatItNeedsInTheTablesOrder) {
  EXPECT_EQ(names_of(with_needs({"s3_csi", "health_agent"})), "namespaces health_agent pod_identity s3_csi ");
  EXPECT_EQ(with_needs({}).size(), components().size());
}

TEST(ComponentNames, AnUnknownOneIsRefusedWithTheKnownOnes) {
  EXPECT_TRUE(parse_text<ComponentName>("health_agent"));
  const auto refused = parse_text<ComponentName>("healthagent");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().problems.front().message.find("health_agent"), std::string::npos);
}

TEST(DependencyActions, HaveSoundRows) {
  const auto faults = contract::ActionTable::faults(dependency_actions(nullptr, nullptr, nullptr));
  // Its status action is a row of another room.
  EXPECT_EQ(faults, std::vector<std::string>{
                        "dependency_reconcile: the status_action operation_get is not in the table"});
}

}  // namespace
}  // namespace instantstart::capabilities
