// Answers without a word of the service in them.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "aws/protocols/protocol.h"

namespace instantstart::aws {
namespace {

// RFC 9110 section 15 and RFC 6585, spelled as Python's http.client.responses, which botocore shows.
constexpr std::array<std::pair<int, std::string_view>, 28> k_phrases{{
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Request Entity Too Large"},
    {415, "Unsupported Media Type"},
    {416, "Requested Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
}};

}  // namespace

ServiceError error_from_status(const HttpResponseParts& answer) {
  const auto found = std::ranges::find(k_phrases, answer.status, &std::pair<int, std::string_view>::first);
  return {.code = fmt::format("{}", answer.status),
          .message = found == k_phrases.end() ? std::string() : std::string(found->second),
          .request_id = request_id(answer),
          .status = answer.status};
}

bool is_generic_error(const HttpResponseParts& answer) {
  if (answer.status < 500) return false;
  const auto start = answer.body.find_first_not_of(" \t\r\n\v\f");
  return start == std::string::npos || std::string_view(answer.body).substr(start).starts_with("<html>");
}

}  // namespace instantstart::aws
