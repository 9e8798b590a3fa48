#include "kube/client.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "kube/json_access.h"
#include "kube/streams.h"

namespace instantstart::kube {
namespace {

constexpr std::size_t k_max_object_bytes = std::size_t{16} << 20;
/// How often a list that expired or broke is begun anew in pages; after that it is asked for in one piece.
constexpr int k_paged_attempts = 3;

Result<json::object> parsed_object(const ApiAnswer& answer) {
  auto value = parse_json(answer.body, {.max_bytes = k_max_object_bytes, .max_depth = 200});
  if (!value)
    return fail(codes::upstream_error, "the server's answer can't be read: " + value.error().message);
  if (!value->is_object()) return fail(codes::upstream_error, "the server's answer is no object");
  return std::move(value->get_object());
}

Result<> check_kind(const ResourceType& type, const json::object& object) {
  const auto gvk = ObjectView(object).gvk();
  if (gvk == type.gvk) return {};
  return fail(codes::invalid_request, fmt::format("the object is a {} {}, not a {} {}", gvk.api_version(),
                                                  gvk.kind, type.gvk.api_version(), type.gvk.kind));
}

std::string_view propagation_name(Propagation propagation) {
  switch (propagation) {
    case Propagation::background: return "Background";
    case Propagation::foreground: return "Foreground";
    case Propagation::orphan: return "Orphan";
  }
  std::unreachable();
}

json::object delete_body(const DeleteOptions& options) {
  json::object body{{"apiVersion", "v1"},
                    {"kind", "DeleteOptions"},
                    {"propagationPolicy", propagation_name(options.propagation)}};
  json::object preconditions;
  if (options.uid) preconditions["uid"] = *options.uid;
  if (options.resource_version) preconditions["resourceVersion"] = *options.resource_version;
  if (!preconditions.empty()) body["preconditions"] = std::move(preconditions);
  if (options.grace_period) body["gracePeriodSeconds"] = options.grace_period->count();
  if (options.dry_run) body["dryRun"] = json::array{"All"};
  return body;
}

ApiRequest list_request(std::string path, const ListOptions& options, const std::string& continue_token,
                        bool in_pages) {
  ApiRequest request;
  request.path = std::move(path);
  if (!options.label_selector.empty()) request.query.emplace_back("labelSelector", options.label_selector);
  if (!options.field_selector.empty()) request.query.emplace_back("fieldSelector", options.field_selector);
  if (in_pages) request.query.emplace_back("limit", std::to_string(options.page_size));
  if (!continue_token.empty()) request.query.emplace_back("continue", continue_token);
  return request;
}

/// The page broke off, or its list is no longer there: the list can be begun anew.
bool restarts(const Error& error) { return is_expired(error) || error.code == codes::unavailable; }

class Collector final : public ListVisitor {
 public:
  explicit Collector(std::size_t most) : most_(most) {}
  void begin() override {
    items.clear();
    overflow = false;
  }
  void item(json::object object) override {
    if (items.size() == most_) {
      overflow = true;
    } else {
      items.push_back(std::move(object));
    }
  }

  std::vector<json::object> items;
  bool overflow = false;

 private:
  std::size_t most_;
};

}  // namespace

Task<json::object> Client::get(ResourceType type, ObjectName id, net::Deadline deadline,
                               std::string subresource) {
  auto path = object_path(type, id, subresource);
  if (!path) co_return fail(std::move(path.error()));
  ApiRequest request;
  request.path = std::move(*path);
  auto answer = co_await connection_.send(std::move(request), deadline);
  if (!answer) co_return fail(std::move(answer.error()));
  co_return parsed_object(*answer);
}

Task<std::string> Client::list(ResourceType type, ListOptions options, ListVisitor& visitor,
                               net::Deadline deadline) {
  auto path = collection_path(type, options.space);
  if (!path) co_return fail(std::move(path.error()));
  for (int attempt = 1;; ++attempt) {
    const bool in_pages = options.page_size > 0 && attempt <= k_paged_attempts;
    visitor.begin();
    std::string continue_token;
    std::optional<Error> failed;
    for (;;) {
      auto read = co_await page(list_request(*path, options, continue_token, in_pages), options.keep, visitor,
                                deadline);
      if (!read) {
        failed = std::move(read.error());
        break;
      }
      if (read->continue_token.empty()) co_return std::move(read->resource_version);
      if (read->continue_token == continue_token) {
        co_return fail(codes::upstream_error, "the server's list goes round in a circle");
      }
      continue_token = std::move(read->continue_token);
    }
    if (attempt > k_paged_attempts || !restarts(*failed)) co_return fail(std::move(*failed));
    const auto pause = backoff(attempt, milliseconds(100), seconds(5), connection_.random());
    if (connection_.time().steady() + pause >= deadline.at) co_return fail(std::move(*failed));
    co_await connection_.time().sleep(pause);
  }
}

Task<ListMeta> Client::page(ApiRequest request, const FieldSelection& keep, ListVisitor& visitor,
                            net::Deadline deadline) {
  auto opened = co_await connection_.open(std::move(request), deadline);
  if (!opened) co_return fail(std::move(opened.error()));
  ListParser parser(keep, [&visitor](json::object object) { visitor.item(std::move(object)); });
  for (;;) {
    auto piece = co_await next_piece(connection_.time(), *opened->body, deadline);
    if (!piece) co_return fail(std::move(piece.error()));
    if (!*piece) break;
    auto fed = parser.feed(**piece);
    if (!fed) co_return fail(std::move(fed.error()));
  }
  if (opened->body->error()) {
    Error error = *opened->body->error();
    error.code = codes::unavailable;
    error.retryable = true;
    co_return fail(std::move(error));
  }
  co_return parser.finish();
}

Task<ObjectList> Client::list_all(ResourceType type, ListOptions options, std::size_t most,
                                  net::Deadline deadline) {
  Collector collector(most);
  auto version = co_await list(std::move(type), std::move(options), collector, deadline);
  if (!version) co_return fail(std::move(version.error()));
  if (collector.overflow) {
    co_return fail(codes::upstream_error, fmt::format("the list has more than {} objects", most));
  }
  co_return ObjectList{.items = std::move(collector.items), .resource_version = std::move(*version)};
}

Task<Written> Client::create(ResourceType type, json::object object, WriteOptions options,
                             net::Deadline deadline) {
  const auto kind = check_kind(type, object);
  if (!kind) co_return fail(kind.error());
  auto path = collection_path(type, ObjectView(object).space());
  if (!path) co_return fail(std::move(path.error()));
  ApiRequest request{.method = "POST", .path = std::move(*path), .content_type = "application/json"};
  request.body = to_text(object);
  co_return co_await write(std::move(request), std::move(options), deadline);
}

Task<Written> Client::apply(ResourceType type, json::object object, WriteOptions options,
                            net::Deadline deadline) {
  const auto kind = check_kind(type, object);
  if (!kind) co_return fail(kind.error());
  // JSON is YAML; there is no JSON media type for apply.
  co_return co_await patch(std::move(type), ObjectView(object).id(), "application/apply-patch+yaml",
                           to_text(object), std::move(options), deadline);
}

Task<Written> Client::json_patch(ResourceType type, ObjectName id, json::array patch_operations,
                                 WriteOptions options, net::Deadline deadline) {
  return patch(std::move(type), std::move(id), "application/json-patch+json", to_text(patch_operations),
               std::move(options), deadline);
}

Task<Written> Client::merge_patch(ResourceType type, ObjectName id, json::object patch_object,
                                  WriteOptions options, net::Deadline deadline) {
  return patch(std::move(type), std::move(id), "application/merge-patch+json", to_text(patch_object),
               std::move(options), deadline);
}

Task<Written> Client::patch(ResourceType type, ObjectName id, std::string_view content_type, std::string body,
                            WriteOptions options, net::Deadline deadline) {
  auto path = object_path(type, id, options.subresource);
  if (!path) co_return fail(std::move(path.error()));
  ApiRequest request{.method = "PATCH", .path = std::move(*path), .content_type = std::string(content_type)};
  request.body = std::move(body);
  const bool is_apply = content_type == "application/apply-patch+yaml";
  if (is_apply && options.force) request.query.emplace_back("force", "true");
  co_return co_await write(std::move(request), std::move(options), deadline);
}

Task<Written> Client::write(ApiRequest request, WriteOptions options, net::Deadline deadline) {
  request.query.emplace_back("fieldManager", k_field_manager);
  request.query.emplace_back("fieldValidation", "Strict");
  if (options.dry_run) request.query.emplace_back("dryRun", "All");
  request.repeat_is_harmless = options.repeat_is_harmless || options.dry_run;
  auto answer = co_await connection_.send(std::move(request), deadline);
  if (!answer) co_return fail(std::move(answer.error()));
  auto object = parsed_object(*answer);
  if (!object && !options.dry_run) {
    Error error = within("The write was done, and its answer is unreadable", std::move(object.error()));
    error.code = codes::unknown_outcome;
    co_return fail(std::move(error));
  }
  if (!object) co_return fail(std::move(object.error()));
  co_return Written{.object = std::move(*object),
                    .created = answer->status == 201,
                    .warnings = warnings_of(answer->headers)};
}

Task<Deletion> Client::remove(ResourceType type, ObjectName id, DeleteOptions options,
                              net::Deadline deadline) {
  auto path = object_path(type, id);
  if (!path) co_return fail(std::move(path.error()));
  ApiRequest request{.method = "DELETE", .path = std::move(*path), .content_type = "application/json"};
  request.body = to_text(delete_body(options));
  request.repeat_is_harmless = options.dry_run;
  auto answer = co_await connection_.send(std::move(request), deadline);
  if (!answer) co_return fail(std::move(answer.error()));
  Deletion deletion{.waiting = false, .uid = {}, .warnings = warnings_of(answer->headers)};
  auto object = parsed_object(*answer);
  if (!object) co_return deletion;  // a 2xx is all that matters
  const ObjectView view(*object);
  deletion.waiting = view.being_deleted();
  deletion.uid = text_at(*object, {"kind"}) == "Status" ? text_at(*object, {"details", "uid"}) : view.uid();
  co_return deletion;
}

}  // namespace instantstart::kube
