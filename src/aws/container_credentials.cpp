#include "aws/container_credentials.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "aws/metadata_json.h"
#include "aws/url.h"
#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

constexpr std::string_view k_container_host = "http://169.254.170.2";
constexpr auto k_allowed_hosts =
    std::to_array<std::string_view>({"169.254.170.2", "169.254.170.23", "fd00:ec2::23", "localhost"});
constexpr milliseconds k_answer_timeout{2'000};
constexpr milliseconds k_pause{1'000};
constexpr int k_attempts = 3;
constexpr std::size_t k_largest_answer = 64 * 1024;

Result<std::optional<std::string>> authorization(const Environment& environment) {
  std::optional<std::string> token;
  if (const auto path = environment.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")) {
    auto text = environment.read_file(*path);
    if (!text) return fail(std::move(text.error()));
    if (!*text) {
      return fail(codes::credentials_invalid, fmt::format("There is no authorization token file {}", *path));
    }
    token = std::move(**text);
  } else {
    token = environment.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  }
  if (token && token->find_first_of("\r\n") != std::string::npos) {
    return fail(codes::credentials_invalid, "The container authorization token contains a line break");
  }
  return token;
}

}  // namespace

Result<> check_container_url(std::string_view url) {
  const auto parts = parse_url(url);
  if (!parts)
    return fail(codes::credentials_invalid, "The container credentials URI is not an http or https URL");
  if (parts->scheme == "https" || parts->loopback) return {};
  if (std::ranges::find(k_allowed_hosts, parts->host) != k_allowed_hosts.end()) return {};
  return fail(codes::credentials_invalid,
              fmt::format("Container credentials may come by http only from loopback, 169.254.170.2, "
                          "169.254.170.23 or fd00:ec2::23, not from {}",
                          parts->host));
}

Result<Credentials> parse_container_answer(std::string_view body) {
  auto credentials = parse_metadata_credentials(body);
  if (!credentials) return fail(within("Container credentials", std::move(credentials.error())));
  credentials->source = "container-role";
  return credentials;
}

Task<std::optional<Credentials>> ContainerCredentials::load(net::Deadline deadline) {
  const auto relative = context_.environment.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const auto full = context_.environment.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (!relative && !full) co_return std::nullopt;

  net::ClientRequest request{.url = relative ? std::string(k_container_host) + *relative : *full,
                             .max_response_bytes = k_largest_answer,
                             .connect_timeout = k_answer_timeout,
                             .use_proxy = false};
  if (auto allowed = check_container_url(request.url); !allowed) co_return fail(std::move(allowed.error()));
  auto token = authorization(context_.environment);
  if (!token) co_return fail(std::move(token.error()));
  request.headers.add("Accept", "application/json");
  if (*token) request.headers.add("Authorization", std::move(**token));

  auto credentials = co_await fetch(std::move(request), deadline);
  if (!credentials) co_return fail(std::move(credentials.error()));
  co_return std::move(*credentials);
}

Task<Credentials> ContainerCredentials::fetch(net::ClientRequest request, net::Deadline deadline) {
  for (int attempt = 1;; ++attempt) {
    const auto patience = net::Deadline::in(context_.time, k_answer_timeout).sooner(deadline);
    auto answer = co_await context_.http.send(request, patience);
    Result<Credentials> credentials = Credentials{};
    if (!answer) {
      credentials = fail(within("Container credentials", std::move(answer.error())));
    } else if (answer->status != 200) {
      credentials = fail(codes::credentials_invalid,
                         fmt::format("The container credentials endpoint answered {}", answer->status));
    } else {
      credentials = parse_container_answer(answer->body);
      // A whole answer without what belongs in it does not get better by asking again.
      if (credentials || credentials.error().code != codes::invalid_json) co_return credentials;
      credentials.error().code = codes::credentials_invalid;
    }
    if (attempt == k_attempts || deadline.passed(context_.time)) co_return credentials;
    co_await context_.time.sleep_until(std::min(deadline.at, context_.time.steady() + k_pause));
  }
}

}  // namespace instantstart::aws
