#include "aws/protocols/codec.h"

#include <fmt/format.h>
#include <pugixml.hpp>

#include "aws/protocols/protocol.h"
#include "aws/protocols/rest_bindings.h"
#include "aws/protocols/validate.h"
#include "aws/protocols/xml_body.h"
#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

Result<void> check_size(const std::string& body, const MemberInfo* payload, std::string_view subject) {
  const std::size_t most = payload ? k_max_payload_bytes : k_max_document_bytes;
  if (body.size() <= most) return {};
  return fail(codes::body_too_large,
              fmt::format("{} has {} bytes; at most {} are read.", subject, body.size(), most));
}

/// An error that a server passes on under one of AWS's codes.
Error refusal(std::string_view code, std::string message, std::string_view aws_code) {
  Error error{.code = std::string(code), .message = std::move(message)};
  error.detail["aws_code"] = aws_code;
  return error;
}

}  // namespace

const ProtocolCodec& codec_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::json: return k_json_codec;
    case Protocol::rest_json: return k_rest_json_codec;
    case Protocol::query: return k_query_codec;
    case Protocol::ec2: return k_ec2_codec;
    case Protocol::rest_xml: break;
  }
  return k_rest_xml_codec;
}

Result<HttpRequestParts> encode_request(const OperationInfo& operation, const void* input) {
  auto problems = validate(*operation.input, input, Strictness::client);
  if (!problems.empty()) return fail(within(operation.name, invalid_request(std::move(problems))));
  auto request = codec_of(operation.service->protocol).write_request(operation, input);
  if (!request) return fail(to_error(codes::invalid_request, operation.name, request.error()));
  return std::move(*request);
}

bool is_error(const OperationInfo& operation, const HttpResponseParts& answer) {
  if (answer.status >= 300) return true;
  if (operation.service->protocol != Protocol::rest_xml || raw_payload(*operation.output)) return false;
  // Cheap first: an S3 error that comes late has blanks, maybe a declaration, and then <Error>.
  if (answer.body.size() > k_max_document_bytes || answer.body.find("<Error>") == std::string::npos)
    return false;
  const auto document = XmlDocument::parse(answer.body);
  return document && local_name(document->root()) == "Error";
}

Result<void> decode_response(const OperationInfo& operation, const HttpResponseParts& answer, void* output) {
  const std::string subject = fmt::format("{}: the answer", operation.name);
  if (auto fits = check_size(answer.body, raw_payload(*operation.output), subject); !fits) return fits;
  auto decoded = codec_of(operation.service->protocol).read_response(operation, answer, output);
  if (!decoded) return fail(to_error(codes::upstream_error, subject, decoded.error()));
  return {};
}

ServiceError decode_error(const OperationInfo& operation, const HttpResponseParts& answer) {
  ServiceError error = codec_of(operation.service->protocol).read_error(operation, answer);
  constexpr std::size_t k_longest_message = 16 * 1024;
  error.message = shortened(error.message, k_longest_message);
  if (error.status < 300) error.status = 500;  // S3's late errors count as the service's own, as in botocore
  return error;
}

std::string request_id(const HttpResponseParts& answer) {
  for (const auto name : {"x-amzn-requestid", "x-amz-request-id"}) {
    if (const std::string* id = find_header(answer.headers, name)) return *id;
  }
  return {};
}

Result<DecodedRequest> decode_request(const ServiceInfo& service, const HttpRequestParts& request) {
  const ProtocolCodec& codec = codec_of(service.protocol);
  if (auto fits = check_size(request.body, nullptr, "The request");
      !fits && service.protocol != Protocol::rest_xml) {
    return fail(refusal(fits.error().code, fits.error().message, codec.malformed_request));
  }
  const auto route = codec.route(service, request);
  if (!route) {
    return fail(refusal(codes::not_found, fmt::format("{} has no operation for this request.", service.id),
                        codec.unknown_operation));
  }
  const OperationInfo& operation = *route->operation;
  if (auto fits = check_size(request.body, raw_payload(*operation.input), operation.name); !fits) {
    return fail(refusal(fits.error().code, fits.error().message, codec.malformed_request));
  }
  DecodedRequest decoded{.operation = &operation, .input = ShapeValue(*operation.input)};
  if (auto read = codec.read_request(*route, request, decoded.input.get()); !read) {
    const Error error = to_error(codes::invalid_request, operation.name, read.error());
    return fail(refusal(error.code, error.message, codec.malformed_request));
  }
  return decoded;
}

Result<HttpResponseParts> encode_response(const OperationInfo& operation, const void* output,
                                          const std::string& request_id) {
  auto answer = codec_of(operation.service->protocol).write_response(operation, output, request_id);
  if (!answer) return fail(to_error(codes::invalid_request, operation.name, answer.error()));
  if (operation.method == "HEAD") answer->body.clear();
  return std::move(*answer);
}

HttpResponseParts encode_error(const ServiceInfo& service, const OperationInfo* operation,
                               const ServiceError& error) {
  ServiceError complete = error;
  complete.modelled = service.error(error.code);
  if (complete.status == 0) complete.status = complete.modelled ? complete.modelled->http_status : 400;
  HttpResponseParts answer = codec_of(service.protocol).write_error(service, complete);
  if (operation && operation->method == "HEAD") answer.body.clear();
  return answer;
}

}  // namespace instantstart::aws
