// Lets another program use the codec: one JSON object a line in, one a line out.
//
//   mode "encode":  service, operation, params        → request {method, path, query, headers, body_base64}
//   mode "decode":  service, operation, response      → value, or service_error
//   mode "receive": service, request                  → operation, value: as a server reads it
//   mode "respond": service, operation, value         → response {status, headers, body_base64}
//   mode "refuse":  service, operation, service_error → response
//
// Values are in API names with nothing hidden. What fails is {"error": {code, message}}.
#include <iostream>
#include <string>

#include "aws/protocols/api_json.h"
#include "aws/protocols/codec.h"
#include "aws/shapes/orchard_json.h"
#include "aws/shapes/orchard_query.h"
#include "aws/shapes/orchard_xml.h"
#include "aws/shapes/services.h"
#include "base/digest.h"
#include "base/json.h"

namespace instantstart::aws {
namespace {

const ServiceInfo* known_service(std::string_view name) {
  for (const ServiceInfo* made_up :
       {&orchard_json::service(), &orchard_query::service(), &orchard_xml::service()}) {
    if (made_up->name == name) return made_up;
  }
  return find_service(name);
}

std::string text(const json::object& object, std::string_view name) {
  return std::string(object.at(name).as_string());
}

json::array pairs_to_json(const std::vector<NamedText>& pairs) {
  json::array array;
  for (const auto& [name, value] : pairs)
    array.push_back(json::array{json::string(name), json::string(value)});
  return array;
}

std::vector<NamedText> pairs_from_json(const json::value& array) {
  std::vector<NamedText> pairs;
  for (const auto& pair : array.as_array()) {
    pairs.emplace_back(pair.at(0).as_string(), pair.at(1).as_string());
  }
  return pairs;
}

json::object to_json(const HttpRequestParts& request) {
  return {{"method", request.method},
          {"path", request.path},
          {"query", pairs_to_json(request.query)},
          {"headers", pairs_to_json(request.headers)},
          {"body_base64", to_base64(request.body)}};
}

json::object to_json(const HttpResponseParts& response) {
  return {{"status", response.status},
          {"headers", pairs_to_json(response.headers)},
          {"body_base64", to_base64(response.body)}};
}

json::object to_json(const Error& error) {
  json::array problems;
  for (const auto& problem : error.problems) {
    problems.push_back(json::object{{"pointer", problem.pointer}, {"message", problem.message}});
  }
  return {{"error", json::object{{"code", error.code}, {"message", error.message}, {"problems", problems}}}};
}

json::object to_json(const ServiceError& error) {
  return {{"code", error.code},
          {"message", error.message},
          {"request_id", error.request_id},
          {"status", error.status},
          {"modelled", error.modelled != nullptr},
          {"fields", error.fields}};
}

Result<json::object> encode(const OperationInfo& operation, const json::object& line) {
  ShapeValue input(*operation.input);
  if (auto read = from_api_json(input.shape(), line.at("params"), input.get()); !read)
    return fail(read.error());
  auto request = encode_request(operation, input.get());
  if (!request) return fail(request.error());
  return json::object{{"request", to_json(*request)}};
}

Result<json::object> decode(const OperationInfo& operation, const json::object& line) {
  const json::object& given = line.at("response").as_object();
  const HttpResponseParts answer{.status = given.at("status").to_number<int>(),
                                 .headers = pairs_from_json(given.at("headers")),
                                 .body = from_base64(text(given, "body_base64")).value()};
  if (is_error(operation, answer)) {
    return json::object{{"service_error", to_json(decode_error(operation, answer))}};
  }
  ShapeValue output(*operation.output);
  if (auto read = decode_response(operation, answer, output.get()); !read) return fail(read.error());
  return json::object{{"value", to_api_json(output.shape(), output.get(), {.reveal_sensitive = true})}};
}

Result<json::object> receive(const ServiceInfo& service, const json::object& line) {
  const json::object& given = line.at("request").as_object();
  auto decoded = decode_request(service, {.method = text(given, "method"),
                                          .path = text(given, "path"),
                                          .query = pairs_from_json(given.at("query")),
                                          .headers = pairs_from_json(given.at("headers")),
                                          .body = from_base64(text(given, "body_base64")).value()});
  if (!decoded) return fail(decoded.error());
  return json::object{
      {"operation", decoded->operation->name},
      {"value", to_api_json(decoded->input.shape(), decoded->input.get(), {.reveal_sensitive = true})}};
}

Result<json::object> respond(const OperationInfo& operation, const json::object& line) {
  ShapeValue output(*operation.output);
  if (auto read = from_api_json(output.shape(), line.at("value"), output.get()); !read)
    return fail(read.error());
  auto response = encode_response(operation, output.get(), "req-1");
  if (!response) return fail(response.error());
  return json::object{{"response", to_json(*response)}};
}

Result<json::object> refuse(const OperationInfo& operation, const json::object& line) {
  const json::object& given = line.at("service_error").as_object();
  const ServiceError error{.code = text(given, "code"),
                           .message = text(given, "message"),
                           .request_id = "req-1",
                           .fields = given.at("fields").as_object()};
  return json::object{{"response", to_json(encode_error(*operation.service, &operation, error))}};
}

Result<json::object> answer(const json::object& line) {
  const ServiceInfo* service = known_service(text(line, "service"));
  if (!service) return fail("not_found", "no such service");
  const std::string mode = text(line, "mode");
  if (mode == "receive") return receive(*service, line);
  const OperationInfo* operation = service->operation(text(line, "operation"));
  if (!operation) return fail("not_found", "no such operation");
  if (mode == "encode") return encode(*operation, line);
  if (mode == "decode") return decode(*operation, line);
  if (mode == "respond") return respond(*operation, line);
  if (mode == "refuse") return refuse(*operation, line);
  return fail("invalid_request", "no such mode");
}

}  // namespace
}  // namespace instantstart::aws

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto value = instantstart::parse_json(line, {.max_bytes = std::size_t{256} << 20});
    if (!value) {
      std::cerr << value.error().message << "\n";
      return 1;
    }
    const auto answer = instantstart::aws::answer(value->as_object());
    std::cout << instantstart::to_text(answer ? *answer : instantstart::aws::to_json(answer.error())) << "\n";
  }
  return 0;
}
