// The types of objects, built-in ones and those of CustomResourceDefinitions, in one form. Built-in types
// come from Kubernetes' OpenAPI definitions, reduced when the product is built (tools/kubernetes_schemas) and
// unpacked on first use. Validation, defaults, patches and server-side apply all walk this one tree.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/untrusted_pattern.h"
#include "sandbox/kubernetes/objects/status.h"

namespace instantstart::sandbox::kubernetes {

enum class FieldKind {
  object,   ///< Named properties (and `element` for the others, where the schema allows them).
  map,      ///< Any keys; values are `element`.
  list,     ///< Items are `element`.
  string,   ///< Also dates, bytes and other formats.
  integer,  ///< `format` int32 or int64.
  number,
  boolean,
  int_or_string,  ///< IntOrString.
  quantity,       ///< resource.Quantity: a string or a number.
  any             ///< Any JSON: RawExtension, JSON, preserve-unknown-fields without properties.
};

/// How lists merge: `x-kubernetes-list-type`; atomic where it is absent.
enum class ListType { atomic, set, map };

struct Schema;

struct Property {
  std::string name;
  const Schema* schema;
  bool required = false;

  bool operator==(const Property&) const = default;
};

/// One place of a type. Immutable once built; owned by the ObjectSchema or SchemaSet it came from.
struct Schema {
  FieldKind kind = FieldKind::any;
  std::string type_name;             ///< Of built-in definitions, as type errors name it: "v1.PodSpec".
  std::string format;                ///< "int32", "date-time", "byte" …
  std::vector<Property> properties;  ///< Sorted by name.
  const Schema* element =
      nullptr;  ///< Of lists and maps; of an object: values of properties that are not named.
  bool nullable = false;
  bool preserve_unknown = false;   ///< `x-kubernetes-preserve-unknown-fields`.
  bool embedded_resource = false;  ///< `x-kubernetes-embedded-resource`.
  bool atomic_map = false;         ///< `x-kubernetes-map-type: atomic`.
  ListType list_type = ListType::atomic;
  std::vector<std::string> list_map_keys;
  std::string patch_merge_key;     ///< Strategic merge patch.
  bool patch_merge = false;        ///< `x-kubernetes-patch-strategy` has "merge".
  bool patch_retain_keys = false;  ///< … has "retainKeys".
  std::optional<json::value> default_value;
  std::vector<json::value> enum_values;
  std::optional<UntrustedPattern> pattern;
  std::optional<double> minimum, maximum;
  bool exclusive_minimum = false, exclusive_maximum = false;
  std::optional<double> multiple_of;
  std::optional<std::int64_t> min_length, max_length, min_items, max_items, min_properties, max_properties;
  bool unique_items = false;
  std::vector<const Schema*> all_of, any_of, one_of;  ///< CRDs only: value rules without types.
  const Schema* not_of = nullptr;
  std::vector<std::string> required;  ///< Names, also those in value rules.

  /// The schema of a property, named or not; null when the type does not know it.
  const Schema* property(std::string_view name) const;
  bool is_required(std::string_view name) const;
};

/// The type of one kind in one version.
struct ObjectSchema {
  std::string group;  ///< "" is the core group.
  std::string version;
  std::string kind;
  bool custom = false;  ///< From a CustomResourceDefinition: is pruned, and has the schema's own defaults.
  bool has_status = false;  ///< Has the `status` subresource, so the main resource leaves `status` alone.
  bool namespaced = true;
  const Schema* root = nullptr;
  std::shared_ptr<const void> owner;  ///< Keeps what `root` points to.

  /// "apps/v1", "v1".
  std::string api_version() const;
};

/// All types that a server knows. Not for several threads at once.
class SchemaSet {
 public:
  /// The built-in types, unpacked (a few milliseconds, once for each set). Error `internal` when the build's
  /// resource is damaged.
  static Result<SchemaSet> with_built_in();

  SchemaSet(SchemaSet&&) noexcept;
  SchemaSet& operator=(SchemaSet&&) noexcept;
  ~SchemaSet();

  /// Null when no such type is known. What was found stays usable after its definition is replaced or
  /// removed.
  std::shared_ptr<const ObjectSchema> find(std::string_view group, std::string_view version,
                                           std::string_view kind) const;

  /// Takes the served versions of a CustomResourceDefinition, in place of what its name brought before.
  /// Refused with Invalid when a schema is not structural enough to be used.
  Outcome<> put_custom(const json::object& definition);
  void remove_custom(std::string_view definition_name);

 private:
  struct Types;
  explicit SchemaSet(std::unique_ptr<Types> types);
  std::unique_ptr<Types> types_;
};

/// "apps/v1" → ("apps", "v1"); "v1" → ("", "v1").
std::pair<std::string, std::string> split_api_version(std::string_view api_version);

}  // namespace instantstart::sandbox::kubernetes
