#include "sandbox/kubernetes/objects/managed_fields.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sandbox/kubernetes/objects/json_access.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::size_t k_max_update_owners = 10;  // managedfields.DefaultMaxUpdateManagers.
constexpr std::string_view k_ancient = "ancient-changes";

std::optional<FieldOwner> read_owner(const json::value& entry) {
  const auto* object = entry.if_object();
  if (!object) return std::nullopt;
  FieldOwner owner;
  owner.manager = text_at(*object, "manager");
  const auto operation = text_at(*object, "operation");
  if (operation != "Apply" && operation != "Update") return std::nullopt;
  owner.applied = operation == "Apply";
  owner.api_version = text_at(*object, "apiVersion");
  owner.subresource = text_at(*object, "subresource");
  owner.time = text_at(*object, "time");
  if (owner.api_version.empty() || text_at(*object, "fieldsType") != "FieldsV1") return std::nullopt;
  if (const auto* fields = at(*object, "fieldsV1")) {
    auto set = FieldSet::from_json(*fields);
    if (!set) return std::nullopt;
    owner.fields = std::move(*set);
  }
  return owner;
}

json::object to_entry(const FieldOwner& owner) {
  json::object entry{{"manager", owner.manager},
                     {"operation", owner.applied ? "Apply" : "Update"},
                     {"apiVersion", owner.api_version}};
  if (!owner.time.empty()) entry["time"] = owner.time;
  entry["fieldsType"] = "FieldsV1";
  entry["fieldsV1"] = owner.fields.to_json();
  if (!owner.subresource.empty()) entry["subresource"] = owner.subresource;
  return entry;
}

}  // namespace

std::optional<FieldOwners> read_owners(const json::object& object) {
  FieldOwners owners;
  const auto* metadata = object_at(object, "metadata");
  const auto* entries = metadata ? array_at(*metadata, "managedFields") : nullptr;
  if (!entries) return owners;
  for (const auto& entry : *entries) {
    auto owner = read_owner(entry);
    if (!owner) return std::nullopt;
    if (auto* same = find_owner(owners, *owner)) {
      *same = std::move(*owner);
    } else {
      owners.push_back(std::move(*owner));
    }
  }
  return owners;
}

void write_owners(json::object& object, FieldOwners owners) {
  std::ranges::sort(owners, {}, [](const FieldOwner& owner) {
    return std::tuple(!owner.applied, owner.time, owner.manager, owner.api_version, owner.subresource);
  });
  auto& metadata = object_made_at(object, "metadata");
  metadata.erase("managedFields");
  if (owners.empty()) return;
  json::array entries;
  for (const auto& owner : owners) entries.push_back(to_entry(owner));
  metadata["managedFields"] = std::move(entries);
}

json::object without_owners(json::object object) {
  if (auto* metadata = object_at(object, "metadata")) metadata->erase("managedFields");
  return object;
}

FieldOwner* find_owner(FieldOwners& owners, const FieldOwner& like) {
  const auto found =
      std::ranges::find_if(owners, [&](const FieldOwner& owner) { return owner.same_manager(like); });
  return found == owners.end() ? nullptr : &*found;
}

void cap_owners(FieldOwners& owners) {
  std::vector<FieldOwner> updaters;
  std::ranges::copy_if(owners, std::back_inserter(updaters),
                       [](const FieldOwner& owner) { return !owner.applied; });
  if (updaters.size() <= k_max_update_owners) return;
  std::ranges::sort(updaters, {},
                    [](const FieldOwner& owner) { return std::tuple(owner.time, owner.manager); });
  std::erase_if(owners, [](const FieldOwner& owner) { return !owner.applied; });
  std::map<std::string, FieldOwner> buckets;  // By version: the oldest entry, then the bucket it becomes.
  std::size_t left = updaters.size();
  std::size_t next = 0;
  for (; next < updaters.size() && left > k_max_update_owners; ++next) {
    const auto& updater = updaters[next];
    const auto [bucket, first] = buckets.emplace(updater.api_version, updater);
    if (first) continue;
    bucket->second.manager = k_ancient;
    bucket->second.subresource.clear();
    bucket->second.fields = bucket->second.fields.united(updater.fields);
    bucket->second.time = updater.time;
    --left;
  }
  for (auto& [version, bucket] : buckets) owners.push_back(std::move(bucket));
  for (; next < updaters.size(); ++next) owners.push_back(std::move(updaters[next]));
}

std::string to_seconds(WallTime time) {
  const auto text = to_rfc3339(time);
  return text.substr(0, text.find('.')) + "Z";
}

}  // namespace instantstart::sandbox::kubernetes
