#include "sandbox/kubernetes/objects/patch.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/kubernetes/objects/json_access.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr std::size_t k_max_operations = 10'000;  // apiserver: maxJSONPatchOperations.
constexpr std::size_t k_max_pointer = 4096;

using Steps = std::vector<std::string>;

std::optional<Steps> parse_pointer(std::string_view pointer) {
  Steps steps;
  if (pointer.empty()) return steps;
  if (pointer.front() != '/' || pointer.size() > k_max_pointer) return std::nullopt;
  for (const auto raw : split(pointer.substr(1), '/')) {
    std::string step;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '~') {
        step.push_back(raw[i]);
        continue;
      }
      if (++i == raw.size() || (raw[i] != '0' && raw[i] != '1')) return std::nullopt;
      step.push_back(raw[i] == '0' ? '~' : '/');
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

/// An index below `limit`; RFC 6901 allows no sign and no leading zero.
std::optional<std::size_t> parse_index(std::string_view text, std::size_t limit) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (problem != std::errc() || end != text.data() + text.size() || index >= limit) return std::nullopt;
  return index;
}

json::value* child(json::value& parent, const std::string& step) {
  if (auto* object = parent.if_object()) return object->if_contains(step);
  if (auto* array = parent.if_array()) {
    if (const auto index = parse_index(step, array->size())) return &(*array)[*index];
  }
  return nullptr;
}

json::value* find(json::value& document, const Steps& steps) {
  auto* place = &document;
  for (const auto& step : steps) {
    place = child(*place, step);
    if (!place) return nullptr;
  }
  return place;
}

json::value* parent_of(json::value& document, const Steps& steps) {
  return find(document, Steps(steps.begin(), steps.end() - 1));
}

/// "" or why not.
std::string add(json::value& document, const Steps& steps, json::value value, std::string_view path) {
  if (steps.empty()) {
    document = std::move(value);
    return {};
  }
  auto* parent = parent_of(document, steps);
  if (auto* object = parent ? parent->if_object() : nullptr) {
    (*object)[steps.back()] = std::move(value);
    return {};
  }
  auto* array = parent ? parent->if_array() : nullptr;
  if (!array)
    return fmt::format("add operation does not apply: doc is missing path: \"{}\": missing value", path);
  if (steps.back() == "-") {
    array->push_back(std::move(value));
    return {};
  }
  const auto index = parse_index(steps.back(), array->size() + 1);
  if (!index) {
    return fmt::format(
        "add operation does not apply: doc is missing path: \"{}\": Unable to access invalid index: {}", path,
        steps.back());
  }
  array->insert(array->begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
  return {};
}

std::string remove(json::value& document, const Steps& steps, std::string_view path) {
  if (steps.empty()) {
    document = nullptr;
    return {};
  }
  auto* parent = parent_of(document, steps);
  if (auto* object = parent ? parent->if_object() : nullptr; object && object->erase(steps.back()) == 1)
    return {};
  if (auto* array = parent ? parent->if_array() : nullptr) {
    if (const auto index = parse_index(steps.back(), array->size())) {
      array->erase(array->begin() + static_cast<std::ptrdiff_t>(*index));
      return {};
    }
  }
  return fmt::format("remove operation does not apply: doc is missing path: \"{}\": missing value", path);
}

struct Operation {
  std::string name, path, from;
  Steps steps, from_steps;
  const json::value* value = nullptr;
};

Outcome<Operation> parse_operation(const json::value& item) {
  Operation operation;
  const auto* object = item.if_object();
  if (!object) return refuse(bad_request("error decoding patch: an operation must be an object"));
  operation.name = text_at(*object, "op");
  operation.path = text_at(*object, "path");
  operation.value = at(*object, "value");
  const auto* path = at(*object, "path");
  const auto steps = parse_pointer(operation.path);
  if (!path || !path->is_string() || !steps) {
    return refuse(bad_request(fmt::format("error decoding patch: bad path \"{}\"", operation.path)));
  }
  operation.steps = *steps;
  const bool has_from = operation.name == "move" || operation.name == "copy";
  const bool has_value = operation.name == "add" || operation.name == "replace" || operation.name == "test";
  if (!has_from && !has_value && operation.name != "remove") {
    return refuse(bad_request(fmt::format("Unexpected kind: {}", operation.name)));
  }
  if (has_from) {
    operation.from = text_at(*object, "from");
    const auto from = parse_pointer(operation.from);
    if (!from || !object->contains("from")) {
      return refuse(bad_request(fmt::format("error decoding patch: bad from \"{}\"", operation.from)));
    }
    operation.from_steps = *from;
  }
  // RFC 6902 wants a value here; Kubernetes' library takes a missing one of `test` as null.
  if (has_value && !operation.value && operation.name != "test") {
    return refuse(bad_request(fmt::format("error decoding patch: {} needs a value", operation.name)));
  }
  return operation;
}

std::string carry_out(json::value& document, const Operation& operation) {
  if (operation.name == "add") return add(document, operation.steps, *operation.value, operation.path);
  if (operation.name == "remove") return remove(document, operation.steps, operation.path);
  if (operation.name == "replace") {
    auto* place = find(document, operation.steps);
    if (!place) {
      return fmt::format("replace operation does not apply: doc is missing key: {}: missing value",
                         operation.path);
    }
    *place = *operation.value;
    return {};
  }
  if (operation.name == "test") {
    const auto* place = find(document, operation.steps);
    const bool null_wanted = !operation.value || operation.value->is_null();
    const bool holds = place ? (null_wanted ? place->is_null() : *place == *operation.value) : null_wanted;
    return holds ? std::string() : fmt::format("testing value {} failed: test failed", operation.path);
  }
  const auto* source = find(document, operation.from_steps);
  if (!source) {
    return fmt::format("{} operation does not apply: doc is missing path: \"{}\": missing value",
                       operation.name, operation.from);
  }
  json::value moved = *source;
  if (operation.name == "move") {
    const bool into_itself =
        operation.from_steps.size() < operation.steps.size() &&
        std::ranges::equal(operation.from_steps,
                           std::span(operation.steps).first(operation.from_steps.size()));
    if (into_itself) return "move operation does not apply: a value can't be moved into itself";
    if (auto problem = remove(document, operation.from_steps, operation.from); !problem.empty())
      return problem;
  }
  return add(document, operation.steps, std::move(moved), operation.path);
}

Status can_not_patch(std::string reason) {
  Status status;
  status.code = 422;
  status.reason = "Invalid";
  status.message = "the server rejected our request due to an error in our request";
  status.causes.push_back({"UnexpectedServerResponse", std::move(reason), ""});
  return status;
}

}  // namespace

Outcome<json::value> json_patch(json::value document, const json::value& patch) {
  const auto* operations = patch.if_array();
  if (!operations) return refuse(bad_request("error decoding patch: it must be a list of operations"));
  if (operations->size() > k_max_operations) {
    Status status;
    status.code = 413;
    status.reason = "RequestEntityTooLarge";
    status.message = fmt::format("The allowed maximum operations in a JSON patch is {}, got {}",
                                 k_max_operations, operations->size());
    return refuse(std::move(status));
  }
  for (const auto& item : *operations) {
    auto operation = parse_operation(item);
    if (!operation) return refuse(std::move(operation.error()));
    auto problem = carry_out(document, *operation);
    if (!problem.empty()) return refuse(can_not_patch(std::move(problem)));
  }
  return document;
}

json::value merge_patch(json::value document, const json::value& patch) {
  const auto* changes = patch.if_object();
  if (!changes) return patch;
  if (!document.is_object()) document = json::object();
  auto& object = document.get_object();
  for (const auto& [key, value] : *changes) {
    if (value.is_null()) {
      object.erase(key);
    } else if (auto* mine = object.if_contains(key)) {
      *mine = merge_patch(std::move(*mine), value);
    } else {
      object[key] = merge_patch(json::value(), value);
    }
  }
  return document;
}

}  // namespace instantstart::sandbox::kubernetes
