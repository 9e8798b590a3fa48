#include "faces/cli/api_call.h"

#include "base/digest.h"
#include "base/error_codes.h"
#include "base/json.h"
#include "base/text.h"
#include "net/query.h"

namespace instantstart::faces {
namespace {

/// What an answer may take.
constexpr std::size_t k_answer_bytes = 64 * 1024 * 1024;

std::string query_text(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : to_text(value);
}

}  // namespace

net::ClientRequest to_request(const CliConnection& connection, const contract::Action& action,
                              json::object arguments) {
  std::string path;
  for (const std::string_view segment : split(std::string_view(action.spec.path).substr(1), '/')) {
    path += '/';
    if (!segment.starts_with('{')) {
      path += segment;
      continue;
    }
    const std::string_view member = segment.substr(1, segment.size() - 2);
    const auto* value = arguments.if_contains(member);
    if (!value && member == "cluster" && contract::takes_selected_cluster(action)) {
      path += contract::k_selected_cluster;
      continue;
    }
    // What is missing is still asked for: the server says so, in the words that every face gets.
    path += percent_encode(value ? query_text(*value) : std::string(segment));
    arguments.erase(member);
  }
  net::ClientRequest request{
      .method = std::string(action.method()),
      .url = connection.url + "/api/v1" + path,
      .headers = {{"Authorization", "Bearer " + connection.token}, {"Accept", "application/json"}}};
  if (action.has_body()) {
    request.headers.add("Content-Type", "application/json");
    request.body = to_text(arguments);
    return request;
  }
  std::vector<std::pair<std::string, std::string>> query;
  for (const auto& member : arguments) {
    const std::string name(member.key());
    if (member.value().is_array()) {
      for (const auto& item : member.value().get_array()) query.emplace_back(name, query_text(item));
    } else {
      query.emplace_back(name, query_text(member.value()));
    }
  }
  if (!query.empty()) request.url += "?" + net::to_query(query);
  return request;
}

Task<ApiAnswer> call_api(net::HttpClient& client, net::Timekeeper& time, CliConnection connection,
                         const contract::Action& action, json::object arguments) {
  auto response = co_await client.send(to_request(connection, action, std::move(arguments)),
                                       net::Deadline::in(time, k_api_call_time));
  if (!response) co_return std::unexpected(response.error());
  auto body = parse_json(response->body, {.max_bytes = k_answer_bytes});
  if (!body) co_return fail(codes::upstream_error, "The server's answer is not JSON.");
  co_return ApiAnswer{response->status, std::move(*body)};
}

}  // namespace instantstart::faces
