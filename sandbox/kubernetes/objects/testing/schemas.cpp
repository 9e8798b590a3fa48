#include "sandbox/kubernetes/objects/testing/schemas.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace instantstart::sandbox::kubernetes::testing {

json::value from_text(std::string_view text) {
  std::string plain(text);
  std::ranges::replace(plain, '\'', '"');
  return parse_json(plain).value();
}

json::object object_from(std::string_view text) { return from_text(text).as_object(); }

const ObjectSchema& built_in(std::string_view group, std::string_view version, std::string_view kind) {
  static const SchemaSet set = SchemaSet::with_built_in().value();
  const auto found = set.find(group, version, kind);
  if (!found) std::abort();
  return *found;
}

json::object widget_definition(std::string_view spec_schema) {
  auto definition =
      object_from(R"({'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
    'metadata': {'name': 'widgets.example.com'},
    'spec': {'group': 'example.com', 'scope': 'Namespaced', 'names': {'plural': 'widgets', 'kind': 'Widget'},
      'versions': [{'name': 'v1', 'served': true, 'storage': true, 'subresources': {'status': {}},
        'schema': {'openAPIV3Schema': {'type': 'object', 'properties': {
          'status': {'type': 'object', 'x-kubernetes-preserve-unknown-fields': true}}}}}]}})");
  auto& version = definition["spec"].as_object()["versions"].as_array()[0].as_object();
  version["schema"].as_object()["openAPIV3Schema"].as_object()["properties"].as_object()["spec"] =
      from_text(spec_schema);
  return definition;
}

std::shared_ptr<const ObjectSchema> widget(std::string_view spec_schema) {
  static SchemaSet set = SchemaSet::with_built_in().value();
  if (!set.put_custom(widget_definition(spec_schema))) std::abort();
  return set.find("example.com", "v1", "Widget");
}

}  // namespace instantstart::sandbox::kubernetes::testing
