#include "sandbox/kubernetes/api/object_writer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/api/admission.h"
#include "sandbox/kubernetes/api/definitions.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"
#include "sandbox/kubernetes/objects/apply.h"
#include "sandbox/kubernetes/objects/defaults.h"
#include "sandbox/kubernetes/objects/patch.h"
#include "sandbox/kubernetes/objects/validate.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr int k_name_tries = 8;

/// What clients may send and the server decides by itself.
constexpr std::array<std::string_view, 6> k_servers_metadata{
    "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"};

std::string five_letters(Random& random) {
  constexpr std::string_view k_letters = "bcdfghjklmnpqrstvwxz2456789";  // apimachinery's rand.String
  std::string text;
  while (text.size() < 5) text += k_letters[random.next() % k_letters.size()];
  return text;
}

bool is_named(const WriteTarget& target, std::string_view group, std::string_view plural) {
  return target.type->info.group == group && target.type->info.plural == plural;
}

Outcome<> check_type(const WriteTarget& target, const json::object& object) {
  const ResourceInfo& info = target.type->info;
  const auto api_version = member_text(object, "apiVersion");
  const auto kind = member_text(object, "kind");
  if (api_version != info.api_version()) {
    return refuse(
        bad_request(fmt::format("the API version in the data ({}) does not match the expected API "
                                "version ({})",
                                api_version, info.api_version())));
  }
  if (kind == info.kind) return {};
  return refuse(
      bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: no kind \"{}\" is "
                              "registered for the resource {}",
                              kind, info.version, info.kind, kind, info.plural)));
}

/// Everything that a generation counts.
json::object counted_part(json::object object) {
  for (const auto member : {"metadata", "status", "apiVersion", "kind"}) object.erase(member);
  return object;
}

json::object status_written(const json::object& before, const json::object& after) {
  json::object result = before;
  if (const auto* status = after.if_contains("status")) {
    result["status"] = *status;
  } else {
    result.erase("status");
  }
  json::object& metadata = metadata_of(result);
  const json::object& given = metadata_of(after);
  for (const auto member : {"resourceVersion", "managedFields"}) {
    if (const auto* value = given.if_contains(member)) metadata[member] = *value;
  }
  return result;
}

Outcome<> check_new_finalizers(const ResourceInfo& info, const json::object& before,
                               const json::object& after) {
  const auto had = finalizers_of(before);
  std::vector<std::string> added;
  for (const auto& name : finalizers_of(after)) {
    if (std::ranges::find(had, name) == had.end()) added.push_back(fmt::format("\"{}\"", name));
  }
  if (added.empty()) return {};
  return refuse(invalid(info.group, info.kind, name_of(before),
                        {field_forbidden("metadata.finalizers",
                                         fmt::format("no new finalizers can be added if the object is being "
                                                     "deleted, found new finalizers []string{{{}}}",
                                                     join(added, ", ")))}));
}

FieldWriter writer_of(const WriteTarget& target, const World& world) {
  return {.manager = target.field_manager,
          .subresource = target.subresource == "finalize" ? std::string() : target.subresource,
          .now = world.now()};
}

}  // namespace

std::string api_time(WallTime time) {
  std::string text = to_rfc3339(std::chrono::floor<seconds>(time));
  const auto dot = text.find('.');
  if (dot != std::string::npos) text.replace(dot, std::string::npos, "Z");
  return text;
}

// -- create

Outcome<Written> ObjectWriter::create(const WriteTarget& target, std::string_view body) {
  auto decoded = decode_object(body, *target.type->schema, target.validation);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  return create_decoded(target, std::move(*decoded));
}

Outcome<Written> ObjectWriter::create(const WriteTarget& target, json::object object) {
  auto decoded = check_fields(std::move(object), *target.type->schema, target.validation);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  return create_decoded(target, std::move(*decoded));
}

Outcome<Written> ObjectWriter::create_decoded(const WriteTarget& target, DecodedObject decoded) {
  if (auto fine = check_type(target, decoded.object); !fine) return std::unexpected(fine.error());
  if (!version_of(decoded.object).empty()) {
    return refuse(bad_request("resourceVersion should not be set on objects to be created"));
  }
  auto object = with_identity(target, std::move(decoded.object));
  if (!object) return std::unexpected(std::move(object.error()));
  const ServedType& type = *target.type;
  if (type.custom()) *object = prune(std::move(*object), *type.schema);
  json::object complete = with_defaults(std::move(*object), *type.schema);
  json::value status = complete.contains("status") ? complete["status"] : json::value();
  complete.erase("status");
  complete = track_update(*type.schema, {}, std::move(complete), writer_of(target, world_));
  if (!status.is_null()) complete["status"] = std::move(status);
  auto admitted = admit_create({store_, world_.random()}, target.cluster, type, std::move(complete));
  if (!admitted) return std::unexpected(std::move(admitted.error()));
  if (auto fine = admit_new(target, *admitted); !fine) return std::unexpected(fine.error());
  return store_new(target, std::move(*admitted), std::move(decoded.warnings));
}

/// Metadata that the server makes: name, namespace, uid, times.
Outcome<json::object> ObjectWriter::with_identity(const WriteTarget& target, json::object object) {
  const ServedType& type = *target.type;
  json::object& metadata = metadata_of(object);
  const std::string given(namespace_of(object));
  if (type.info.namespaced) {
    if (!given.empty() && given != target.namespace_name) {
      return refuse(
          bad_request("the namespace of the provided object does not match the namespace sent on "
                      "the request"));
    }
    metadata["namespace"] = target.namespace_name;
  } else {
    metadata.erase("namespace");
  }
  for (const auto member : k_servers_metadata) metadata.erase(member);
  metadata["uid"] = world_.make_request_id();
  metadata["creationTimestamp"] = api_time(world_.now());
  if (counts_generations(type)) metadata["generation"] = 1;
  return named(target, std::move(object));
}

Outcome<json::object> ObjectWriter::named(const WriteTarget& target, json::object object) {
  if (!target.name.empty() && name_of(object).empty()) metadata_of(object)["name"] = target.name;
  if (!name_of(object).empty()) return object;
  const std::string base(member_text(metadata_of(object), "generateName"));
  const ResourceInfo& info = target.type->info;
  if (base.empty()) {
    return refuse(invalid(info.group, info.kind, "",
                          {field_required("metadata.name", "name or generateName is required")}));
  }
  for (int i = 0; i < k_name_tries; ++i) {
    std::string name = generated_name(base, five_letters(world_.random()));
    if (store_.find(target.type->key(target.cluster, target.namespace_name, name))) continue;
    metadata_of(object)["name"] = std::move(name);
    return object;
  }
  return refuse(already_exists(info.group, info.plural, base));
}

/// What can be said only with the rest of the cluster in sight.
Outcome<> ObjectWriter::admit_new(const WriteTarget& target, const json::object& object) const {
  const ResourceInfo& info = target.type->info;
  const auto name = name_of(object);
  if (info.namespaced) {
    const json::object* space = store_.find({target.cluster, "", "namespaces", "", target.namespace_name});
    if (!space) return refuse(not_found("", "namespaces", target.namespace_name));
    if (is_deleting(*space)) {
      Status status =
          forbidden(info.group, info.plural, name,
                    fmt::format("unable to create new content in namespace {} because it is being "
                                "terminated",
                                target.namespace_name));
      status.causes.push_back(
          {.reason = "NamespaceTerminating",
           .message = fmt::format("namespace {} is being terminated", target.namespace_name),
           .field = "metadata.namespace"});
      return refuse(std::move(status));
    }
  }
  StatusCauses causes = validate_create(*target.type->schema, object);
  if (!causes.empty()) return refuse(invalid(info.group, info.kind, name, std::move(causes)));
  const ObjectKey key = target.type->key(target.cluster, target.namespace_name, name);
  if (const json::object* other = store_.find(key)) {
    Status status = already_exists(info.group, info.plural, name);
    if (is_deleting(*other)) {
      status.message = fmt::format("object is being deleted: {} \"{}\" already exists",
                                   qualified(info.plural, info.group), name);
    }
    return refuse(std::move(status));
  }
  return {};
}

Written ObjectWriter::store_new(const WriteTarget& target, json::object object,
                                std::vector<std::string> warnings) {
  if (is_named(target, "apiextensions.k8s.io", "customresourcedefinitions")) {
    object = with_definition_status(store_, target.cluster, std::move(object), world_.now());
  }
  if (target.dry_run) return {std::move(object), std::move(warnings), true};
  const ObjectKey key = target.type->key(target.cluster, target.namespace_name, name_of(object));
  object["apiVersion"] = target.type->stored_api_version;
  json::object kept = store_.put(key, std::move(object));
  after_write(key, kept, true);
  return {std::move(kept), std::move(warnings), true};
}

void ObjectWriter::after_write(const ObjectKey& key, const json::object& object, bool created) {
  if (created && key.group.empty() && key.resource == "namespaces") {
    furnish_namespace(key.cluster, std::string(name_of(object)));
  }
}

/// What kube-controller-manager puts into every namespace.
void ObjectWriter::furnish_namespace(const std::string& cluster, const std::string& name) {
  const json::object account{{"apiVersion", "v1"},
                             {"kind", "ServiceAccount"},
                             {"metadata", json::object{{"name", "default"}, {"namespace", name}}}};
  const json::object authority{
      {"apiVersion", "v1"},
      {"kind", "ConfigMap"},
      {"metadata",
       json::object{{"name", "kube-root-ca.crt"},
                    {"namespace", name},
                    {"annotations", json::object{{"kubernetes.io/description",
                                                  "Contains a CA bundle that can be used to verify the "
                                                  "kube-apiserver when using internal endpoints."}}}}},
      {"data", json::object{{"ca.crt", root_ca_pem_}}}};
  for (const auto* object : {&account, &authority}) {
    WriteTarget target{.cluster = cluster,
                       .type = types_.find_kind(cluster, "v1", member_text(*object, "kind")),
                       .namespace_name = name,
                       .field_manager = "kube-controller-manager"};
    // A namespace is new and empty: nothing stands in the way.
    if (target.type) std::ignore = create(target, *object);
  }
}

// -- update

Outcome<Written> ObjectWriter::update(const WriteTarget& target, std::string_view body) {
  auto decoded = decode_object(body, *target.type->schema, target.validation);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  const json::object* before = store_.find(target.key());
  const ResourceInfo& info = target.type->info;
  if (!before) return refuse(not_found(info.group, info.plural, target.name));
  return update_decoded(target, *before, std::move(*decoded));
}

Outcome<Written> ObjectWriter::update(const WriteTarget& target, json::object object) {
  auto decoded = check_fields(std::move(object), *target.type->schema, target.validation);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  const json::object* before = store_.find(target.key());
  const ResourceInfo& info = target.type->info;
  if (!before) return refuse(not_found(info.group, info.plural, target.name));
  return update_decoded(target, *before, std::move(*decoded));
}

Outcome<> ObjectWriter::check_versions(const WriteTarget& target, const json::object& before,
                                       const json::object& after) const {
  const ResourceInfo& info = target.type->info;
  const auto version = version_of(after);
  if (!version.empty() && version != "0" && version != version_of(before)) {
    return refuse(modified_meanwhile(info.group, info.plural, target.name));
  }
  const auto uid = uid_of(after);
  if (!uid.empty() && uid != uid_of(before)) {
    return refuse(conflict(info.group, info.plural, target.name,
                           fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                                       uid, uid_of(before))));
  }
  return {};
}

Outcome<Written> ObjectWriter::update_decoded(const WriteTarget& target, const json::object& before,
                                              DecodedObject decoded) {
  if (auto fine = check_type(target, decoded.object); !fine) return std::unexpected(fine.error());
  const auto name = name_of(decoded.object);
  if (!name.empty() && name != target.name) {
    return refuse(
        bad_request(fmt::format("the name of the object ({}) does not match the name on the URL "
                                "({})",
                                name, target.name)));
  }
  if (auto fine = check_versions(target, before, decoded.object); !fine) {
    return std::unexpected(fine.error());
  }
  const ServedType& type = *target.type;
  json::object earlier = before;
  earlier["apiVersion"] = type.info.api_version();
  json::object after = std::move(decoded.object);
  if (type.custom()) after = prune(std::move(after), *type.schema);
  if (target.subresource == "status") {
    after = status_written(earlier, after);
  } else if (target.subresource == "finalize") {
    json::object finalized = earlier;
    if (!finalized["spec"].is_object()) finalized["spec"].emplace_object();
    finalized["spec"].get_object()["finalizers"] = member_array(member_object(after, "spec"), "finalizers");
    after = std::move(finalized);
  }
  after = with_defaults(std::move(after), *type.schema);
  after = track_update(*type.schema, earlier, std::move(after), writer_of(target, world_));
  return rewrite(target, earlier, std::move(after), std::move(decoded.warnings));
}

/// `after` has defaults and is of the request's version, as `before` is.
Outcome<Written> ObjectWriter::rewrite(const WriteTarget& target, const json::object& before,
                                       json::object after, std::vector<std::string> warnings) {
  const ServedType& type = *target.type;
  const ResourceInfo& info = type.info;
  const bool of_status = target.subresource == "status";
  json::object& metadata = metadata_of(after);
  for (const auto member : k_servers_metadata) {
    const auto* value = metadata_of(before).if_contains(member);
    if (value) {
      metadata[member] = *value;
    } else {
      metadata.erase(member);
    }
  }
  metadata["name"] = target.name;
  if (info.namespaced) metadata["namespace"] = target.namespace_name;
  metadata["resourceVersion"] = version_of(before);
  if (!of_status && info.subresource("status")) {
    if (const auto* status = before.if_contains("status")) {
      after["status"] = *status;
    } else {
      after.erase("status");
    }
  }
  if (target.subresource.empty()) {
    auto admitted = admit_update({store_, world_.random()}, target.cluster, type, before, std::move(after));
    if (!admitted) return std::unexpected(std::move(admitted.error()));
    after = std::move(*admitted);
  }
  if (is_deleting(before)) {
    if (auto fine = check_new_finalizers(info, before, after); !fine) return std::unexpected(fine.error());
  }
  StatusCauses causes = of_status ? validate_status_update(*type.schema, before, after)
                                  : validate_update(*type.schema, before, after);
  if (!causes.empty()) return refuse(invalid(info.group, info.kind, target.name, std::move(causes)));

  if (!of_status && counts_generations(type) && counted_part(before) != counted_part(after)) {
    const auto* count = metadata_of(before).if_contains("generation");
    metadata_of(after)["generation"] = count && count->is_int64() ? count->get_int64() + 1 : 1;
  }
  if (is_named(target, "apiextensions.k8s.io", "customresourcedefinitions") && !of_status) {
    after = with_definition_status(store_, target.cluster, std::move(after), world_.now());
  }
  if (same_content(before, after) || target.dry_run) {
    return Written{same_content(before, after) ? before : std::move(after), std::move(warnings)};
  }
  json::object shown = after;
  after["apiVersion"] = type.stored_api_version;
  const ObjectKey key = target.key();
  settle(key, std::move(after));
  if (const json::object* kept = store_.find(key)) shown = *kept;
  return Written{std::move(shown), std::move(warnings)};
}

// -- patch

Outcome<json::object> ObjectWriter::patched(const WriteTarget& target, PatchKind kind,
                                            const json::object& before, const json::value& patch) {
  if (kind == PatchKind::strategic) {
    if (target.type->custom()) {
      return refuse(
          unsupported_media_type("application/json-patch+json, application/merge-patch+json, "
                                 "application/apply-patch+yaml"));
    }
    if (!patch.is_object()) return refuse(bad_request("error decoding patch: it is no object"));
    return strategic_merge_patch(before, patch.get_object(), *target.type->schema);
  }
  json::value result;
  if (kind == PatchKind::json) {
    auto made = json_patch(before, patch);
    if (!made) return std::unexpected(std::move(made.error()));
    result = std::move(*made);
  } else {
    result = merge_patch(before, patch);
  }
  if (!result.is_object()) return refuse(bad_request("the patch leaves no object"));
  return std::move(result.get_object());
}

Outcome<Written> ObjectWriter::patch(const WriteTarget& target, PatchKind kind, std::string_view body) {
  if (kind == PatchKind::apply) return apply(target, body);
  auto parsed = parse_body(body);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  const json::object* stored = store_.find(target.key());
  const ServedType& type = *target.type;
  if (!stored) return refuse(not_found(type.info.group, type.info.plural, target.name));
  json::object before = *stored;
  before["apiVersion"] = type.info.api_version();
  auto result = patched(target, kind, before, parsed->value);
  if (!result) return std::unexpected(std::move(result.error()));
  auto checked =
      check_fields(std::move(*result), *type.schema, target.validation, std::move(parsed->duplicates));
  if (!checked) return std::unexpected(std::move(checked.error()));
  return update_decoded(target, before, std::move(*checked));
}

Outcome<Written> ObjectWriter::apply(const WriteTarget& target, std::string_view body) {
  auto parsed = parse_body(body);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  if (!parsed->value.is_object()) return refuse(bad_request("the applied configuration is no object"));
  const ServedType& type = *target.type;
  auto checked = check_fields(std::move(parsed->value.get_object()), *type.schema, target.validation,
                              std::move(parsed->duplicates));
  if (!checked) return std::unexpected(std::move(checked.error()));
  json::object configuration = std::move(checked->object);
  if (auto fine = check_type(target, configuration); !fine) return std::unexpected(fine.error());
  if (name_of(configuration).empty()) metadata_of(configuration)["name"] = target.name;
  if (name_of(configuration) != target.name) {
    return refuse(
        bad_request(fmt::format("the name of the object ({}) does not match the name on the URL "
                                "({})",
                                name_of(configuration), target.name)));
  }
  if (target.subresource.empty() && type.info.subresource("status")) configuration.erase("status");

  const json::object* stored = store_.find(target.key());
  json::object before = stored ? *stored : json::object{};
  if (stored) {
    before["apiVersion"] = type.info.api_version();
    if (auto fine = check_versions(target, before, configuration); !fine) {
      return std::unexpected(fine.error());
    }
  } else if (!target.subresource.empty()) {
    return refuse(not_found(type.info.group, type.info.plural, target.name));
  }
  auto applied =
      apply_configuration(*type.schema, before, configuration, writer_of(target, world_), target.force);
  if (!applied) return std::unexpected(std::move(applied.error()));
  if (type.custom()) *applied = prune(std::move(*applied), *type.schema);
  if (stored) {
    return rewrite(target, before, with_defaults(std::move(*applied), *type.schema),
                   std::move(checked->warnings));
  }
  auto object = with_identity(target, std::move(*applied));
  if (!object) return std::unexpected(std::move(object.error()));
  auto admitted = admit_create({store_, world_.random()}, target.cluster, type,
                               with_defaults(std::move(*object), *type.schema));
  if (!admitted) return std::unexpected(std::move(admitted.error()));
  if (auto fine = admit_new(target, *admitted); !fine) return std::unexpected(fine.error());
  return store_new(target, std::move(*admitted), std::move(checked->warnings));
}

}  // namespace instantstart::sandbox::kubernetes
