// In which form a client gets objects: as they are, as a Table, or their metadata alone; by its Accept
// header.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "net/http.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/served_types.h"
#include "sandbox/kubernetes/objects/status.h"
#include "sandbox/kubernetes/objects/table.h"

namespace instantstart::sandbox::kubernetes {

enum class Form { object, table, metadata };

struct Representation {
  Form form = Form::object;
  std::string content_type = "application/json";
  std::string api_version;  ///< Of Table and PartialObjectMetadata: "meta.k8s.io/v1".
};

/// The first acceptable form. 406 when none is JSON.
Outcome<Representation> negotiate(std::string_view accept);

/// What turns objects of one type into one form.
class Renderer {
 public:
  /// `include_object` is the parameter of that name, for tables.
  Renderer(const ObjectStore& store, std::string_view cluster, ServedTypePtr type,
           Representation representation, std::string_view include_object);

  const Representation& representation() const { return representation_; }
  /// As the request's version, "apps/v1", shows it.
  json::object one(const json::object& object, WallTime now) const;
  /// `metadata` is the list's. The text of the whole list: objects are not copied.
  std::string list(std::span<const json::object* const> objects, const json::object& metadata,
                   WallTime now) const;
  /// One object of a watch; column definitions come with the first alone.
  json::object event(const json::object& object, WallTime now, bool first) const;
  /// Has nothing but a version.
  json::object bookmark(std::int64_t version, bool end_of_initial_events) const;

 private:
  json::object table(std::span<const json::object* const> objects, WallTime now) const;
  json::object partial(const json::object& object) const;

  ServedTypePtr type_;
  Representation representation_;
  std::vector<TableColumn> columns_;
  RowObject include_ = RowObject::metadata;
};

}  // namespace instantstart::sandbox::kubernetes
