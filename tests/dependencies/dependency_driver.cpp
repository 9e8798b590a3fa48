// Gives another program the objects of all components, and our judgement of what a server made of them. One
// JSON object a line in, one a line out:
//
//   {"mode": "objects", "region": …, "operation": …} → {"objects": [{"ref", "path", "object"} …]}
//   {"mode": "differences", "desired": …, "live": …} → {"differences": […]}
#include "aws/json_lines.h"
#include "capabilities/dependencies/component.h"
#include "capabilities/dependencies/component_reader.h"
#include "capabilities/dependencies/owned_object.h"

namespace instantstart::capabilities {
namespace {

Result<json::object> all_objects(const json::object& line) {
  json::array objects;
  for (const auto& component : components()) {
    if (!component.objects) continue;
    for (auto& plain :
         component.objects({.region = aws::text(line, "region"), .release = std::string(k_release)})) {
      const ObjectRef ref = ref_of(plain);
      const auto path = kube::object_path(type_of_object(ref), {.space = ref.namespace_, .name = ref.name});
      if (!path) return fail(path.error());
      auto object = owned(std::move(plain), {.component = std::string(component.name),
                                             .version = std::string(component.version),
                                             .release = std::string(k_release),
                                             .operation_id = aws::text(line, "operation")});
      objects.push_back(json::object{{"ref", to_text(ref)}, {"path", *path}, {"object", std::move(object)}});
    }
  }
  return json::object{{"objects", std::move(objects)}};
}

Result<json::object> answer(const json::object& line) {
  if (aws::text(line, "mode") == "objects") return all_objects(line);
  json::array found;
  for (const auto& at : differences(line.at("desired").as_object(), line.at("live").as_object())) {
    found.emplace_back(at);
  }
  return json::object{{"differences", std::move(found)}};
}

}  // namespace
}  // namespace instantstart::capabilities

int main() { return instantstart::aws::run_lines(instantstart::capabilities::answer); }
