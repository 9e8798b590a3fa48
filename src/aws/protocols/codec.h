// AWS's five wire protocols, both ways: the client encodes requests and decodes answers, a server decodes
// requests and encodes answers, with the same tables (aws/shapes/shape.h). Everything here is a pure function
// of its arguments.
//
//   auto request = encode_request<ec2::CreateVpc>({.cidr_block = "10.0.0.0/16"});
//   … sign, send …
//   if (is_error(ec2::CreateVpc::info(), answer)) return decode_error(ec2::CreateVpc::info(), answer);
//   auto output = decode_response<ec2::CreateVpc>(answer);
//
// Bytes that came from outside are bounded before they are read: documents by k_max_document_bytes and 64
// levels, payloads by k_max_payload_bytes. A payload that the model calls streaming (S3 objects) is one
// string here; larger objects are to be read by ranges and written in parts.
#pragma once

#include <cstddef>
#include <string>

#include "aws/protocols/http_parts.h"
#include "aws/protocols/service_error.h"
#include "aws/shapes/shape.h"
#include "base/result.h"

namespace instantstart::aws {

inline constexpr std::size_t k_max_document_bytes = 32 * 1024 * 1024;
inline constexpr std::size_t k_max_payload_bytes = 256 * 1024 * 1024;

/// `input` is of the operation's input shape. What `validate` finds stops it: Error `invalid_request` with a
/// problem a member, and nothing was sent. Buckets are in the path; a virtual-hosted client takes them from
/// there.
Result<HttpRequestParts> encode_request(const OperationInfo& operation, const void* input);

/// Whether an answer is to be read by `decode_error`: any status from 300 on, and S3's errors under status
/// 200 (CompleteMultipartUpload answers before it knows).
bool is_error(const OperationInfo& operation, const HttpResponseParts& answer);

/// Fills a default `output` of the operation's output shape. Error `upstream_error` when the answer is not
/// what the protocol says (`detail.at` is where), `body_too_large` when it is too long. The output is then
/// unspecified, but valid.
Result<void> decode_response(const OperationInfo& operation, const HttpResponseParts& answer, void* output);

/// Never fails: an answer that can't be read is an error with the HTTP status as its code, as in botocore.
ServiceError decode_error(const OperationInfo& operation, const HttpResponseParts& answer);

/// The id to quote to AWS's support, from the headers; empty when there is none.
std::string request_id(const HttpResponseParts& answer);

struct DecodedRequest {
  const OperationInfo* operation;
  ShapeValue input;
};

/// Finds the operation that a request means, by X-Amz-Target, Action, or method and path, and reads its
/// input. The input is not validated: a server does that after it knows who asks. Errors carry
/// `detail.aws_code`, the code that AWS would answer: `not_found` (UnknownOperationException, InvalidAction
/// …), `invalid_request` (SerializationException …), `body_too_large`.
Result<DecodedRequest> decode_request(const ServiceInfo& service, const HttpRequestParts& request);

/// `output` is of the operation's output shape. Fails only for text that the protocol can't carry
/// (`invalid_request`).
Result<HttpResponseParts> encode_response(const OperationInfo& operation, const void* output,
                                          const std::string& request_id);

/// `operation` may be nullptr, when the request named none; an answer to HEAD has no body.
HttpResponseParts encode_error(const ServiceInfo& service, const OperationInfo* operation,
                               const ServiceError& error);

// The same by type: `Op` is a generated operation such as ec2::CreateVpc.

template <class Op>
Result<HttpRequestParts> encode_request(const typename Op::Input& input) {
  return encode_request(Op::info(), &input);
}

template <class Op>
Result<typename Op::Output> decode_response(const HttpResponseParts& answer) {
  typename Op::Output output;
  auto decoded = decode_response(Op::info(), answer, &output);
  if (!decoded) return fail(std::move(decoded.error()));
  return output;
}

template <class Op>
Result<HttpResponseParts> encode_response(const typename Op::Output& output, const std::string& request_id) {
  return encode_response(Op::info(), &output, request_id);
}

}  // namespace instantstart::aws
