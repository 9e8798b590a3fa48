// What each wire protocol gives to the codec. The codec has checked sizes and validated inputs before it
// calls these.
#pragma once

#include <optional>
#include <string>

#include "aws/protocols/codec.h"
#include "aws/protocols/fault.h"
#include "aws/protocols/uri_template.h"

namespace instantstart::aws {

/// Which operation a request means, and what of its input the routing has read already.
struct Route {
  const OperationInfo* operation;
  Labels labels;  ///< of the path, REST protocols only
};

struct ProtocolCodec {
  std::expected<HttpRequestParts, Fault> (*write_request)(const OperationInfo&, const void* input);
  Walked (*read_response)(const OperationInfo&, const HttpResponseParts&, void* output);
  ServiceError (*read_error)(const OperationInfo&, const HttpResponseParts&);

  std::optional<Route> (*route)(const ServiceInfo&, const HttpRequestParts&);
  Walked (*read_request)(const Route&, const HttpRequestParts&, void* input);
  std::expected<HttpResponseParts, Fault> (*write_response)(const OperationInfo&, const void* output,
                                                            const std::string& request_id);
  HttpResponseParts (*write_error)(const ServiceInfo&, const ServiceError&);

  std::string_view unknown_operation;  ///< The code that AWS answers when there is no such operation.
  std::string_view malformed_request;  ///< … and when the input can't be read.
};

extern const ProtocolCodec k_json_codec;
extern const ProtocolCodec k_rest_json_codec;
extern const ProtocolCodec k_query_codec;
extern const ProtocolCodec k_ec2_codec;
extern const ProtocolCodec k_rest_xml_codec;

const ProtocolCodec& codec_of(Protocol protocol);

/// A request header that names the operation, or the whole of an unreadable answer: the code is the HTTP
/// status, the message its standard phrase (RFC 9110), as in botocore.
ServiceError error_from_status(const HttpResponseParts& answer);

/// Answers from something in front of the service: 5xx with HTML or without a body (botocore's "generic
/// error").
bool is_generic_error(const HttpResponseParts& answer);

}  // namespace instantstart::aws
