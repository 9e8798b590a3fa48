// A simulated IAM in virtual time.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/services/iam/iam.h"

namespace instantstart::sandbox::iam {

namespace api = aws::iam;

class IamFixture : public WorldFixture {
 protected:
  void SetUp() override { restart(); }
  void TearDown() override { service.reset(); }

  /// Ends the process and starts it again on what it had written.
  void restart(Limits limits = {}) {
    service.reset();
    start();
    service = std::make_unique<Iam>(process->world(), limits);
    ASSERT_TRUE(process->load());
  }

  template <class Op>
  Reply<typename Op::Output> ask(const typename Op::Input& input) {
    return process->ask<Op>(*service, input, Call{.region = "us-east-1", .request_id = "r"});
  }
  /// The answer, which must be one.
  template <class Op>
  typename Op::Output get(const typename Op::Input& input) {
    auto reply = ask<Op>(input);
    if (reply) return std::move(*reply);
    ADD_FAILURE() << reply.error().code << ": " << reply.error().message;
    return {};
  }
  /// The code of the refusal; "" when there is none.
  template <class Op>
  std::string code(const typename Op::Input& input) {
    const auto reply = ask<Op>(input);
    return reply ? "" : reply.error().code;
  }
  template <class Op>
  std::string message(const typename Op::Input& input) {
    const auto reply = ask<Op>(input);
    return reply ? "" : reply.error().message;
  }

  static std::string trust(const std::string& service_name = "sagemaker.amazonaws.com") {
    return R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":")" +
           service_name + R"("},"Action":"sts:AssumeRole"}]})";
  }
  static std::string allow(const std::string& action, const std::string& resource = "*") {
    return R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":")" + action +
           R"(","Resource":")" + resource + R"("}]})";
  }
  std::string make_role(const std::string& name, const std::string& path = "/") {
    return *get<api::CreateRole>({.path = path, .role_name = name, .assume_role_policy_document = trust()})
                .role->arn;
  }

  std::unique_ptr<Iam> service;
};

}  // namespace instantstart::sandbox::iam
