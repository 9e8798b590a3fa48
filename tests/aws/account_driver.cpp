// Lets another program use the real client: libcurl, real files, real time, and only the given variables.
// One JSON object a line in, one a line out.
//
//   mode "credentials": variables, profile                    → credentials
//   mode "call":        variables, service, operation, params → output
//   mode "eks_token":   variables, cluster                    → token, url
#include <map>
#include <memory>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "aws/account.h"
#include "aws/credentials_chain.h"
#include "aws/protocols/api_json.h"
#include "aws/shapes/services.h"
#include "json_lines.h"
#include "net/http_client.h"

namespace instantstart::aws {
namespace {

/// Variables as given, files as they are.
class GivenVariables final : public Environment {
 public:
  explicit GivenVariables(const json::object& variables) {
    for (const auto& [name, value] : variables) variables_.emplace(name, value.as_string());
  }

  std::optional<std::string> variable(std::string_view name) const override {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::nullopt : std::optional(found->second);
  }
  Result<std::optional<std::string>> read_file(const std::string& path) const override {
    return system_.read_file(path);
  }

 private:
  SystemEnvironment system_;
  std::map<std::string, std::string, std::less<>> variables_;
};

class Driver {
 public:
  Result<json::object> answer(const json::object& line) {
    const GivenVariables environment(line.at("variables").as_object());
    return wait(answer_to(line, environment));
  }

 private:
  template <class T>
  Result<T> wait(Task<T> task) {
    std::optional<Result<T>> outcome;
    asio::co_spawn(loop_, std::move(task), [&outcome](const std::exception_ptr& error, Result<T> result) {
      if (error) std::rethrow_exception(error);
      outcome = std::move(result);
    });
    loop_.restart();
    while (!outcome && loop_.run_one() > 0) {
    }
    return std::move(outcome.value());
  }

  Task<json::object> answer_to(const json::object& line, const Environment& environment) {
    std::optional<std::string> profile;
    if (const auto name = text(line, "profile"); !name.empty()) profile = name;
    auto account =
        Account::open({.profile = profile, .region = std::nullopt, .user_agent = "instantstart/test"},
                      environment, *http_, time_, random_, Log());
    if (!account) co_return fail(account.error());
    const std::string mode = text(line, "mode");
    const auto deadline = net::Deadline::in(time_, std::chrono::seconds(20));
    if (mode == "credentials") {
      auto credentials = co_await (*account)->credentials().get(deadline);
      if (!credentials) co_return fail(credentials.error());
      co_return json::object{
          {"credentials", json::object{{"access_key", credentials->access_key_id},
                                       {"secret_key", credentials->secret_access_key.reveal()},
                                       {"token", credentials->session_token.reveal()},
                                       {"account_id", credentials->account_id},
                                       {"source", credentials->source}}}};
    }
    if (mode == "eks_token") {
      auto token = co_await (*account)->eks_token(text(line, "cluster"), deadline);
      if (!token) co_return fail(token.error());
      co_return json::object{{"token", token->token.reveal()}, {"url", eks_token_url(token->token.reveal())}};
    }
    co_return co_await call((*account)->client(), line, deadline);
  }

  Task<json::object> call(Client& client, const json::object& line, net::Deadline deadline) {
    const ServiceInfo* service = find_service(text(line, "service"));
    const OperationInfo* operation = service ? service->operation(text(line, "operation")) : nullptr;
    if (!operation) co_return fail("not_found", "no such operation");
    ShapeValue input(*operation->input);
    auto read = from_api_json(input.shape(), line.at("params"), input.get());
    if (!read) co_return fail(read.error());
    ShapeValue output(*operation->output);
    auto called =
        co_await client.call(*operation, input.get(), output.get(), CallOptions{.deadline = deadline});
    if (!called) co_return fail(called.error());
    co_return json::object{{"output", to_api_json(output.shape(), output.get())}};
  }

  asio::io_context loop_{1};
  net::SystemTimekeeper time_;
  SystemRandom random_;
  std::unique_ptr<net::HttpClient> http_ = net::make_curl_client(loop_.get_executor(), time_, Log());
};

}  // namespace
}  // namespace instantstart::aws

int main() {
  instantstart::aws::Driver driver;
  return instantstart::aws::run_lines([&driver](const auto& line) { return driver.answer(line); });
}
