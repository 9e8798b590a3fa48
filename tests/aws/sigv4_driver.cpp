// Lets another program use the signer: one JSON object a line in, one a line out.
//
//   mode "sign":      a request, keys, region, service, time_ms, unsigned → headers, canonical_request
//   mode "presign":   the same, expires                                   → query, canonical_request
//   mode "eks_token": cluster, endpoint, keys, region, time_ms            → token
//
// A request: method, host, path, query, headers [[name, value]], body_base64. Keys: access_key, secret_key,
// token.
#include "aws/eks_token.h"
#include "aws/sigv4.h"
#include "json_lines.h"

namespace instantstart::aws {
namespace {

Credentials credentials_of(const json::object& line) {
  return {.access_key_id = text(line, "access_key"),
          .secret_access_key = Secret(text(line, "secret_key")),
          .session_token = Secret(text(line, "token"))};
}

WallTime time_of(const json::object& line) { return WallTime(milliseconds(line.at("time_ms").as_int64())); }

json::object sign_line(const SigningRequest& request, const json::object& line, SigningKeys& keys) {
  SigningOptions options = signing_options(text(line, "service"));
  if (line.contains("unsigned") && line.at("unsigned").as_bool()) {
    options.payload = SigningOptions::Payload::unsigned_payload;
  }
  if (text(line, "mode") == "presign") {
    const auto presigned =
        presign(request, credentials_of(line), text(line, "region"), text(line, "service"), time_of(line),
                std::chrono::seconds(line.at("expires").as_int64()), options);
    return {{"query", presigned.query}, {"canonical_request", presigned.canonical_request}};
  }
  const auto signature = sign_request(request, credentials_of(line), text(line, "region"),
                                      text(line, "service"), time_of(line), options, &keys);
  json::array headers;
  for (const auto& [name, value] : signature.headers) headers.push_back(json::array{name, value});
  return {{"headers", headers}, {"canonical_request", signature.canonical_request}};
}

Result<json::object> answer(const json::object& line, SigningKeys& keys) {
  if (text(line, "mode") == "eks_token") {
    const auto token = make_eks_token({.cluster_id = text(line, "cluster"),
                                       .region = text(line, "region"),
                                       .sts_endpoint = text(line, "endpoint")},
                                      credentials_of(line), time_of(line));
    return json::object{{"token", token.token.reveal()}};
  }
  const std::string method = text(line, "method");
  const std::string host = text(line, "host");
  const std::string path = text(line, "path");
  const std::string query = text(line, "query");
  const std::string body = from_base64(text(line, "body_base64")).value_or("");
  net::Headers headers;
  for (const auto& field : line.at("headers").as_array()) {
    headers.add(std::string(field.at(0).as_string()), std::string(field.at(1).as_string()));
  }
  return sign_line(
      {.method = method, .host = host, .path = path, .query = query, .headers = headers, .body = body}, line,
      keys);
}

}  // namespace
}  // namespace instantstart::aws

int main() {
  instantstart::aws::SigningKeys keys;
  return instantstart::aws::run_lines(
      [&keys](const auto& line) { return instantstart::aws::answer(line, keys); });
}
