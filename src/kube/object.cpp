#include "kube/object.h"

#include "kube/json_access.h"

namespace instantstart::kube {
namespace {

std::optional<std::string_view> entry(const json::object& map, std::string_view key) {
  const json::value* found = map.if_contains(key);
  return found && found->is_string() ? std::optional(as_text(*found)) : std::nullopt;
}

}  // namespace

std::string GroupVersionKind::api_version() const { return group.empty() ? version : group + "/" + version; }

GroupVersionKind to_gvk(std::string_view api_version, std::string_view kind) {
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", std::string(api_version), std::string(kind)};
  return {std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1)),
          std::string(kind)};
}

GroupVersionKind ObjectView::gvk() const {
  return to_gvk(text_at(*object_, {"apiVersion"}), text_at(*object_, {"kind"}));
}

ObjectName ObjectView::id() const { return {.space = std::string(space()), .name = std::string(name())}; }

std::string_view ObjectView::name() const { return text_at(*object_, {"metadata", "name"}); }
std::string_view ObjectView::space() const { return text_at(*object_, {"metadata", "namespace"}); }
std::string_view ObjectView::uid() const { return text_at(*object_, {"metadata", "uid"}); }
std::string_view ObjectView::resource_version() const {
  return text_at(*object_, {"metadata", "resourceVersion"});
}

std::int64_t ObjectView::generation() const {
  return integer_at(*object_, {"metadata", "generation"}).value_or(0);
}

bool ObjectView::being_deleted() const {
  return !text_at(*object_, {"metadata", "deletionTimestamp"}).empty();
}

std::optional<std::string_view> ObjectView::label(std::string_view key) const {
  return entry(object_at(*object_, {"metadata", "labels"}), key);
}

std::optional<std::string_view> ObjectView::annotation(std::string_view key) const {
  return entry(object_at(*object_, {"metadata", "annotations"}), key);
}

std::vector<Condition> ObjectView::conditions() const {
  std::vector<Condition> result;
  for (const json::value& item : array_at(*object_, {"status", "conditions"})) {
    const json::object& condition = as_object(item);
    result.push_back({.type = std::string(text_at(condition, {"type"})),
                      .status = std::string(text_at(condition, {"status"})),
                      .reason = std::string(text_at(condition, {"reason"})),
                      .message = std::string(text_at(condition, {"message"}))});
  }
  return result;
}

std::optional<Condition> ObjectView::condition(std::string_view type) const {
  for (auto& condition : conditions()) {
    if (condition.type == type) return std::move(condition);
  }
  return std::nullopt;
}

}  // namespace instantstart::kube
