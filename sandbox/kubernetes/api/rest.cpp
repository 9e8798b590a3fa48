#include "sandbox/kubernetes/api/rest.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/api/listing.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/pod_actions.h"
#include "sandbox/kubernetes/api/refusals.h"
#include "sandbox/kubernetes/api/reviews.h"
#include "sandbox/kubernetes/api/scale.h"
#include "sandbox/kubernetes/api/watching.h"
#include "sandbox/kubernetes/objects/apply.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::string_view k_patch_types =
    "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, "
    "application/apply-patch+yaml";

bool is_pod(const ApiCall& call) { return call.info.group.empty() && call.info.resource == "pods"; }

/// The first part of the User-Agent, as the server names a manager that gave no name.
std::string default_manager(const net::Headers& headers) {
  const auto agent = headers.get("User-Agent");
  const std::string name(agent.substr(0, agent.find('/')));
  return name.empty() ? "unknown" : name.substr(0, 128);
}

}  // namespace

std::optional<PatchKind> patch_kind(std::string_view content_type) {
  const auto type = trim(content_type.substr(0, content_type.find(';')));
  if (type == "application/json-patch+json") return PatchKind::json;
  if (type == "application/merge-patch+json") return PatchKind::merge;
  if (type == "application/strategic-merge-patch+json") return PatchKind::strategic;
  if (type == "application/apply-patch+yaml") return PatchKind::apply;
  return std::nullopt;
}

Outcome<net::Response> Rest::answer(const ApiCall& call) {
  if (!call.info.is_resource) return about_the_server(call);
  if (!call.type) return refuse(no_such_path());
  const ResourceInfo& resource = call.type->info;
  const bool of_namespace = call.info.resource == "namespaces" && call.info.group.empty();
  if (!resource.namespaced && !call.info.namespace_name.empty() && !of_namespace) {
    return refuse(no_such_path());
  }
  if (resource.namespaced && call.info.namespace_name.empty() && call.info.verb != "list" &&
      call.info.verb != "watch") {
    return refuse(no_such_path());
  }
  const std::string& verb = call.info.verb;
  const bool of_object = verb == "get" || verb == "update" || verb == "patch" || verb == "delete";
  if (of_object == call.info.name.empty() && call.info.subresource.empty()) {
    return refuse(method_not_allowed());
  }
  if (!call.info.subresource.empty()) return subresource(call);
  if (!resource.has_verb(call.info.verb)) return refuse(method_not_allowed());
  if (is_review(call.info)) return review(call);
  if (!call.type->schema) return refuse(not_implemented("the sandbox does not serve this resource"));
  if (call.info.verb == "get") return get(call);
  if (call.info.verb == "list") return list(call);
  if (call.info.verb == "watch") return watch(call);
  if (call.info.verb == "create") return create(call);
  if (call.info.verb == "update") return update(call);
  if (call.info.verb == "patch") return patch(call);
  if (call.info.verb == "delete") return remove(call);
  if (call.info.verb == "deletecollection") return remove_collection(call);
  return refuse(method_not_allowed());
}

Outcome<net::Response> Rest::subresource(const ApiCall& call) {
  const SubresourceInfo* info = call.type->info.subresource(call.info.subresource);
  if (!info) return refuse(no_such_path());
  if (std::ranges::find(info->verbs, call.info.verb) == info->verbs.end()) {
    return refuse(method_not_allowed());
  }
  const std::string& name = call.info.subresource;
  const PodActionParts pods{parts_.world, parts_.store, parts_.writer, parts_.logs, parts_.tokens};
  if (name == "scale") return scale(call);
  if (is_pod(call) && name == "log") return pod_log(pods, call);
  if (is_pod(call) && name == "eviction") return evict_pod(pods, call);
  if (is_pod(call) && name == "binding") return bind_pod(pods, call);
  if (call.info.resource == "serviceaccounts" && name == "token") return request_token(pods, call);
  if (name == "exec" || name == "attach" || name == "portforward") {
    return refuse(
        not_implemented(fmt::format("the sandbox runs no programs: pods/{} is not supported", name)));
  }
  if (!call.type->schema) return refuse(no_such_path());
  if (call.info.verb == "get") return get(call);
  if (call.info.verb == "update") return update(call);
  if (call.info.verb == "patch") return patch(call);
  return refuse(not_implemented(fmt::format("the sandbox does not serve {}", call.info.operation())));
}

Outcome<net::Response> Rest::review(const ApiCall& call) {
  auto body = body_object(call);
  if (!body) return std::unexpected(std::move(body.error()));
  auto answered = answer_review(call, std::move(*body), parts_.authorizer, parts_.authenticator);
  if (!answered) return std::unexpected(std::move(answered.error()));
  return json_response(201, *answered);
}

// -- reading

Outcome<Renderer> Rest::renderer(const ApiCall& call) {
  auto representation = negotiate(call.request.headers.get("Accept"));
  if (!representation) return std::unexpected(std::move(representation.error()));
  return Renderer(parts_.store, call.cluster, call.type, std::move(*representation),
                  call.parameters.get("includeObject"));
}

net::Response Rest::show(const Renderer& renderer, const json::object& object, int status) {
  return json_response(status, renderer.one(object, parts_.world.now()));
}

Outcome<net::Response> Rest::get(const ApiCall& call) {
  const json::object* found =
      parts_.store.find(call.type->key(call.cluster, call.info.namespace_name, call.info.name));
  if (!found) return refuse(not_found(call.info.group, call.info.resource, call.info.name));
  auto form = renderer(call);
  if (!form) return std::unexpected(std::move(form.error()));
  return show(*form, *found, 200);
}

Outcome<net::Response> Rest::list(const ApiCall& call) {
  auto selection = Selection::read(call.cluster, *call.type, call.info, call.parameters);
  if (!selection) return std::unexpected(std::move(selection.error()));
  auto form = renderer(call);
  if (!form) return std::unexpected(std::move(form.error()));
  auto page = read_page(parts_.store, *selection, call.parameters);
  if (!page) return std::unexpected(std::move(page.error()));
  net::Response response{
      .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}}};
  response.body = form->list(page->objects, page->metadata, parts_.world.now());
  return response;
}

Outcome<net::Response> Rest::watch(const ApiCall& call) {
  auto selection = Selection::read(call.cluster, *call.type, call.info, call.parameters);
  if (!selection) return std::unexpected(std::move(selection.error()));
  auto form = renderer(call);
  if (!form) return std::unexpected(std::move(form.error()));
  auto options = read_watch_options(parts_.world, parts_.store, call.cluster, call.parameters);
  if (!options) return std::unexpected(std::move(options.error()));
  net::Response response{
      .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}}};
  response.body = std::make_unique<WatchStream>(parts_.world, parts_.store, std::move(*selection),
                                                std::move(*form), *options);
  return response;
}

// -- writing

Outcome<WriteTarget> Rest::target(const ApiCall& call) const {
  const auto dry_run = call.parameters.all("dryRun");
  if (std::ranges::any_of(dry_run, [](const std::string& value) { return value != "All"; })) {
    return refuse(invalid("meta.k8s.io", "CreateOptions", "",
                          {field_not_supported("dryRun", json::value(dry_run.front()), {"All"})}));
  }
  auto validation = parse_field_validation(call.parameters.get("fieldValidation"));
  if (!validation) return std::unexpected(std::move(validation.error()));
  std::string manager(call.parameters.get("fieldManager"));
  if (auto fine = check_field_manager(manager, false); !manager.empty() && !fine) {
    return std::unexpected(fine.error());
  }
  if (manager.empty()) manager = default_manager(call.request.headers);
  return WriteTarget{.cluster = call.cluster,
                     .type = call.type,
                     .namespace_name = call.type->info.namespaced ? call.info.namespace_name : std::string(),
                     .name = call.info.name,
                     .subresource = call.info.subresource,
                     .field_manager = std::move(manager),
                     .validation = *validation,
                     .dry_run = !dry_run.empty(),
                     .force = call.parameters.contains("force") && call.parameters.is_set("force")};
}

Outcome<net::Response> Rest::shown(const ApiCall& call, Outcome<Written> written, int status) {
  if (!written) return std::unexpected(std::move(written.error()));
  auto form = renderer(call);
  if (!form) return std::unexpected(std::move(form.error()));
  net::Response response = show(*form, written->object, written->created ? 201 : status);
  add_warnings(response, written->warnings);
  return response;
}

Outcome<net::Response> Rest::create(const ApiCall& call) {
  if (auto fine = check_content_type(call); !fine) return std::unexpected(fine.error());
  auto where = target(call);
  if (!where) return std::unexpected(std::move(where.error()));
  return shown(call, parts_.writer.create(*where, call.request.body), 201);
}

Outcome<net::Response> Rest::update(const ApiCall& call) {
  if (auto fine = check_content_type(call); !fine) return std::unexpected(fine.error());
  auto where = target(call);
  if (!where) return std::unexpected(std::move(where.error()));
  return shown(call, parts_.writer.update(*where, call.request.body), 200);
}

Outcome<net::Response> Rest::patch(const ApiCall& call) {
  const auto kind = patch_kind(call.request.headers.get("Content-Type"));
  if (!kind) return refuse(unsupported_media_type(k_patch_types));
  if (*kind == PatchKind::apply) {
    const std::string manager(call.parameters.get("fieldManager"));
    if (auto fine = check_field_manager(manager, true); !fine) return std::unexpected(fine.error());
  }
  auto where = target(call);
  if (!where) return std::unexpected(std::move(where.error()));
  return shown(call, parts_.writer.patch(*where, *kind, call.request.body), 200);
}

Outcome<net::Response> Rest::scale(const ApiCall& call) {
  const ObjectKey key = call.type->key(call.cluster, call.info.namespace_name, call.info.name);
  const json::object* found = parts_.store.find(key);
  if (!found) return refuse(not_found(call.info.group, call.info.resource, call.info.name));
  json::object wanted = scale_of(*call.type, *found);
  if (call.info.verb == "get") return json_response(200, wanted);
  auto where = target(call);
  if (!where) return std::unexpected(std::move(where.error()));
  if (call.info.verb == "update") {
    auto body = body_object(call);
    if (!body) return std::unexpected(std::move(body.error()));
    wanted = std::move(*body);
  } else {
    const auto kind = patch_kind(call.request.headers.get("Content-Type"));
    if (!kind || *kind == PatchKind::apply) return refuse(unsupported_media_type(k_patch_types));
    auto patched = patch_scale(*kind, std::move(wanted), call.request.body);
    if (!patched) return std::unexpected(std::move(patched.error()));
    wanted = std::move(*patched);
  }
  auto changed = with_scale(*call.type, *found, wanted);
  if (!changed) return std::unexpected(std::move(changed.error()));
  (*changed)["apiVersion"] = call.type->info.api_version();
  auto written = parts_.writer.update(*where, std::move(*changed));
  if (!written) return std::unexpected(std::move(written.error()));
  return json_response(200, scale_of(*call.type, written->object));
}

Outcome<net::Response> Rest::remove(const ApiCall& call) {
  auto body = body_object(call);
  if (!body) return std::unexpected(std::move(body.error()));
  auto options = delete_options(call.parameters, *body);
  if (!options) return std::unexpected(std::move(options.error()));
  auto where = target(call);
  if (!where) return std::unexpected(std::move(where.error()));
  auto removed = parts_.writer.remove(*where, *options);
  if (!removed) return std::unexpected(std::move(removed.error()));
  if (removed->gone && !is_pod(call)) {
    return json_response(
        200, success_status(call.info.name, call.info.group, call.info.resource, uid_of(removed->object)));
  }
  auto form = renderer(call);
  if (!form) return std::unexpected(std::move(form.error()));
  return show(*form, removed->object, 200);
}

Outcome<net::Response> Rest::remove_collection(const ApiCall& call) {
  auto body = body_object(call);
  if (!body) return std::unexpected(std::move(body.error()));
  auto options = delete_options(call.parameters, *body);
  if (!options) return std::unexpected(std::move(options.error()));
  auto selection = Selection::read(call.cluster, *call.type, call.info, call.parameters);
  if (!selection) return std::unexpected(std::move(selection.error()));
  auto where = target(call);
  if (!where) return std::unexpected(std::move(where.error()));
  std::vector<json::object> doomed;
  for (const auto* object : selection->find(parts_.store)) doomed.push_back(*object);
  std::vector<const json::object*> items;
  for (const auto& object : doomed) {
    WriteTarget one = *where;
    one.namespace_name = namespace_of(object);
    one.name = name_of(object);
    auto removed = parts_.writer.remove(one, *options);
    if (!removed && removed.error().code != 404) return std::unexpected(std::move(removed.error()));
    items.push_back(&object);
  }
  const Renderer plain(parts_.store, call.cluster, call.type, {}, "");
  const json::object metadata{{"resourceVersion", std::to_string(parts_.store.version(call.cluster))}};
  net::Response response{.headers = {{"Content-Type", "application/json"}}};
  response.body = plain.list(items, metadata, parts_.world.now());
  return response;
}

}  // namespace instantstart::sandbox::kubernetes
