#include "sandbox/kubernetes/objects/table.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/objects/openapi.h"
#include "sandbox/kubernetes/objects/testing/schemas.h"

namespace instantstart::sandbox::kubernetes {
namespace {

using testing::from_text;
using testing::object_from;

const WallTime k_now = parse_rfc3339("2026-11-30T12:00:00Z").value();

json::value row(std::string_view group, std::string_view kind, std::string_view object) {
  const auto value = object_from(object);
  const json::object* objects[] = {&value};
  const auto table = make_table(
      {table_columns(group, kind), std::string(group), std::string(kind), RowObject::none, k_now}, objects);
  EXPECT_EQ(table.at("columnDefinitions").as_array().size(),
            table.at("rows").at(0).at("cells").as_array().size());
  return table.at("rows").at(0).at("cells");
}

TEST(Table, HumanDurations) {
  const std::pair<int, const char*> rows[] = {
      {-5, "<invalid>"}, {0, "0s"},        {119, "119s"},  {120, "2m"},     {125, "2m5s"}, {599, "9m59s"},
      {600, "10m"},      {10799, "179m"},  {10800, "3h"},  {11100, "3h5m"}, {28800, "8h"}, {172799, "47h"},
      {172800, "2d"},    {187200, "2d4h"}, {691200, "8d"}, {63072000, "2y"}};
  for (const auto& [given, wanted] : rows) EXPECT_EQ(human_duration(seconds(given)), wanted);
}

TEST(Table, PodsTellWhyTheyDoNotRun) {
  EXPECT_EQ(
      row("", "Pod",
          R"({'metadata': {'name': 'p', 'creationTimestamp': '2026-11-30T11:00:00Z'}, 'spec': {'nodeName': 'n', 'containers': [{}, {}]},
    'status': {'phase': 'Running', 'podIP': '10.0.0.1', 'containerStatuses': [{'ready': true, 'restartCount': 0, 'state': {'running': {}}},
      {'ready': false, 'restartCount': 3, 'state': {'waiting': {'reason': 'CrashLoopBackOff'}},
       'lastState': {'terminated': {'finishedAt': '2026-11-30T11:58:00Z'}}}]}})"),
      from_text(
          "['p', '1/2', 'CrashLoopBackOff', '3 (2m ago)', '60m', '10.0.0.1', 'n', '<none>', '<none>']"));
  EXPECT_EQ(row("", "Pod",
                "{'metadata': {'name': 'p'}, 'spec': {'containers': [{}]}, 'status': {'phase': 'Pending'}}"),
            from_text("['p', '0/1', 'Pending', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>']"));
}

TEST(Table, RowsOfOtherKinds) {
  EXPECT_EQ(
      row("apps", "Deployment", R"({'metadata': {'name': 'd', 'creationTimestamp': '2026-11-30T11:59:00Z'},
    'spec': {'replicas': 3, 'selector': {'matchLabels': {'a': 'b'}}, 'template': {'spec': {'containers': [{'name': 'c', 'image': 'i'}]}}},
    'status': {'readyReplicas': 1, 'updatedReplicas': 2, 'availableReplicas': 1}})"),
      from_text("['d', '1/3', 2, 1, '60s', 'c', 'i', 'a=b']"));
  const auto node = row(
      "", "Node",
      R"({'metadata': {'name': 'n', 'labels': {'node-role.kubernetes.io/worker': ''}}, 'spec': {'unschedulable': true},
    'status': {'conditions': [{'type': 'Ready', 'status': 'True'}], 'nodeInfo': {'kubeletVersion': 'v1.34'}}})");
  EXPECT_EQ(node.at(1), json::value("Ready,SchedulingDisabled"));
  EXPECT_EQ(node.at(2), json::value("worker"));
  EXPECT_EQ(row("", "Service",
                "{'metadata': {'name': 's'}, 'spec': {'type': 'ClusterIP', 'clusterIP': '10.1.1.1', 'ports': "
                "[{'port': 80, 'protocol': 'TCP'}]}}"),
            from_text("['s', 'ClusterIP', '10.1.1.1', '<none>', '80/TCP', '<unknown>', '<none>']"));
}

TEST(Table, EveryKindHasAsManyCellsAsColumns) {
  for (const auto& resource : built_in_resources())
    row(resource.group, resource.kind, "{'metadata': {'name': 'x'}}");
}

TEST(Table, CustomColumnsFollowTheirPaths) {
  const auto definition = object_from(R"({'spec': {'versions': [{'name': 'v1', 'additionalPrinterColumns': [
    {'name': 'Size', 'type': 'integer', 'jsonPath': '.spec.size'},
    {'name': 'Ready', 'type': 'string', 'jsonPath': '.status.conditions[?(@.type==\'Ready\')].status'},
    {'name': 'State', 'type': 'string', 'jsonPath': '.status.conditions[-1:].type'},
    {'name': 'Age', 'type': 'date', 'jsonPath': '.metadata.creationTimestamp'}]}]}})");
  const auto object = object_from(
      R"({'metadata': {'name': 'w', 'creationTimestamp': '2026-11-30T11:59:00Z'}, 'spec': {'size': 3},
    'status': {'conditions': [{'type': 'Other', 'status': 'False'}, {'type': 'Ready', 'status': 'True'}]}})");
  const json::object* objects[] = {&object};
  const auto table = make_table(
      {custom_table_columns(definition, "v1"), "example.com", "Widget", RowObject::metadata, k_now}, objects);
  EXPECT_EQ(table.at("rows").at(0).at("cells"), from_text("['w', 3, 'True', 'Ready', '60s']"));
  EXPECT_EQ(table.at("rows").at(0).at("object").at("kind"), json::value("PartialObjectMetadata"));
  EXPECT_EQ(custom_table_columns(definition, "v2").size(), 2U);
}

TEST(OpenApi, DocumentsHoldSchemasAndPathsOfTheirGroup) {
  const auto document = openapi_v3_document("apps", "v1", built_in_resources());
  ASSERT_TRUE(document);
  const auto& schemas = document->at("components").at("schemas").as_object();
  EXPECT_TRUE(schemas.contains("io.k8s.api.apps.v1.Deployment"));
  EXPECT_TRUE(schemas.contains("io.k8s.api.core.v1.PodSpec"));
  EXPECT_FALSE(schemas.contains("io.k8s.api.batch.v1.Job"));
  const auto& paths = document->at("paths").as_object();
  EXPECT_TRUE(paths.contains("/apis/apps/v1/namespaces/{namespace}/deployments/{name}"));
  EXPECT_FALSE(paths.contains("/api/v1/namespaces/{namespace}/pods/{name}"));
}

TEST(OpenApi, CustomKindsGetADocumentToo) {
  const auto definition = testing::widget_definition("{'type': 'object'}");
  const auto resources = custom_resources(definition);
  const json::object* definitions[] = {&definition};
  const auto document = openapi_v3_document("example.com", "v1", resources, definitions);
  ASSERT_TRUE(document);
  EXPECT_TRUE(document->at("components").at("schemas").as_object().contains("com.example.v1.Widget"));
}

TEST(SchemaSet, EveryBuiltInResourceHasAType) {
  const auto set = SchemaSet::with_built_in();
  ASSERT_TRUE(set);
  for (const auto& resource : built_in_resources()) {
    const auto found = set->find(resource.group, resource.version, resource.kind);
    ASSERT_TRUE(found) << resource.group << " " << resource.kind;
    EXPECT_EQ(found->namespaced, resource.namespaced);
    EXPECT_TRUE(found->root->property("metadata")) << resource.kind;
  }
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
