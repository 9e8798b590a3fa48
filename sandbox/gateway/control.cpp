#include "sandbox/gateway/control.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::sandbox {
namespace {

constexpr std::int64_t k_default_page = 100;
constexpr std::int64_t k_largest_page = 1000;

/// The name part of a Host field, without a port.
std::string_view host_name(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

Result<> admit(const net::Request& request) {
  const auto name = host_name(request.headers.get("Host"));
  if (!request.peer.loopback) return fail(codes::forbidden, "The control API answers this machine only.");
  if (name != "127.0.0.1" && name != "localhost" && name != "[::1]") {
    return fail(codes::bad_host, "The control API answers to loopback names only.");
  }
  if (request.headers.contains("Origin")) {
    return fail(codes::bad_origin, "The control API does not answer browsers.");
  }
  return {};
}

net::Response json_answer(int status, const json::value& body) {
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = to_text(body)};
}

net::Response error_answer(const Error& error) {
  json::array problems;
  for (const auto& problem : error.problems) {
    problems.push_back(
        json::object{{"pointer", problem.pointer}, {"rule", problem.rule}, {"message", problem.message}});
  }
  return json_answer(
      error_code_info(error.code).http_status,
      json::object{{"code", error.code}, {"message", error.message}, {"problems", std::move(problems)}});
}

Result<ControlRequest> read_request(const net::Request& request) {
  ControlRequest read;
  auto query = net::parse_query(request.query());
  if (!query) return fail(codes::bad_request, "The query string can't be read.");
  read.query.insert(query->begin(), query->end());
  if (request.body.empty()) return read;
  if (!request.headers.get("Content-Type").starts_with("application/json")) {
    return fail(codes::unsupported_media_type, "The body has to be application/json.");
  }
  auto body = parse_json(request.body);
  if (!body) return std::unexpected(std::move(body.error()));
  read.body = std::move(*body);
  return read;
}

Result<std::int64_t> whole_number(const ControlRequest& request, const std::string& name,
                                  std::int64_t otherwise) {
  const auto found = request.query.find(name);
  if (found == request.query.end()) return otherwise;
  std::int64_t number = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [stop, failure] = std::from_chars(found->second.data(), end, number);
  if (failure != std::errc() || stop != end || number < 0) {
    return fail(codes::invalid_request, fmt::format("{} has to be a whole number.", name));
  }
  return number;
}

struct FaultList {
  std::vector<FaultRule> rules;
};
Type describe(FaultList*) {
  return object_type<FaultList>("FaultList", "The fault plan.",
                                {field<&FaultList::rules>("rules", "Asked in order.")});
}

}  // namespace

ControlApi::ControlApi(World& world, FaultPlan& faults, AccessKeys& keys)
    : world_(world), faults_(faults), keys_(keys) {
  mount("GET", "health", [this](ControlRequest) -> Task<json::value> {
    co_return json::object{{"status", "ok"},
                           {"account", world_.account()},
                           {"scale", world_.scale()},
                           {"time", to_rfc3339(world_.now())}};
  });
  mount("GET", "audit", [this](ControlRequest request) { return audit(std::move(request)); });
  mount("GET", "faults",
        [this](ControlRequest) -> Task<json::value> { co_return encode(FaultList{faults_.rules()}); });
  mount("PUT", "faults", [this](ControlRequest request) { return replace_faults(std::move(request)); });
  mount("POST", "reset", [this](ControlRequest) -> Task<json::value> {
    auto done = co_await world_.reset();
    if (!done) co_return std::unexpected(std::move(done.error()));
    co_return json::object{};
  });
  mount("POST", "expire-sessions", [this](ControlRequest) -> Task<json::value> {
    keys_.expire_sessions();
    auto done = co_await world_.commit();
    if (!done) co_return std::unexpected(std::move(done.error()));
    co_return json::object{};
  });
}

void ControlApi::mount(std::string method, std::string name, ControlHandler handler) {
  handlers_[{std::move(name), std::move(method)}] = std::move(handler);
}

asio::awaitable<net::Response> ControlApi::handle(net::Request request) {
  if (auto admitted = admit(request); !admitted) co_return error_answer(admitted.error());
  auto answer = co_await call(request);
  if (!answer) co_return error_answer(answer.error());
  co_return json_answer(200, *answer);
}

Task<json::value> ControlApi::call(const net::Request& request) {
  const std::string name(request.path().substr(k_control_prefix.size()));
  const auto handler = handlers_.find({name, request.method});
  if (handler == handlers_.end()) {
    const bool known =
        std::ranges::any_of(handlers_, [&](const auto& row) { return row.first.first == name; });
    if (known)
      co_return fail(codes::method_not_allowed, fmt::format("{} does not take {}.", name, request.method));
    co_return fail(codes::not_found, fmt::format("There is no control call '{}'.", shortened(name, 60)));
  }
  auto read = read_request(request);
  if (!read) co_return std::unexpected(std::move(read.error()));
  co_return co_await handler->second(std::move(*read));
}

Task<json::value> ControlApi::audit(ControlRequest request) {
  const auto after = whole_number(request, "after", 0);
  if (!after) co_return std::unexpected(after.error());
  const auto limit = whole_number(request, "limit", k_default_page);
  if (!limit) co_return std::unexpected(limit.error());
  const auto page = std::clamp<std::int64_t>(*limit, 1, k_largest_page);
  auto entries = co_await world_.audit_after(*after, static_cast<std::int32_t>(page));
  if (!entries) co_return std::unexpected(std::move(entries.error()));
  json::array rows;
  for (const auto& entry : *entries) rows.push_back(encode(entry));
  const std::int64_t last = entries->empty() ? *after : entries->back().sequence;
  co_return json::object{{"entries", std::move(rows)}, {"last", last}};
}

Task<json::value> ControlApi::replace_faults(ControlRequest request) {
  auto list = decode<FaultList>(request.body);
  if (!list) co_return std::unexpected(std::move(list.error()));
  faults_.replace(list->rules);
  auto done = co_await world_.commit();
  if (!done) co_return std::unexpected(std::move(done.error()));
  co_return encode(FaultList{faults_.rules()});
}

}  // namespace instantstart::sandbox
