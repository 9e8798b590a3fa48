#include "sandbox/kubernetes/objects/apply.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/objects/field_set.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/testing/schemas.h"

namespace instantstart::sandbox::kubernetes {
namespace {

using testing::built_in;
using testing::from_text;
using testing::object_from;

constexpr WallTime k_start{std::chrono::hours(24 * 20000)};

class Apply : public ::testing::Test {
 protected:
  const ObjectSchema& schema_ = built_in("apps", "v1", "Deployment");

  /// A deployment with this spec.
  static json::object deployment(std::string_view spec) {
    auto object = object_from(
        "{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'd', 'namespace': 'n'}}");
    object["spec"] = from_text(spec);
    return object;
  }
  FieldWriter writer(std::string manager, int minute = 0) const {
    return {std::move(manager), "", k_start + std::chrono::minutes(minute)};
  }
  Outcome<json::object> apply(const json::object& live, std::string_view spec, std::string manager,
                              bool force = false, int minute = 0) const {
    return apply_configuration(schema_, live, deployment(spec), writer(std::move(manager), minute), force);
  }
  static json::value fields_of(const json::object& object, std::string_view manager) {
    for (const auto& entry : object.at("metadata").at("managedFields").as_array()) {
      if (text_at(entry.as_object(), "manager") == manager) return entry.at("fieldsV1");
    }
    return nullptr;
  }
  static std::string time_of(const json::object& object, std::string_view manager) {
    for (const auto& entry : object.at("metadata").at("managedFields").as_array()) {
      if (text_at(entry.as_object(), "manager") == manager) return text_at(entry.as_object(), "time");
    }
    return "none";
  }
};

TEST_F(Apply, CreatesWithTheFieldsOfTheConfiguration) {
  const auto made = apply({},
                          "{'replicas': 2, 'template': {'spec': {'containers': [{'name': 'a', 'image': 'i', "
                          "'ports': [{'containerPort': 80}]}]}}}",
                          "alice");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(
      fields_of(*made, "alice"),
      from_text(
          R"({'f:spec': {'f:replicas': {}, 'f:template': {'f:spec': {'f:containers': {)"
          R"('k:{\'name\':\'a\'}': {'.': {}, 'f:image': {}, 'f:name': {}, 'f:ports': {)"
          R"('k:{\'containerPort\':80,\'protocol\':\'TCP\'}': {'.': {}, 'f:containerPort': {}}}}}}}}})"));
  const auto& entry = made->at("metadata").at("managedFields").at(0);
  EXPECT_EQ(entry.at("operation"), json::value("Apply"));
  EXPECT_EQ(entry.at("apiVersion"), json::value("apps/v1"));
  EXPECT_EQ(entry.at("time"), json::value("2024-10-04T00:00:00Z"));
}

TEST_F(Apply, NothingNewReturnsTheStoredObjectWithItsTimes) {
  const auto made = apply({}, "{'replicas': 2}", "alice");
  const auto again = apply(*made, "{'replicas': 2}", "alice", false, 5);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *made);
  const auto changed = apply(*made, "{'replicas': 3}", "alice", false, 5);
  EXPECT_EQ(time_of(*changed, "alice"), "2024-10-04T00:05:00Z");
}

TEST_F(Apply, AnotherManagersFieldConflicts) {
  const auto made = apply({}, "{'replicas': 2}", "alice");
  const auto refused = apply(*made, "{'replicas': 3}", "bob");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 409);
  EXPECT_EQ(refused.error().message, "Apply failed with 1 conflict: conflict with \"alice\": .spec.replicas");
  EXPECT_EQ(refused.error().causes,
            (StatusCauses{{"FieldManagerConflict", "conflict with \"alice\"", ".spec.replicas"}}));
}

TEST_F(Apply, AnUpdatersFieldConflictsWithItsVersion) {
  const auto made = track_update(schema_, {}, deployment("{'replicas': 2, 'paused': true}"), writer("alice"));
  const auto refused = apply(made, "{'replicas': 3, 'paused': false}", "bob");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "Apply failed with 2 conflicts: conflicts with \"alice\" using apps/v1:\n- .spec.paused\n- "
            ".spec.replicas");
}

TEST_F(Apply, ForceTakesTheField) {
  const auto made = apply({}, "{'replicas': 2, 'paused': true}", "alice");
  const auto forced = apply(*made, "{'replicas': 3}", "bob", true);
  ASSERT_TRUE(forced);
  EXPECT_EQ(forced->at("spec"), from_text("{'replicas': 3, 'paused': true}"));
  EXPECT_EQ(fields_of(*forced, "alice"), from_text("{'f:spec': {'f:paused': {}}}"));
  EXPECT_EQ(fields_of(*forced, "bob"), from_text("{'f:spec': {'f:replicas': {}}}"));
}

TEST_F(Apply, TheSameValueIsShared) {
  const auto made = apply({}, "{'replicas': 2}", "alice");
  const auto shared = apply(*made, "{'replicas': 2}", "bob");
  ASSERT_TRUE(shared);
  EXPECT_EQ(fields_of(*shared, "alice"), from_text("{'f:spec': {'f:replicas': {}}}"));
  EXPECT_EQ(fields_of(*shared, "bob"), from_text("{'f:spec': {'f:replicas': {}}}"));
  // Alice lets go: bob still holds it, so it stays.
  const auto left = apply(*shared, "{'paused': true}", "alice");
  EXPECT_EQ(left->at("spec"), from_text("{'replicas': 2, 'paused': true}"));
}

TEST_F(Apply, WhatIsNoLongerAppliedGoesWhenNobodyElseHoldsIt) {
  const auto made = apply({}, "{'replicas': 2, 'paused': true}", "alice");
  const auto less = apply(*made, "{'replicas': 2}", "alice");
  EXPECT_EQ(less->at("spec"), from_text("{'replicas': 2}"));
  EXPECT_EQ(fields_of(*less, "alice"), from_text("{'f:spec': {'f:replicas': {}}}"));
}

TEST_F(Apply, AnItemGoesWithItsKeyButNotWhatOthersAdded) {
  const auto made = apply(
      {},
      "{'template': {'spec': {'containers': [{'name': 'a', 'image': 'i'}, {'name': 'b', 'image': 'j'}]}}}",
      "alice");
  const auto shared =
      apply(*made, "{'template': {'spec': {'containers': [{'name': 'b', 'tty': true}]}}}", "bob");
  const auto less = apply(*shared, "{'template': {'spec': {'containers': []}}}", "alice");
  ASSERT_TRUE(less) << less.error().message;
  EXPECT_EQ(less->at("spec").at("template").at("spec").at("containers"),
            from_text("[{'name': 'b', 'tty': true}]"));
}

TEST_F(Apply, DefaultsThatNobodyAppliedStay) {
  auto made = apply({}, "{'replicas': 2}", "alice");
  (*made)["spec"].as_object()["revisionHistoryLimit"] = 10;
  const auto again = apply(*made, "{'replicas': 3}", "alice");
  EXPECT_EQ(again->at("spec"), from_text("{'replicas': 3, 'revisionHistoryLimit': 10}"));
}

TEST_F(Apply, ListOrderFollowsTheConfiguration) {
  constexpr auto containers = [](std::string_view names) {
    std::string text = "{'template': {'spec': {'containers': [";
    for (std::size_t i = 0; i < names.size(); ++i)
      text += (i ? "," : "") + std::string("{'name': '") + names[i] + "'}";
    return text + "]}}}";
  };
  const auto names = [](const json::object& object) {
    std::string out;
    for (const auto& item : object.at("spec").at("template").at("spec").at("containers").as_array())
      out += item.at("name").as_string();
    return out;
  };
  const auto made = apply({}, containers("abc"), "alice");
  EXPECT_EQ(names(*apply(*made, containers("cba"), "alice")), "cba");
  EXPECT_EQ(names(*apply(*made, containers("xb"), "bob")), "axbc");
  EXPECT_EQ(names(*apply(*made, containers("bx"), "bob")), "abcx");
}

TEST_F(Apply, AConfigurationThatCanNotBeTypedIsRefused) {
  const auto unknown = apply({}, "{'replicaz': 2}", "alice");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().message.ends_with(".spec.replicaz: field not declared in schema"))
      << unknown.error().message;
  const auto twice =
      apply({}, "{'template': {'spec': {'containers': [{'name': 'a'}, {'name': 'a'}]}}}", "alice");
  ASSERT_FALSE(twice);
  EXPECT_TRUE(twice.error().message.ends_with(
      R"(.spec.template.spec.containers: duplicate entries for key [name="a"])"))
      << twice.error().message;
  auto managed = deployment("{}");
  managed["metadata"].as_object()["managedFields"] = json::array();
  EXPECT_EQ(apply_configuration(schema_, {}, managed, writer("alice"), false).error().message,
            "metadata.managedFields must be nil");
  auto other = deployment("{}");
  other["apiVersion"] = "apps/v1beta1";
  EXPECT_EQ(apply_configuration(schema_, {}, other, writer("alice"), false).error().code, 400);
}

TEST_F(Apply, ObjectsOfBeforeTrackingKeepTheirFields) {
  const auto live = deployment("{'replicas': 2, 'paused': true}");
  const auto applied = apply(live, "{'replicas': 2}", "alice");
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->at("spec"), from_text("{'replicas': 2, 'paused': true}"));
  EXPECT_EQ(fields_of(*applied, "before-first-apply"),
            from_text("{'f:spec': {'f:paused': {}, 'f:replicas': {}}}"));
}

TEST_F(Apply, StatusIsWrittenThroughItsSubresourceOnly) {
  auto configuration = deployment("{'replicas': 2}");
  configuration["status"] = from_text("{'replicas': 7}");
  const auto made = apply_configuration(schema_, {}, configuration, writer("alice"), false);
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->contains("status"));
  EXPECT_EQ(fields_of(*made, "alice"), from_text("{'f:spec': {'f:replicas': {}}}"));
  const auto status =
      apply_configuration(schema_, *made, configuration, {"kubelet", "status", k_start}, false);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->at("status"), from_text("{'replicas': 7}"));
  EXPECT_EQ(fields_of(*status, "kubelet"), from_text("{'f:status': {'f:replicas': {}}}"));
}

TEST_F(Apply, UpdatesOwnWhatTheyChangedAndOthersLoseIt) {
  const auto made = apply({}, "{'replicas': 2, 'paused': true}", "alice");
  auto changed = *made;
  changed["spec"].as_object()["replicas"] = 5;
  changed["spec"].as_object()["minReadySeconds"] = 1;
  const auto updated = track_update(schema_, *made, changed, writer("hpa", 1));
  EXPECT_EQ(fields_of(updated, "alice"), from_text("{'f:spec': {'f:paused': {}}}"));
  EXPECT_EQ(fields_of(updated, "hpa"), from_text("{'f:spec': {'f:minReadySeconds': {}, 'f:replicas': {}}}"));
  // A second write by the same manager adds to its entry; a removed field is nobody's.
  auto again = updated;
  again["spec"].as_object()["revisionHistoryLimit"] = 3;
  again["spec"].as_object().erase("minReadySeconds");
  const auto twice = track_update(schema_, updated, again, writer("hpa", 2));
  EXPECT_EQ(fields_of(twice, "hpa"),
            from_text("{'f:spec': {'f:replicas': {}, 'f:revisionHistoryLimit': {}}}"));
  EXPECT_EQ(time_of(twice, "hpa"), "2024-10-04T00:02:00Z");
}

TEST_F(Apply, AnUpdateThatChangesNothingKeepsTheTimes) {
  const auto made = track_update(schema_, {}, deployment("{'replicas': 2}"), writer("alice"));
  EXPECT_EQ(track_update(schema_, made, made, writer("alice", 9)), made);
  EXPECT_EQ(track_update(schema_, made, made, writer("bob", 9)), made);
}

TEST_F(Apply, ManagedFieldsCanBeReset) {
  const auto made = apply({}, "{'replicas': 2}", "alice");
  auto reset = *made;
  reset["metadata"].as_object()["managedFields"] = from_text("[{}]");
  const auto updated = track_update(schema_, *made, reset, writer("bob"));
  EXPECT_FALSE(updated.at("metadata").as_object().contains("managedFields"));
  // Leaving them out does not lose them.
  auto without = *made;
  without["metadata"].as_object().erase("managedFields");
  EXPECT_EQ(track_update(schema_, *made, without, writer("bob")), *made);
}

TEST_F(Apply, OldUpdateEntriesAreMerged) {
  auto object = track_update(schema_, {}, deployment("{'replicas': 0}"), writer("m0"));
  for (int i = 1; i < 15; ++i) {
    auto next = object;
    auto& metadata = next["metadata"].as_object();
    if (!metadata.contains("labels")) metadata["labels"] = json::object();
    metadata["labels"].as_object()["l" + std::to_string(i)] = "x";
    object = track_update(schema_, object, next, writer("m" + std::to_string(i), i));
  }
  EXPECT_EQ(object.at("metadata").at("managedFields").as_array().size(), 10U);
  EXPECT_NE(fields_of(object, "ancient-changes"), json::value());
  EXPECT_NE(fields_of(object, "m14"), json::value());
}

TEST_F(Apply, FieldManagersAreChecked) {
  EXPECT_TRUE(check_field_manager("kubectl", true));
  EXPECT_FALSE(check_field_manager("", true));
  EXPECT_TRUE(check_field_manager("", false));
  EXPECT_FALSE(check_field_manager(std::string(129, 'a'), false));
  EXPECT_FALSE(check_field_manager("a\nb", false));
}

TEST(FieldSet, JsonFormComesBack) {
  const auto fields = from_text(
      R"({'f:a': {'.': {}, 'f:b': {}}, 'f:l': {'k:{\'name\':\'x\'}': {'.': {}, 'f:v': {}}, 'v:1': {}, 'i:0': {}}})");
  const auto set = FieldSet::from_json(fields);
  ASSERT_TRUE(set);
  EXPECT_EQ(json::value(set->to_json()), fields);
  EXPECT_EQ(set->paths().size(), 6U);
  EXPECT_FALSE(FieldSet::from_json(from_text("{'g:a': {}}")));
}

TEST(FieldSet, PathsAreWrittenAsConflictsShowThem) {
  EXPECT_EQ(path_text({"f:spec", R"(k:{"name":"a"})", "f:image"}), R"(.spec[name="a"].image)");
  EXPECT_EQ(path_text({"f:finalizers", R"(v:"x")"}), R"(.finalizers[="x"])");
}

TEST(FieldSet, AtomicMapsAreOneField) {
  const auto& schema = built_in("", "v1", "Pod");
  const auto set = field_set_of(
      *schema.root, from_text("{'spec': {'nodeSelector': {'a': 'b'}}, 'metadata': {'labels': {'c': 'd'}}}"));
  EXPECT_EQ(json::value(set.to_json()),
            from_text("{'f:metadata': {'f:labels': {'f:c': {}}}, 'f:spec': {'f:nodeSelector': {}}}"));
}

TEST(ApplyCustom, SetListsMergeByValue) {
  const auto schema = testing::widget(
      "{'type': 'object', 'properties': {'tags': {'type': 'array', 'items': {'type': 'string'}, "
      "'x-kubernetes-list-type': 'set'}}}");
  const auto object = [](std::string_view tags) {
    auto out = object_from("{'apiVersion': 'example.com/v1', 'kind': 'Widget', 'metadata': {'name': 'w'}}");
    out["spec"] = json::object{{"tags", from_text(tags)}};
    return out;
  };
  const auto made = apply_configuration(*schema, {}, object("['a', 'b']"), {"alice", "", k_start}, false);
  const auto more = apply_configuration(*schema, *made, object("['c', 'b']"), {"bob", "", k_start}, false);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->at("spec"), from_text("{'tags': ['a', 'c', 'b']}"));
  const auto less = apply_configuration(*schema, *more, object("['a']"), {"alice", "", k_start}, false);
  EXPECT_EQ(less->at("spec"), from_text("{'tags': ['a', 'c', 'b']}"));
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
