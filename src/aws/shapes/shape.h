// The tables that describe AWS's API. `tools/aws_shapes/generate.py` writes, for each service, plain structs
// and one constant table a shape from the service models in the botocore wheel; codecs, validation and
// redaction are walkers over these tables and know no C++ type. All tables are constant-initialised,
// immutable and shared by all threads.
//
// Every member of a generated struct is std::optional: an empty list and no list are different things on the
// wire (CloudFormation clears tags with an empty one), and AWS leaves out even what its model calls required.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace instantstart::aws {

/// UTC, in microseconds since 1970: the finest that any AWS protocol carries.
struct Timestamp {
  std::chrono::sys_time<std::chrono::microseconds> time;

  auto operator<=>(const Timestamp&) const = default;
};

/// Bytes. Base64 inside JSON, XML and forms; as they are in a payload.
struct Blob {
  std::string bytes;

  auto operator<=>(const Blob&) const = default;
};

/// A member whose type contains itself: an optional that holds its value on the heap, copied deeply.
template <class T>
class Recursive {
 public:
  Recursive() = default;
  Recursive(const Recursive& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Recursive(Recursive&&) noexcept = default;
  Recursive& operator=(Recursive other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }

  T& emplace() { return *(value_ = std::make_unique<T>()); }
  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return value_.get(); }
  T* operator->() { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

/// The list or map of a member, empty when it is absent: `for (const auto& vpc : items(output.vpcs))`.
template <class Collection>
const Collection& items(const std::optional<Collection>& member) {
  static const Collection none;
  return member ? *member : none;
}
template <class Collection>
void items(const std::optional<Collection>&&) = delete;  // would refer into a temporary

enum class ShapeKind : std::uint8_t {
  structure,  ///< a generated struct
  list,       ///< std::vector
  map,        ///< std::map<std::string, …>
  string,     ///< std::string, enumerations too: AWS adds values at any time
  integer,    ///< std::int64_t, for the model's integer and long
  number,     ///< double, for the model's float and double
  boolean,    ///< bool
  timestamp,  ///< Timestamp
  blob,       ///< Blob
};

/// Where a member travels in rest-json and rest-xml; the other protocols put everything into the body.
enum class Location : std::uint8_t {
  body,
  uri,          ///< a label of the path template
  query,        ///< a query parameter; a map becomes one parameter a key
  header,       ///< one header
  header_map,   ///< a header a key, with the wire name as prefix ("x-amz-meta-")
  status_code,  ///< the HTTP status of the answer
};

enum class TimestampFormat : std::uint8_t {
  by_protocol,  ///< epoch seconds in JSON, ISO 8601 in XML, forms and query strings, RFC 822 in headers
  iso8601,
  rfc822,
  epoch_seconds,
};

struct ShapeInfo;

/// Reaches the value of a std::optional or Recursive member.
struct Holder {
  const void* (*peek)(const void* member);  ///< nullptr when absent
  void* (*emplace)(void* member);           ///< Makes it present and default, and returns it.
};

struct ListAccess {
  std::size_t (*size)(const void* list);
  const void* (*at)(const void* list, std::size_t index);  ///< index < size
  void* (*append)(void* list);  ///< A default value at the end; earlier pointers end.
};

struct MapAccess {
  std::size_t (*size)(const void* map);
  void* (*insert)(void* map, std::string key);  ///< The value of the key, made default when it is new.
  /// In the order of the keys.
  void (*each)(const void* map, const std::function<void(const std::string&, const void*)>& visit);
};

struct Lifetime {
  void* (*create)();
  void (*destroy)(void*);
};

struct XmlNamespace {
  std::string_view uri;
  std::string_view prefix;  ///< usually empty
};

/// How one use of a shape looks: as a member, a list's item, a map's key or value. The attributes of the use
/// win over those of the shape, as in botocore's `Shape.serialization`.
struct WireInfo {
  /// JSON key, XML element, header, query parameter or label. For list items and map keys and values: the
  /// model's locationName, or empty for the protocol's default ("member", "key", "value").
  std::string_view name;
  /// What names it in a query or ec2 request body (ec2: capitalised, or queryName).
  std::string_view form_name;
  TimestampFormat timestamp = TimestampFormat::by_protocol;
  bool flattened = false;      ///< A list or map without an element of its own around it.
  bool xml_attribute = false;  ///< An attribute of the structure's element.
  const XmlNamespace* xml_namespace = nullptr;
};

struct ElementInfo {
  const ShapeInfo* shape = nullptr;
  WireInfo wire = {};
};

struct MemberInfo {
  std::string_view name;  ///< In the API's own spelling: "VpcId".
  const ShapeInfo* shape;
  WireInfo wire;
  std::uint32_t offset;  ///< of the holder in the struct
  const Holder* holder;
  Location location = Location::body;
  bool required = false;
  bool payload = false;            ///< The member alone is the HTTP body.
  bool idempotency_token = false;  ///< The caller fills it, so that a repeat is not a second action.

  const void* peek(const void* object) const {
    return holder->peek(static_cast<const std::byte*>(object) + offset);
  }
  void* emplace(void* object) const { return holder->emplace(static_cast<std::byte*>(object) + offset); }
};

/// What the model asks of a value: its size (number), length (string in code points, blob in bytes), or count
/// of items.
struct Limits {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string_view pattern = {};  ///< In Java's dialect as AWS writes it; not all of it is RE2.
};

struct ShapeInfo {
  std::string_view name;  ///< The model's: "DescribeVpcsRequest".
  ShapeKind kind;
  bool sensitive = false;  ///< Never shown in logs, errors, events.
  bool is_union = false;   ///< Exactly one member is present.
  bool is_error = false;
  Limits limits = {};
  std::span<const std::string_view> values = {};  ///< The known values of an enumeration.
  std::span<const MemberInfo> members = {};       ///< structure, in the model's order
  const MemberInfo* payload = nullptr;            ///< structure: the member that is the whole HTTP body
  ElementInfo key = {};                           ///< map; the shape is a string
  ElementInfo element = {};                       ///< list, map
  const ListAccess* list = nullptr;
  const MapAccess* map = nullptr;
  const Lifetime* lifetime = nullptr;  ///< Of errors and of what is an operation's input or output.

  /// nullptr when there is none of that name.
  const MemberInfo* member(std::string_view api_name) const;
};

/// An error that the model names.
struct ErrorInfo {
  std::string_view code;  ///< What the wire says: the model's error code, else the shape's name.
  const ShapeInfo* shape;
  int http_status;  ///< 400 or, for faults of the service, 500 where the model says nothing.
  bool sender_fault = false;
  bool retryable = false;   ///< The model's `retryable` trait.
  bool throttling = false;  ///< The model's `retryable.throttling`.
};

/// How lists continue (paginators-1.json). Names are API names of members; several tokens travel together.
/// Output names may be paths ("Listing.NextMarker").
struct Pagination {
  std::span<const std::string_view> input_tokens = {};   ///< empty: this operation has no pages
  std::span<const std::string_view> output_tokens = {};  ///< one for each input token
  std::span<const std::string_view> result_keys = {};
  std::string_view limit_key = {};     ///< The input that bounds a page; may be empty.
  std::string_view more_results = {};  ///< The output that says whether there is more; may be empty.
};

struct ServiceInfo;

struct OperationInfo {
  const ServiceInfo* service;
  std::string_view name;    ///< "CreateVpc"
  std::string_view method;  ///< "POST"
  std::string_view uri;     ///< Path template with constant query: "/{Bucket}/{Key+}?uploads".
  int response_code;        ///< Of a success.
  const ShapeInfo* input;
  const ShapeInfo* output;
  bool has_output;  ///< False: the model gives no output shape, and `output` is that of Empty.
  std::string_view result_wrapper;  ///< query: the element around the output's members, "CreateRoleResult".
  std::string_view request_root;    ///< rest-xml: the element that the request's body is.
  const XmlNamespace* request_namespace;  ///< … and its namespace; nullptr when it has none.
  std::string_view response_root;         ///< XML protocols: the element that the answer's body is.
  std::span<const ErrorInfo* const> errors;
  Pagination pagination;
  const MemberInfo* idempotency_token;   ///< The input's, if it has one.
  const MemberInfo* checksum_algorithm;  ///< The input that chooses a checksum, if it has one.
  bool checksum_required;                ///< The service refuses a body without a checksum.
  bool unwrapped_output;  ///< rest-xml: the root element is the only member itself (s3 GetBucketLocation).
  bool read_only;         ///< It changes nothing, so it may always be sent again.
  bool unsigned_request;  ///< Called without credentials (AssumeRoleWithWebIdentity).
};

enum class Protocol : std::uint8_t { json, rest_json, query, ec2, rest_xml };

struct ServiceInfo {
  std::string_view name;  ///< The folder in botocore, and the command of the aws CLI: "service-quotas".
  std::string_view id;    ///< "Service Quotas": names AWS_ENDPOINT_URL_SERVICE_QUOTAS.
  Protocol protocol;
  std::string_view api_version;      ///< "2016-11-15"
  std::string_view signing_name;     ///< "servicequotas"
  std::string_view endpoint_prefix;  ///< First label of the host name, "api.sagemaker".
  std::string_view global_endpoint;  ///< "iam.amazonaws.com"; usually empty.
  std::string_view json_version;     ///< json: "1.0" or "1.1"
  std::string_view target_prefix;    ///< json: X-Amz-Target is this, a dot and the operation.
  std::string_view xml_namespace;    ///< Of answers in XML.
  bool query_compatible;             ///< json that was query once: errors carry x-amzn-query-error.
  std::span<const OperationInfo* const> operations;  ///< by name
  std::span<const ErrorInfo* const> errors;          ///< of all generated operations, by code

  const OperationInfo* operation(std::string_view operation_name) const;  ///< nullptr when not generated
  const ErrorInfo* error(std::string_view code) const;                    ///< nullptr when not modelled
};

/// The input or output of operations that have none.
struct Empty {
  bool operator==(const Empty&) const = default;
};
extern const ShapeInfo k_empty_shape;
inline const ShapeInfo& shape_info(const Empty*) { return k_empty_shape; }

/// A structure whose type is known by its table only. Owns it.
class ShapeValue {
 public:
  /// A default one; the shape must have a lifetime.
  explicit ShapeValue(const ShapeInfo& shape)
      : shape_(&shape), object_(shape.lifetime->create(), shape.lifetime->destroy) {}

  const ShapeInfo& shape() const { return *shape_; }
  const void* get() const { return object_.get(); }
  void* get() { return object_.get(); }

  /// The struct; nullptr when this is another shape.
  template <class T>
  T* as() {
    return shape_ == &shape_info(static_cast<const T*>(nullptr)) ? static_cast<T*>(object_.get()) : nullptr;
  }

 private:
  const ShapeInfo* shape_;
  std::unique_ptr<void, void (*)(void*)> object_;
};

}  // namespace instantstart::aws
