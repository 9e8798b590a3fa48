#include "aws/protocols/rest_bindings.h"

#include <algorithm>
#include <compare>

#include "aws/protocols/rest_headers.h"
#include "aws/protocols/scalars.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

std::string query_scalar(const ShapeInfo& shape, const WireInfo& wire, const void* value) {
  return scalar_to_text(shape, wire, TimestampFormat::iso8601, value);
}

/// A list repeats its name; a map makes a parameter of each key.
void append_query(const MemberInfo& member, const void* value, std::vector<NamedText>& query) {
  const ShapeInfo& shape = *member.shape;
  const ElementInfo& element = shape.element;
  const std::string name(member.wire.name);
  if (shape.kind == ShapeKind::list) {
    for (std::size_t i = 0; i < shape.list->size(value); ++i) {
      query.emplace_back(name, query_scalar(*element.shape, element.wire, shape.list->at(value, i)));
    }
  } else if (shape.kind == ShapeKind::map) {
    shape.map->each(value, [&](const std::string& key, const void* item) {
      query.emplace_back(key, query_scalar(*element.shape, element.wire, item));
    });
  } else {
    query.emplace_back(name, query_scalar(shape, member.wire, value));
  }
}

bool has_parameter(const std::vector<NamedText>& query, std::string_view name) {
  return std::ranges::find(query, name, &NamedText::first) != query.end();
}

/// Whether a query parameter is one that the operation's other members, or its template, name.
bool is_named(const OperationInfo& operation, const UriTemplate& uri, const std::string& name) {
  const auto named = [&](const MemberInfo& member) {
    return member.location == Location::query && member.shape->kind != ShapeKind::map &&
           member.wire.name == name;
  };
  return std::ranges::any_of(operation.input->members, named) || has_parameter(uri.query, name);
}

Walked read_query(const OperationInfo& operation, const MemberInfo& member,
                  const std::vector<NamedText>& query, void* input) {
  const ShapeInfo& shape = *member.shape;
  const UriTemplate uri = split_uri(operation.uri);
  void* target = nullptr;
  for (const auto& [name, text] : query) {
    if (shape.kind == ShapeKind::map ? is_named(operation, uri, name) : name != member.wire.name) continue;
    if (!target) target = member.emplace(input);
    Walked read;
    if (shape.kind == ShapeKind::map) {
      read = scalar_from_text(*shape.element.shape, text, shape.map->insert(target, name));
    } else if (shape.kind == ShapeKind::list) {
      read = scalar_from_text(*shape.element.shape, text, shape.list->append(target));
    } else {
      read = scalar_from_text(shape, text, target);
    }
    if (!read) return read;
  }
  return {};
}

/// How well an operation fits, by what says most first; the larger one is meant.
struct Fit {
  std::size_t constant_segments = 0;
  std::size_t constant_parameters = 0;
  std::size_t required_parameters = 0;
  bool has_required_headers = false;  ///< CopyObject is a PutObject that names a source.
  std::size_t required_headers = 0;

  auto operator<=>(const Fit&) const = default;
};

/// nullopt when it does not fit.
std::optional<Fit> fit(const OperationInfo& operation, const UriTemplate& uri,
                       const HttpRequestParts& request) {
  for (const auto& constant : uri.query) {
    if (std::ranges::find(request.query, constant) == request.query.end()) return std::nullopt;
  }
  Fit found{.constant_segments = constant_segments(uri.path),
            .constant_parameters = uri.query.size(),
            .has_required_headers = true};
  for (const auto& member : operation.input->members) {
    if (!member.required) continue;
    if (member.location == Location::query) {
      if (!has_parameter(request.query, member.wire.name)) return std::nullopt;
      ++found.required_parameters;
    } else if (member.location == Location::header) {
      const bool present = find_header(request.headers, member.wire.name) != nullptr;
      found.has_required_headers = found.has_required_headers && present;
      if (present) ++found.required_headers;
    }
  }
  // "?acl" names another operation, one that we don't have; "x-id" is only a hint.
  for (const auto& [name, value] : request.query) {
    if (value.empty() && name != "x-id" && !is_named(operation, uri, name)) return std::nullopt;
  }
  return found;
}

std::string payload_text(const MemberInfo& payload, const void* value) {
  if (payload.shape->kind == ShapeKind::blob) return static_cast<const Blob*>(value)->bytes;
  return *static_cast<const std::string*>(value);
}

}  // namespace

const MemberInfo* raw_payload(const ShapeInfo& shape) {
  const bool raw = shape.payload && (shape.payload->shape->kind == ShapeKind::blob ||
                                     shape.payload->shape->kind == ShapeKind::string);
  return raw ? shape.payload : nullptr;
}

void unbind_payload(const MemberInfo& payload, const std::string& body, void* object) {
  void* target = payload.emplace(object);
  if (payload.shape->kind == ShapeKind::blob) {
    static_cast<Blob*>(target)->bytes = body;
  } else {
    *static_cast<std::string*>(target) = body;
  }
}

std::expected<HttpRequestParts, Fault> bind_request(const OperationInfo& operation, const void* input) {
  UriTemplate uri = split_uri(operation.uri);
  HttpRequestParts request{.method = std::string(operation.method), .query = std::move(uri.query)};
  auto path = expand_path(uri.path, [&](std::string_view label) -> std::optional<std::string> {
    for (const auto& member : operation.input->members) {
      if (member.location != Location::uri || member.wire.name != label) continue;
      const void* value = member.peek(input);
      if (value) return query_scalar(*member.shape, member.wire, value);
    }
    return std::nullopt;
  });
  if (!path) return std::unexpected(std::move(path.error()));
  request.path = std::move(*path);
  for (const auto& member : operation.input->members) {
    const void* value = member.location == Location::query ? member.peek(input) : nullptr;
    if (value) append_query(member, value, request.query);
  }
  auto headers = append_headers(*operation.input, input, request.headers);
  if (!headers) return std::unexpected(std::move(headers.error()));
  if (const MemberInfo* payload = raw_payload(*operation.input)) {
    if (const void* value = payload->peek(input)) request.body = payload_text(*payload, value);
  }
  return request;
}

std::optional<Route> route_by_path(const ServiceInfo& service, const HttpRequestParts& request) {
  std::optional<Route> best;
  std::optional<Fit> best_fit;
  for (const OperationInfo* operation : service.operations) {
    if (operation->method != request.method) continue;
    const UriTemplate uri = split_uri(operation->uri);
    auto labels = match_path(uri.path, request.path);
    if (!labels) continue;
    const auto fitting = fit(*operation, uri, request);
    if (!fitting || (best_fit && *best_fit >= *fitting)) continue;
    best_fit = fitting;
    best = Route{.operation = operation, .labels = std::move(*labels)};
  }
  return best;
}

Walked unbind_request(const Route& route, const HttpRequestParts& request, void* input) {
  for (const auto& member : route.operation->input->members) {
    Walked read;
    if (member.location == Location::uri) {
      const auto label = route.labels.find(member.wire.name);
      if (label == route.labels.end()) continue;
      read = scalar_from_text(*member.shape, label->second, member.emplace(input));
    } else if (member.location == Location::query) {
      read = read_query(*route.operation, member, request.query, input);
    }
    if (!read) return in_member(member.name, std::move(read.error()));
  }
  if (auto read = read_headers(*route.operation->input, request.headers, input); !read) return read;
  if (const MemberInfo* payload = raw_payload(*route.operation->input))
    unbind_payload(*payload, request.body, input);
  return {};
}

std::expected<HttpResponseParts, Fault> bind_response(const OperationInfo& operation, const void* output) {
  HttpResponseParts answer{.status = operation.response_code};
  for (const auto& member : operation.output->members) {
    const void* value = member.location == Location::status_code ? member.peek(output) : nullptr;
    if (value) answer.status = static_cast<int>(*static_cast<const std::int64_t*>(value));
  }
  auto headers = append_headers(*operation.output, output, answer.headers);
  if (!headers) return std::unexpected(std::move(headers.error()));
  if (const MemberInfo* payload = raw_payload(*operation.output)) {
    if (const void* value = payload->peek(output)) answer.body = payload_text(*payload, value);
  }
  return answer;
}

Walked unbind_headers(const ShapeInfo& shape, const HttpResponseParts& answer, void* output) {
  for (const auto& member : shape.members) {
    if (member.location == Location::status_code) {
      *static_cast<std::int64_t*>(member.emplace(output)) = answer.status;
    }
  }
  return read_headers(shape, answer.headers, output);
}

}  // namespace instantstart::aws
