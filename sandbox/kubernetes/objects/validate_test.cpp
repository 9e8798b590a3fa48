#include "sandbox/kubernetes/objects/validate.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "sandbox/kubernetes/objects/apply.h"
#include "sandbox/kubernetes/objects/decode_object.h"
#include "sandbox/kubernetes/objects/defaults.h"
#include "sandbox/kubernetes/objects/json_access.h"
#include "sandbox/kubernetes/objects/testing/schemas.h"

namespace instantstart::sandbox::kubernetes {
namespace {

using testing::built_in;
using testing::from_text;
using testing::object_from;
using testing::widget;

constexpr auto k_deployment =
    R"({'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'd', 'namespace': 'n'},
  'spec': {'selector': {'matchLabels': {'a': 'b'}}, 'template': {'metadata': {'labels': {'a': 'b'}},
    'spec': {'containers': [{'name': 'c', 'image': 'nginx', 'ports': [{'containerPort': 80}]}]}}}})";

const ObjectSchema& deployments() { return built_in("apps", "v1", "Deployment"); }

std::string doubled(std::string_view text) {
  std::string out(text);
  std::ranges::replace(out, '\'', '"');
  return out;
}

std::string refusal(std::string_view text, const ObjectSchema& schema,
                    FieldValidation validation = FieldValidation::strict) {
  const auto decoded = decode_object(doubled(text), schema, validation);
  return decoded ? "accepted" : decoded.error().message;
}

TEST(DecodeObject, UnknownAndDuplicateFieldsInKubesWords) {
  constexpr auto text =
      "{'spec': {'replicas': 1, 'replicas': 2, 'foo': 1, 'template': {'spec': {'containers': [{'bar': "
      "1}]}}}}";
  EXPECT_EQ(refusal(text, deployments()),
            "Deployment in version \"v1\" cannot be handled as a Deployment: strict decoding error: "
            "duplicate field \"spec.replicas\", "
            "unknown field \"spec.foo\", unknown field \"spec.template.spec.containers[0].bar\"");
  const auto warned = decode_object(doubled(text), deployments(), FieldValidation::warn);
  ASSERT_TRUE(warned);
  EXPECT_EQ(warned->warnings.size(), 3U);
  EXPECT_EQ(warned->object.at("spec").at("replicas"), json::value(2));
  EXPECT_FALSE(warned->object.at("spec").as_object().contains("foo"));
  EXPECT_TRUE(decode_object(doubled(text), deployments(), FieldValidation::ignore)->warnings.empty());
}

TEST(DecodeObject, TypeErrorsInGosWords) {
  constexpr std::string_view prefix = "Deployment in version \"v1\" cannot be handled as a Deployment: ";
  EXPECT_EQ(
      refusal("{'spec': {'replicas': 'x'}}", deployments()),
      std::string(prefix) +
          "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32");
  EXPECT_EQ(refusal("{'spec': {'template': {'spec': {'containers': {}}}}}", deployments()),
            std::string(prefix) +
                "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of "
                "type []v1.Container");
  EXPECT_NE(refusal("{'spec': {'replicas': 1.5}}", deployments()), "accepted");
  EXPECT_NE(refusal("{'spec': {'replicas': 5000000000}}", deployments()), "accepted");
  EXPECT_NE(refusal("[]", deployments()), "accepted");
  EXPECT_NE(refusal("{'spec': {", deployments()), "accepted");
}

TEST(DecodeObject, NullsAreAbsentAndQuantitiesMayBeNumbers) {
  const auto decoded =
      decode_object(doubled("{'spec': {'replicas': null, 'template': {'spec': {'containers': [{'name': 'a', "
                            "'resources': {'limits': {'cpu': 2}}}]}}}}"),
                    deployments(), FieldValidation::strict);
  ASSERT_TRUE(decoded);
  const auto& spec = decoded->object.at("spec").as_object();
  EXPECT_FALSE(spec.contains("replicas"));
  EXPECT_EQ(spec.at("template").at("spec").at("containers").at(0).at("resources").at("limits").at("cpu"),
            json::value("2"));
}

TEST(Defaults, OfADeploymentAndItsPods) {
  const auto object = with_defaults(object_from(k_deployment), deployments());
  EXPECT_EQ(object.at("spec"), from_text(R"({'selector': {'matchLabels': {'a': 'b'}}, 'replicas': 1,
    'strategy': {'type': 'RollingUpdate', 'rollingUpdate': {'maxUnavailable': '25%', 'maxSurge': '25%'}},
    'revisionHistoryLimit': 10, 'progressDeadlineSeconds': 600,
    'template': {'metadata': {'labels': {'a': 'b'}}, 'spec': {'restartPolicy': 'Always', 'dnsPolicy': 'ClusterFirst',
      'schedulerName': 'default-scheduler', 'securityContext': {}, 'terminationGracePeriodSeconds': 30,
      'containers': [{'name': 'c', 'image': 'nginx', 'imagePullPolicy': 'Always', 'resources': {},
        'ports': [{'containerPort': 80, 'protocol': 'TCP'}], 'terminationMessagePath': '/dev/termination-log',
        'terminationMessagePolicy': 'File'}]}}})"));
  EXPECT_EQ(with_defaults(object, deployments()), object);
}

TEST(Defaults, OfOtherKinds) {
  const auto service =
      with_defaults(object_from("{'spec': {'ports': [{'port': 80}]}}"), built_in("", "v1", "Service"));
  EXPECT_EQ(
      service.at("spec"),
      from_text(R"({'ports': [{'port': 80, 'protocol': 'TCP', 'targetPort': 80}], 'sessionAffinity': 'None',
    'type': 'ClusterIP', 'internalTrafficPolicy': 'Cluster', 'ipFamilies': ['IPv4'], 'ipFamilyPolicy': 'SingleStack'})"));
  const auto job = with_defaults(object_from("{'spec': {'template': {'spec': {'containers': []}}}}"),
                                 built_in("batch", "v1", "Job"));
  EXPECT_EQ(job.at("spec").at("completions"), json::value(1));
  EXPECT_EQ(job.at("spec").at("backoffLimit"), json::value(6));
  const auto pod = with_defaults(
      object_from("{'spec': {'containers': [{'image': 'a:1', 'resources': {'limits': {'cpu': '1'}}}]}}"),
      built_in("", "v1", "Pod"));
  const auto& container = pod.at("spec").at("containers").at(0);
  EXPECT_EQ(container.at("imagePullPolicy"), json::value("IfNotPresent"));
  EXPECT_EQ(container.at("resources").at("requests"), from_text("{'cpu': '1'}"));
}

std::string problems(const ObjectSchema& schema, json::object object) {
  const auto causes = validate_create(schema, with_defaults(std::move(object), schema));
  return causes.empty() ? "" : invalid(schema.group, schema.kind, "d", causes).message;
}

/// The deployment with one value replaced, at a path of keys and indexes.
json::object changed(std::string_view pointer, std::string_view value) {
  json::value object(object_from(k_deployment));
  object.at_pointer(pointer) = from_text(value);
  return object.as_object();
}

TEST(ValidateCreate, DeploymentRulesInKubesWords) {
  EXPECT_EQ(problems(deployments(), object_from(k_deployment)), "");
  EXPECT_EQ(problems(deployments(), changed("/spec/template/metadata/labels", "{'a': 'c'}")),
            "Deployment.apps \"d\" is invalid: spec.template.metadata.labels: Invalid value: {\"a\":\"c\"}: "
            "`selector` does not match "
            "template `labels`");
  EXPECT_EQ(problems(deployments(), changed("/spec/template/spec/containers", "[]")),
            "Deployment.apps \"d\" is invalid: spec.template.spec.containers: Required value");
  EXPECT_EQ(
      problems(deployments(), changed("/spec/template/spec/containers/0", "{'name': 'A_', 'image': ''}")),
      "Deployment.apps \"d\" is invalid: [spec.template.spec.containers[0].name: Invalid value: \"A_\": a "
      "lowercase RFC 1123 label "
      "must consist of lower case alphanumeric characters or '-', and must start and end with an "
      "alphanumeric character (e.g. "
      "'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'), "
      "spec.template.spec.containers[0].image: Required value]");
  auto negative = object_from(k_deployment);
  negative["spec"].as_object()["replicas"] = -1;
  EXPECT_EQ(problems(deployments(), negative),
            "Deployment.apps \"d\" is invalid: spec.replicas: Invalid value: -1: must be greater than or "
            "equal to 0");
}

// What a real server (v1.36) wrote for the same requests.
TEST(TrackUpdate, OwnsTheFieldsThatARealServerListsAfterCreation) {
  const FieldWriter alice{"alice", "", WallTime()};
  const auto fields = [&](const ObjectSchema& schema, std::string_view object) {
    const auto tracked = track_update(schema, {}, with_defaults(object_from(object), schema), alice);
    return tracked.at("metadata").at("managedFields").at(0).at("fieldsV1");
  };
  EXPECT_EQ(
      fields(deployments(), k_deployment),
      parse_json(
          R"fields({"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:select)fields"
          R"fields(or":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":)fields"
          R"fields({}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{"k:{\"n)fields"
          R"fields(ame\":\"c\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:ports":{".":{},"k:{\"c)fields"
          R"fields(ontainerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},"f:reso)fields"
          R"fields(urces":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:r)fields"
          R"fields(estartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":)fields"
          R"fields({}}}}})fields")
          .value());
}

TEST(ValidateCreate, AllProblemsInTheOrderOfARealServer) {
  const auto object = object_from(
      "{'metadata': {'name': 'E', 'namespace': 'n'}, 'spec': {'replicas': -1, 'template': {'spec': {}}}}");
  std::vector<std::string> fields;
  for (const auto& cause : validate_create(deployments(), with_defaults(object, deployments())))
    fields.push_back(cause.field);
  EXPECT_EQ(fields,
            (std::vector<std::string>{"metadata.name", "spec.replicas", "spec.selector",
                                      "spec.template.metadata.labels", "spec.template.spec.containers"}));
}

TEST(ValidateUpdate, SelectorsAndPodSpecsStay) {
  const auto before = with_defaults(object_from(k_deployment), deployments());
  auto after = before;
  after["spec"].as_object()["selector"] = from_text("{'matchLabels': {'a': 'c'}}");
  const auto causes = validate_update(deployments(), before, after);
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].field, "spec.selector");
  EXPECT_TRUE(causes[0].message.ends_with("field is immutable"));

  const auto& pods = built_in("", "v1", "Pod");
  const auto pod = with_defaults(object_from("{'metadata': {'name': 'p', 'namespace': 'n'}, 'spec': "
                                             "{'containers': [{'name': 'a', 'image': 'b'}]}}"),
                                 pods);
  json::value image(pod);
  image.at_pointer("/spec/containers/0/image") = "c";
  EXPECT_TRUE(validate_update(pods, pod, image.as_object()).empty());
  json::value command(pod);
  command.at_pointer("/spec/containers/0").as_object()["command"] = json::array{"x"};
  EXPECT_EQ(validate_update(pods, pod, command.as_object()).at(0).reason, "FieldValueForbidden");
}

TEST(ValidateCreate, NamesAsTheKindWantsThem) {
  const auto named = [](std::string_view name) {
    return json::object{{"metadata", json::object{{"name", name}, {"namespace", "n"}}}};
  };
  const auto& maps = built_in("", "v1", "ConfigMap");
  EXPECT_TRUE(validate_create(maps, named("a.b-c")).empty());
  EXPECT_EQ(validate_create(maps, named("A")).size(), 1U);
  EXPECT_EQ(validate_create(maps, named(std::string(254, 'a'))).size(), 1U);
  EXPECT_TRUE(
      validate_create(built_in("rbac.authorization.k8s.io", "v1", "Role"), named("system:Node_x")).empty());
  auto labelled = named("a");
  labelled["metadata"].as_object()["labels"] = from_text("{'a b': 'c', 'd': '-'}");
  EXPECT_EQ(validate_create(maps, labelled).size(), 2U);
}

TEST(ValidateCreate, BuiltInClaimsAndRoles) {
  const auto& claims = built_in("", "v1", "PersistentVolumeClaim");
  const auto causes =
      validate_create(claims, object_from("{'metadata': {'name': 'a', 'namespace': 'n'}, 'spec': {}}"));
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes[0].field, "spec.accessModes");
  EXPECT_EQ(causes[1].field, "spec.resources[storage]");
  const auto& bindings = built_in("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding");
  const auto binding =
      object_from("{'metadata': {'name': 'a'}, 'roleRef': {'kind': 'ClusterRole', 'name': 'r'}}");
  EXPECT_TRUE(validate_create(bindings, binding).empty());
  auto other = binding;
  other["roleRef"].as_object()["name"] = "s";
  EXPECT_EQ(validate_update(bindings, binding, other).at(0).field, "roleRef");
}

constexpr auto k_widget_spec = R"({'type': 'object', 'required': ['size'], 'properties': {
  'size': {'type': 'integer', 'minimum': 1, 'maximum': 9},
  'color': {'type': 'string', 'enum': ['red', 'blue'], 'default': 'red'},
  'code': {'type': 'string', 'pattern': '^[a-z]+$', 'maxLength': 3},
  'port': {'x-kubernetes-int-or-string': true, 'anyOf': [{'type': 'integer'}, {'type': 'string'}]},
  'free': {'type': 'object', 'x-kubernetes-preserve-unknown-fields': true},
  'parts': {'type': 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'],
    'items': {'type': 'object', 'properties': {'name': {'type': 'string'}, 'count': {'type': 'integer', 'default': 1}}}}}})";

json::object a_widget(std::string_view spec) {
  auto object = object_from(
      "{'apiVersion': 'example.com/v1', 'kind': 'Widget', 'metadata': {'name': 'd', 'namespace': 'n'}}");
  object["spec"] = from_text(spec);
  return object;
}

TEST(CustomKinds, SchemaRulesInKubesWords) {
  const auto schema = widget(k_widget_spec);
  const std::pair<const char*, const char*> rows[] = {
      {"{'size': 3, 'port': 'http', 'free': {'x': [1]}}", ""},
      {"{}", "spec.size: Required value"},
      {"{'size': 0}", "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"},
      {"{'size': 'x'}",
       "spec.size: Invalid value: \"string\": spec.size in body must be of type integer: \"string\""},
      {"{'size': 1, 'color': 'green'}",
       "spec.color: Unsupported value: \"green\": supported values: \"blue\", \"red\""},
      {"{'size': 1, 'code': 'A'}",
       "spec.code: Invalid value: \"A\": spec.code in body should match '^[a-z]+$'"},
      {"{'size': 1, 'code': 'abcd'}", "spec.code: Too long: may not be more than 3 bytes"},
      {"{'size': 1, 'port': true}",
       "spec.port: Invalid value: \"boolean\": spec.port in body must be of type integer,string: "
       "\"boolean\""},
      {"{'size': 1, 'parts': [{'name': 'a'}, {'name': 'a'}]}",
       "spec.parts[1]: Duplicate value: {\"name\":\"a\"}"}};
  for (const auto& [spec, wanted] : rows) {
    const std::string prefix = *wanted ? "Widget.example.com \"d\" is invalid: " : "";
    EXPECT_EQ(problems(*schema, a_widget(spec)), prefix + wanted) << spec;
  }
}

TEST(CustomKinds, AreDefaultedAndPruned) {
  const auto schema = widget(k_widget_spec);
  const auto object = prune(
      with_defaults(a_widget("{'size': 1, 'extra': 2, 'free': {'y': 1}, 'parts': [{'name': 'a', 'z': 1}]}"),
                    *schema),
      *schema);
  EXPECT_EQ(object.at("spec"),
            from_text("{'size': 1, 'color': 'red', 'free': {'y': 1}, 'parts': [{'name': 'a', 'count': 1}]}"));
  EXPECT_EQ(refusal("{'spec': {'size': 1, 'extra': 2, 'free': {'y': 1}}}", *schema),
            "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: unknown field "
            "\"spec.extra\"");
}

TEST(CustomKinds, UnusableSchemasAreRefused) {
  auto set = SchemaSet::with_built_in().value();
  EXPECT_FALSE(set.put_custom(testing::widget_definition("{'properties': {}}")));
  EXPECT_FALSE(set.put_custom(testing::widget_definition("{'type': 'string', 'pattern': '('}")));
  EXPECT_FALSE(set.put_custom(testing::widget_definition("{'type': 'array'}")));
  ASSERT_TRUE(set.put_custom(testing::widget_definition("{'type': 'object'}")));
  const auto found = set.find("example.com", "v1", "Widget");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->has_status);
  set.remove_custom("widgets.example.com");
  EXPECT_FALSE(set.find("example.com", "v1", "Widget"));
  EXPECT_EQ(found->root->property("spec")->kind, FieldKind::object);
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
