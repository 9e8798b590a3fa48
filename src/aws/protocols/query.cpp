// The query protocol (IAM, STS, CloudFormation) and its relative ec2: the input as a form, the output as XML.
#include <fmt/format.h>
#include <pugixml.hpp>

#include "aws/protocols/form_body.h"
#include "aws/protocols/protocol.h"
#include "aws/protocols/xml_body.h"
#include "aws/protocols/xml_error.h"

namespace instantstart::aws {
namespace {

constexpr std::string_view k_form_type = "application/x-www-form-urlencoded; charset=utf-8";
constexpr std::string_view k_xml_type = "text/xml";

template <FormStyle style>
std::expected<HttpRequestParts, Fault> write_request(const OperationInfo& operation, const void* input) {
  HttpRequestParts request{.method = std::string(operation.method)};
  request.headers = {{"Content-Type", std::string(k_form_type)}};
  std::vector<NamedText> pairs{{"Action", std::string(operation.name)},
                               {"Version", std::string(operation.service->api_version)}};
  append_form(style, *operation.input, input, pairs);
  request.body = to_form(pairs);
  return request;
}

Walked read_response(const OperationInfo& operation, const HttpResponseParts& answer, void* output) {
  if (!operation.has_output) return {};
  const auto document = XmlDocument::parse(answer.body);
  if (!document) return std::unexpected(document.error());
  pugi::xml_node element = document->root();
  if (!operation.result_wrapper.empty()) {
    element = child_named(element, operation.result_wrapper);
    if (!element) return faulty(fmt::format("has no element {}", operation.result_wrapper));
  }
  return members_from_xml(*operation.output, element, output);
}

ServiceError read_error(const OperationInfo& operation, const HttpResponseParts& answer) {
  return error_from_xml(*operation.service, answer);
}

/// The parameters of the body and, for a presigned GET, of the query string.
std::vector<NamedText> parameters(const HttpRequestParts& request) {
  std::vector<NamedText> pairs = request.query;
  for (auto& pair : from_form(request.body)) pairs.push_back(std::move(pair));
  return pairs;
}

std::optional<Route> route(const ServiceInfo& service, const HttpRequestParts& request) {
  if (request.method != "POST" && request.method != "GET") return std::nullopt;
  for (const auto& [name, value] : parameters(request)) {
    if (name != "Action") continue;
    const OperationInfo* operation = service.operation(value);
    return operation ? std::optional<Route>({.operation = operation, .labels = {}}) : std::nullopt;
  }
  return std::nullopt;
}

template <FormStyle style>
Walked read_request(const Route& route, const HttpRequestParts& request, void* input) {
  auto form = form_tree(parameters(request));
  if (!form) return std::unexpected(std::move(form.error()));
  return structure_from_form(style, *route.operation->input, *form, input);
}

HttpResponseParts xml_answer(int status, const std::string& request_id, const XmlDocument& document) {
  return {.status = status,
          .headers = {{"x-amzn-RequestId", request_id}, {"Content-Type", std::string(k_xml_type)}},
          .body = document.text(true)};
}

std::expected<HttpResponseParts, Fault> write_query_response(const OperationInfo& operation,
                                                             const void* output,
                                                             const std::string& request_id) {
  XmlDocument document;
  pugi::xml_node root =
      document.make_root(operation.response_root, {.uri = operation.service->xml_namespace, .prefix = {}});
  pugi::xml_node result = root;
  if (!operation.result_wrapper.empty())
    result = root.append_child(std::string(operation.result_wrapper).c_str());
  if (auto written = append_members(result, *operation.output, output); !written) {
    return std::unexpected(std::move(written.error()));
  }
  append_text(root.append_child("ResponseMetadata"), "RequestId", request_id);
  return xml_answer(operation.response_code, request_id, document);
}

std::expected<HttpResponseParts, Fault> write_ec2_response(const OperationInfo& operation, const void* output,
                                                           const std::string& request_id) {
  XmlDocument document;
  pugi::xml_node root =
      document.make_root(operation.response_root, {.uri = operation.service->xml_namespace, .prefix = {}});
  append_text(root, "requestId", request_id);
  if (auto written = append_members(root, *operation.output, output); !written) {
    return std::unexpected(std::move(written.error()));
  }
  if (!operation.has_output) append_text(root, "return", "true");
  return xml_answer(operation.response_code, request_id, document);
}

HttpResponseParts write_query_error(const ServiceInfo& service, const ServiceError& error) {
  XmlDocument document;
  pugi::xml_node root = document.make_root("ErrorResponse", {.uri = service.xml_namespace, .prefix = {}});
  pugi::xml_node element = root.append_child("Error");
  append_text(element, "Type", error.status >= 500 ? "Receiver" : "Sender");
  append_error(element, error);
  append_text(root, "RequestId", error.request_id);
  return xml_answer(error.status, error.request_id, document);
}

HttpResponseParts write_ec2_error(const ServiceInfo&, const ServiceError& error) {
  XmlDocument document;
  pugi::xml_node root = document.make_root("Response", {});
  append_error(root.append_child("Errors").append_child("Error"), error);
  append_text(root, "RequestID", error.request_id);
  return xml_answer(error.status, error.request_id, document);
}

}  // namespace

const ProtocolCodec k_query_codec{.write_request = &write_request<FormStyle::query>,
                                  .read_response = &read_response,
                                  .read_error = &read_error,
                                  .route = &route,
                                  .read_request = &read_request<FormStyle::query>,
                                  .write_response = &write_query_response,
                                  .write_error = &write_query_error,
                                  .unknown_operation = "InvalidAction",
                                  .malformed_request = "MalformedInput"};

const ProtocolCodec k_ec2_codec{.write_request = &write_request<FormStyle::ec2>,
                                .read_response = &read_response,
                                .read_error = &read_error,
                                .route = &route,
                                .read_request = &read_request<FormStyle::ec2>,
                                .write_response = &write_ec2_response,
                                .write_error = &write_ec2_error,
                                .unknown_operation = "InvalidAction",
                                .malformed_request = "InvalidParameterValue"};

}  // namespace instantstart::aws
