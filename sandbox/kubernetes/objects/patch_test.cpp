#include "sandbox/kubernetes/objects/patch.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/objects/testing/schemas.h"

namespace instantstart::sandbox::kubernetes {
namespace {

using testing::built_in;
using testing::from_text;
using testing::object_from;

struct PatchRow {
  const char *document, *patch, *wanted;  ///< wanted null: refused.
};

TEST(JsonPatch, OperationsOfRfc6902) {
  const PatchRow rows[] = {
      {"{'a': 1}", "[{'op': 'add', 'path': '/b', 'value': 2}]", "{'a': 1, 'b': 2}"},
      {"{'a': [1, 3]}", "[{'op': 'add', 'path': '/a/1', 'value': 2}]", "{'a': [1, 2, 3]}"},
      {"{'a': [1]}", "[{'op': 'add', 'path': '/a/-', 'value': 2}]", "{'a': [1, 2]}"},
      {"{'a': 1}", "[{'op': 'add', 'path': '', 'value': 2}]", "2"},
      {"{'a': 1}", "[{'op': 'add', 'path': '/b/c', 'value': 2}]", nullptr},
      {"{'a': [1]}", "[{'op': 'add', 'path': '/a/5', 'value': 2}]", nullptr},
      {"{'a': [1]}", "[{'op': 'add', 'path': '/a/01', 'value': 2}]", nullptr},
      {"{'a': 1, 'b': 2}", "[{'op': 'remove', 'path': '/a'}]", "{'b': 2}"},
      {"{'a': 1}", "[{'op': 'remove', 'path': '/b'}]", nullptr},
      {"{'a': [1, 2]}", "[{'op': 'remove', 'path': '/a/0'}]", "{'a': [2]}"},
      {"{'a': 1}", "[{'op': 'replace', 'path': '/a', 'value': {'x': 1}}]", "{'a': {'x': 1}}"},
      {"{'a': 1}", "[{'op': 'replace', 'path': '/b', 'value': 1}]", nullptr},
      {"{'a': {'b': 1}}", "[{'op': 'move', 'from': '/a/b', 'path': '/c'}]", "{'a': {}, 'c': 1}"},
      {"{'a': {'b': 1}}", "[{'op': 'move', 'from': '/a', 'path': '/a/b'}]", nullptr},
      {"{'a': {'b': 1}}", "[{'op': 'copy', 'from': '/a', 'path': '/c'}]", "{'a': {'b': 1}, 'c': {'b': 1}}"},
      {"{'a': 1}", "[{'op': 'test', 'path': '/a', 'value': 1}, {'op': 'remove', 'path': '/a'}]", "{}"},
      {"{'a': 1}", "[{'op': 'test', 'path': '/a', 'value': 2}]", nullptr},
      {"{'x/y': 1, 'm~n': 2}", "[{'op': 'remove', 'path': '/x~1y'}, {'op': 'remove', 'path': '/m~0n'}]",
       "{}"},
      {"{}", "[{'op': 'shuffle', 'path': '/a'}]", nullptr},
      {"{}", "{'op': 'remove'}", nullptr},
      {"{}", "[{'op': 'add', 'path': 'a', 'value': 1}]", nullptr}};
  for (const auto& row : rows) {
    const auto result = json_patch(from_text(row.document), from_text(row.patch));
    EXPECT_EQ(result.has_value(), row.wanted != nullptr) << row.patch;
    if (result && row.wanted) EXPECT_EQ(*result, from_text(row.wanted)) << row.patch;
  }
}

TEST(MergePatch, ExamplesOfRfc7396) {
  const PatchRow rows[] = {{"{'a':'b'}", "{'a':'c'}", "{'a':'c'}"},
                           {"{'a':'b'}", "{'b':'c'}", "{'a':'b','b':'c'}"},
                           {"{'a':'b'}", "{'a':null}", "{}"},
                           {"{'a':'b','b':'c'}", "{'a':null}", "{'b':'c'}"},
                           {"{'a':['b']}", "{'a':'c'}", "{'a':'c'}"},
                           {"{'a':'c'}", "{'a':['b']}", "{'a':['b']}"},
                           {"{'a':{'b':'c'}}", "{'a':{'b':'d','c':null}}", "{'a':{'b':'d'}}"},
                           {"{'a':[{'b':'c'}]}", "{'a':[1]}", "{'a':[1]}"},
                           {"['a','b']", "['c','d']", "['c','d']"},
                           {"{'a':'b'}", "['c']", "['c']"},
                           {"{'e':null}", "{'a':1}", "{'e':null,'a':1}"},
                           {"[1,2]", "{'a':'b','c':null}", "{'a':'b'}"},
                           {"{}", "{'a':{'bb':{'ccc':null}}}", "{'a':{'bb':{}}}"}};
  for (const auto& row : rows)
    EXPECT_EQ(merge_patch(from_text(row.document), from_text(row.patch)), from_text(row.wanted)) << row.patch;
}

/// Patches the containers' list of a pod: what stands for `spec`.
void expect_pod(const char* spec, const char* patch, const char* wanted) {
  json::object pod{{"spec", from_text(spec)}};
  const json::object change{{"spec", from_text(patch)}};
  const auto result = strategic_merge_patch(std::move(pod), change, built_in("", "v1", "Pod"));
  ASSERT_EQ(result.has_value(), wanted != nullptr) << patch << (result ? "" : result.error().message);
  if (wanted) EXPECT_EQ(result->at("spec"), from_text(wanted)) << patch;
}

TEST(StrategicMergePatch, ListsMergeByTheirKey) {
  expect_pod("{'containers': [{'name': 'a', 'image': '1'}, {'name': 'b', 'image': '2'}]}",
             "{'containers': [{'name': 'b', 'image': '3'}, {'name': 'c', 'image': '4'}]}",
             "{'containers': [{'name': 'a', 'image': '1'}, {'name': 'b', 'image': '3'}, {'name': 'c', "
             "'image': '4'}]}");
  expect_pod("{'containers': [{'name': 'a'}]}", "{'containers': [{'image': 'x'}]}", nullptr);
}

TEST(StrategicMergePatch, AtomicListsAreReplaced) {
  expect_pod("{'containers': [{'name': 'a', 'command': ['x', 'y']}]}",
             "{'containers': [{'name': 'a', 'command': ['z']}]}",
             "{'containers': [{'name': 'a', 'command': ['z']}]}");
  expect_pod("{'tolerations': [{'key': 'a'}]}", "{'tolerations': [{'key': 'b'}]}",
             "{'tolerations': [{'key': 'b'}]}");
}

TEST(StrategicMergePatch, DirectivesDeleteAndReplace) {
  expect_pod("{'containers': [{'name': 'a'}, {'name': 'b'}]}",
             "{'containers': [{'name': 'a', '$patch': 'delete'}]}", "{'containers': [{'name': 'b'}]}");
  expect_pod("{'containers': [{'name': 'a'}, {'name': 'b'}]}",
             "{'containers': [{'$patch': 'replace'}, {'name': 'c'}]}", "{'containers': [{'name': 'c'}]}");
  expect_pod("{'nodeSelector': {'a': 'b', 'c': 'd'}}", "{'nodeSelector': {'$patch': 'replace', 'e': 'f'}}",
             "{'nodeSelector': {'e': 'f'}}");
  expect_pod("{'nodeSelector': {'a': 'b', 'c': 'd'}}", "{'nodeSelector': {'a': null}}",
             "{'nodeSelector': {'c': 'd'}}");
  expect_pod("{'nodeSelector': {'a': 'b'}}", "{'nodeSelector': {'$patch': 'explode'}}", nullptr);
  expect_pod("{'hostNetwork': true}", "{'hostNetwork': null}", "{}");
}

TEST(StrategicMergePatch, RetainKeysClearsTheOthers) {
  expect_pod("{'volumes': [{'name': 'v', 'emptyDir': {}}]}",
             "{'volumes': [{'name': 'v', 'hostPath': {'path': '/x'}, '$retainKeys': ['name', 'hostPath']}]}",
             "{'volumes': [{'name': 'v', 'hostPath': {'path': '/x'}}]}");
}

TEST(StrategicMergePatch, ElementOrderIsSet) {
  expect_pod("{'containers': [{'name': 'a'}, {'name': 'b'}, {'name': 'server'}]}",
             "{'$setElementOrder/containers': [{'name': 'b'}, {'name': 'a'}], 'containers': [{'name': 'a', "
             "'image': 'x'}]}",
             "{'containers': [{'name': 'b'}, {'name': 'a', 'image': 'x'}, {'name': 'server'}]}");
}

TEST(StrategicMergePatch, PrimitiveListsMergeAndDelete) {
  const auto& schema = built_in("", "v1", "ConfigMap");
  const auto patched = strategic_merge_patch(
      object_from("{'metadata': {'finalizers': ['a', 'b', 'c']}}"),
      object_from("{'metadata': {'$deleteFromPrimitiveList/finalizers': ['b'], 'finalizers': ['d', 'a']}}"),
      schema);
  ASSERT_TRUE(patched);
  EXPECT_EQ(patched->at("metadata"), from_text("{'finalizers': ['a', 'c', 'd']}"));
}

TEST(StrategicMergePatch, ServicePortsMergeByPort) {
  const auto patched = strategic_merge_patch(
      object_from("{'spec': {'ports': [{'port': 80, 'name': 'a'}, {'port': 443}]}}"),
      object_from("{'spec': {'ports': [{'port': 80, 'name': 'b'}]}}"), built_in("", "v1", "Service"));
  ASSERT_TRUE(patched);
  EXPECT_EQ(patched->at("spec"), from_text("{'ports': [{'port': 80, 'name': 'b'}, {'port': 443}]}"));
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
