// Answers from anywhere, for every protocol, and requests to a simulated service: no input may do more than
// fail. The first bytes choose the service, the operation, the status and the direction.
#include <cstddef>
#include <cstdint>
#include <string>

#include "aws/protocols/api_json.h"
#include "aws/protocols/codec.h"
#include "aws/protocols/validate.h"
#include "aws/shapes/services.h"

namespace instantstart::aws {
namespace {

constexpr std::size_t k_choosing_bytes = 4;

/// "name: value" lines up to an empty one, then the body.
std::vector<NamedText> take_headers(std::string& text) {
  std::vector<NamedText> headers;
  while (true) {
    const auto end = text.find('\n');
    if (end == std::string::npos) return headers;
    const std::string line = text.substr(0, end);
    text.erase(0, end + 1);
    const auto colon = line.find(':');
    if (colon == std::string::npos) return headers;
    headers.emplace_back(line.substr(0, colon), line.substr(colon + 1));
  }
}

void read_answer(const OperationInfo& operation, int status, std::string text) {
  HttpResponseParts answer{.status = status, .headers = take_headers(text)};
  answer.body = std::move(text);
  if (is_error(operation, answer)) {
    decode_error(operation, answer);
    return;
  }
  ShapeValue output(*operation.output);
  if (!decode_response(operation, answer, output.get())) return;
  to_api_json(output.shape(), output.get());
  validate(output.shape(), output.get(), Strictness::service);
}

void read_request(const ServiceInfo& service, const OperationInfo& operation, std::string text) {
  HttpRequestParts request{.method = std::string(operation.method), .headers = take_headers(text)};
  const auto end = text.find('\n');
  request.path = text.substr(0, end);
  if (end != std::string::npos) request.body = text.substr(end + 1);
  const auto question = request.path.find('?');
  if (question != std::string::npos) {
    request.query = from_form(request.path.substr(question + 1));
    request.path.erase(question);
  }
  if (auto decoded = decode_request(service, request)) {
    to_api_json(decoded->input.shape(), decoded->input.get());
    encode_request(*decoded->operation, decoded->input.get());
  }
}

}  // namespace
}  // namespace instantstart::aws

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace instantstart::aws;
  if (size < k_choosing_bytes) return 0;
  const ServiceInfo& service = *all_services()[data[0] % all_services().size()];
  const OperationInfo& operation = *service.operations[data[1] % service.operations.size()];
  std::string text(reinterpret_cast<const char*>(data) + k_choosing_bytes, size - k_choosing_bytes);
  if (data[3] % 2 == 0) {
    read_answer(operation, 200 + data[2] % 4 * 100, std::move(text));
  } else {
    read_request(service, operation, std::move(text));
  }
  return 0;
}
