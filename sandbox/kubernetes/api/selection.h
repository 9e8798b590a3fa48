// Which objects of a collection a list or watch is about.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/request_info.h"
#include "sandbox/kubernetes/api/served_types.h"
#include "sandbox/kubernetes/objects/selectors.h"

namespace instantstart::sandbox::kubernetes {

class Selection {
 public:
  static Outcome<Selection> read(std::string_view cluster, const ServedType& type, const RequestInfo& info,
                                 const Parameters& parameters);

  const std::string& cluster() const { return cluster_; }
  bool whole_collection() const { return labels_.selects_everything() && fields_.selects_everything(); }
  /// The key is of this collection.
  bool covers(const ObjectKey& key) const;
  bool selects(const json::object& object) const;
  /// All that are selected now, by namespace and name.
  std::vector<const json::object*> find(const ObjectStore& store) const;

  const std::string& group() const { return group_; }
  const std::string& resource() const { return resource_; }
  const std::string& namespace_name() const { return namespace_name_; }

 private:
  std::string cluster_;
  std::string group_;
  std::string resource_;
  std::string namespace_name_;
  LabelSelector labels_;
  FieldSelector fields_;
};

}  // namespace instantstart::sandbox::kubernetes
