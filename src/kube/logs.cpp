#include "kube/logs.h"

#include <utility>

#include "base/error_codes.h"
#include "kube/resource_type.h"
#include "kube/streams.h"

namespace instantstart::kube {
namespace {

Query to_query(const LogOptions& options) {
  Query query;
  if (!options.container.empty()) query.emplace_back("container", options.container);
  if (options.follow) query.emplace_back("follow", "true");
  if (options.previous) query.emplace_back("previous", "true");
  if (options.timestamps) query.emplace_back("timestamps", "true");
  if (options.tail_lines) query.emplace_back("tailLines", std::to_string(*options.tail_lines));
  if (options.since) query.emplace_back("sinceTime", to_rfc3339(*options.since));
  if (options.limit_bytes) query.emplace_back("limitBytes", std::to_string(*options.limit_bytes));
  return query;
}

}  // namespace

Task<std::unique_ptr<net::ClientBodyStream>> open_logs(Connection& connection, ObjectName pod,
                                                       LogOptions options, net::Deadline header_deadline) {
  const ResourceType pods{.gvk = {.group = "", .version = "v1", .kind = "Pod"}, .plural = "pods"};
  auto path = object_path(pods, pod, "log");
  if (!path) co_return fail(std::move(path.error()));
  ApiRequest request;
  request.path = std::move(*path);
  request.query = to_query(options);
  request.accept = "*/*";
  auto opened = co_await connection.open(std::move(request), header_deadline);
  if (!opened) {
    Error error = std::move(opened.error());
    // Status 400 of a request that is fine: "container "a" in pod "p" is waiting to start:
    // ContainerCreating".
    if (error.code == codes::invalid_request && error.message.contains("is waiting to start")) {
      error.code = codes::unavailable;
      error.retryable = true;
    }
    co_return fail(std::move(error));
  }
  co_return in_pieces(std::move(opened->body), k_max_piece_bytes);
}

}  // namespace instantstart::kube
