// Reads and writes objects of any kind. Every write names the field manager and is validated strictly: a
// misspelt field is an error, never dropped in silence.
// https://kubernetes.io/docs/reference/using-api/api-concepts/
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/connection.h"
#include "kube/list_parser.h"
#include "kube/resource_type.h"

namespace instantstart::kube {

/// Owner of the fields that we set, in metadata.managedFields.
inline constexpr std::string_view k_field_manager = "instantstart";

struct WriteOptions {
  bool dry_run = false;  ///< Admission and validation run, nothing is stored.
  /// Server-side apply only: takes fields over that another manager owns, instead of `conflict`.
  bool force = false;
  std::string subresource = {};  ///< "status", "scale"
  /// The caller knows that running twice is the same as once (an apply of fields that nobody else sets): a
  /// lost reply is answered by sending it again, not by `unknown_outcome`.
  bool repeat_is_harmless = false;
};

/// What the server made of a write.
struct Written {
  json::object object;
  bool created = false;
  std::vector<std::string> warnings;  ///< "batch/v1beta1 CronJob is deprecated …"
};

enum class Propagation { background, foreground, orphan };

struct DeleteOptions {
  /// Refused with `conflict` when the object is another one, or was changed.
  std::optional<std::string> uid = {};
  std::optional<std::string> resource_version = {};
  Propagation propagation = Propagation::background;
  std::optional<seconds> grace_period = {};
  bool dry_run = false;
};

struct Deletion {
  bool waiting = false;  ///< It is still there: finalizers, a grace period, or dependents that go first.
  std::string uid;
  std::vector<std::string> warnings;
};

struct ListOptions {
  std::string space = {};           ///< A namespace; "" is all of them.
  std::string label_selector = {};  ///< "app=a,tier in (x, y)"
  std::string field_selector = {};  ///< "spec.nodeName=n1"
  std::size_t page_size = 500;      ///< 0 asks for everything at once.
  FieldSelection keep = {};         ///< Of each item; its identity always is.
};

/// Receives a list while it streams in.
class ListVisitor {
 public:
  virtual ~ListVisitor() = default;
  /// Before the first item, and again when the server forgot the list half-way (410) or the connection broke:
  /// what came before is void.
  virtual void begin() = 0;
  virtual void item(json::object object) = 0;
};

/// A list that is kept as a whole.
struct ObjectList {
  std::vector<json::object> items;
  std::string resource_version;
};

/// Loop thread only; the connection outlives it. Errors of all: `invalid_request` for names that can't be,
/// and those of Connection::send.
class Client {
 public:
  explicit Client(Connection& connection) : connection_(connection) {}

  Task<json::object> get(ResourceType type, ObjectName id, net::Deadline deadline,
                         std::string subresource = "");

  /// In pages, each parsed as it streams. One snapshot: pages of a list that expired are read again from the
  /// first on, at last in one piece. `visitor` outlives the call. Returns the resource version where a watch
  /// goes on.
  Task<std::string> list(ResourceType type, ListOptions options, ListVisitor& visitor,
                         net::Deadline deadline);
  /// At most `most` objects: error `upstream_error` when there are more.
  Task<ObjectList> list_all(ResourceType type, ListOptions options, std::size_t most, net::Deadline deadline);

  /// Error `name_taken` when there is one of this name. The object's apiVersion and kind must be the type's.
  Task<Written> create(ResourceType type, json::object object, WriteOptions options, net::Deadline deadline);
  /// Server-side apply: makes it, or sets the fields that the object names. Error `conflict` with detail
  /// "managers" when others own some of them.
  Task<Written> apply(ResourceType type, json::object object, WriteOptions options, net::Deadline deadline);
  /// RFC 6902. A "test" that fails is `invalid_request`.
  Task<Written> json_patch(ResourceType type, ObjectName id, json::array patch, WriteOptions options,
                           net::Deadline deadline);
  /// RFC 7386.
  Task<Written> merge_patch(ResourceType type, ObjectName id, json::object patch, WriteOptions options,
                            net::Deadline deadline);
  /// Error `not_found` when it is gone already.
  Task<Deletion> remove(ResourceType type, ObjectName id, DeleteOptions options, net::Deadline deadline);

 private:
  Task<Written> write(ApiRequest request, WriteOptions options, net::Deadline deadline);
  Task<Written> patch(ResourceType type, ObjectName id, std::string_view content_type, std::string body,
                      WriteOptions options, net::Deadline deadline);
  /// One page, or why it could not be read.
  Task<ListMeta> page(ApiRequest request, const FieldSelection& keep, ListVisitor& visitor,
                      net::Deadline deadline);

  Connection& connection_;
};

}  // namespace instantstart::kube
