#include "capabilities/dependencies/object_calls.h"

#include <utility>

#include "base/error_codes.h"
#include "capabilities/dependencies/component_reader.h"
#include "capabilities/dependencies/owned_object.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

std::unexpected<Error> unreadable(const std::string& ref) {
  return fail(codes::internal, "A stored object can't be read: " + ref);
}

}  // namespace

Task<json::value> apply_object(std::shared_ptr<kube::EksCluster> api, std::vector<json::object> objects,
                               std::string ref, bool force, net::Deadline deadline) {
  for (auto& object : objects) {
    const ObjectRef own = ref_of(object);
    if (to_text(own) != ref) continue;
    auto written = co_await api->client().apply(type_of_object(own), std::move(object),
                                                {.force = force, .repeat_is_harmless = true}, deadline);
    if (!written) co_return fail(within("Apply " + ref, written.error()));
    co_return json::object{{"ref", ref}, {"created", written->created}};
  }
  co_return unreadable(ref);
}

Task<json::value> remove_made_object(std::shared_ptr<kube::EksCluster> api, std::string ref,
                                     std::string maker, net::Deadline deadline) {
  const auto parsed = parse_object_ref(ref);
  if (!parsed) co_return unreadable(ref);
  const kube::ObjectName id{parsed->namespace_, parsed->name};
  auto live = co_await api->client().get(type_of_object(*parsed), id, deadline);
  if (!live && live.error().code == codes::not_found) co_return json::object{{"ref", ref}};
  if (!live) co_return fail(live.error());
  if (maker_of(*live) != maker) co_return json::object{{"ref", ref}, {"kept", true}};
  kube::DeleteOptions options{.uid = std::string(kube::text_at(*live, {"metadata", "uid"}))};
  auto removed = co_await api->client().remove(type_of_object(*parsed), id, std::move(options), deadline);
  if (!removed && removed.error().code != codes::not_found) {
    co_return fail(within("Delete " + ref, removed.error()));
  }
  co_return json::object{{"ref", ref}};
}

}  // namespace instantstart::capabilities
