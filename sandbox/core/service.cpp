#include "sandbox/core/service.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "aws/protocols/protocol.h"
#include "aws/protocols/validate.h"
#include "base/text.h"

namespace instantstart::sandbox {
namespace {

AwsFault not_simulated(const aws::ServiceInfo& service, const aws::OperationInfo& operation) {
  return {.code = std::string(aws::codec_of(service.protocol).unknown_operation),
          .message = fmt::format("The sandbox does not simulate {}'s {}.", service.id, operation.name)};
}

/// "/Filters/0/Name" as "Filters.0.Name". How AWS itself spells list items differs by service.
std::string dotted(std::string_view pointer) {
  std::string text(pointer.substr(std::min<std::size_t>(1, pointer.size())));
  std::ranges::replace(text, '/', '.');
  return text;
}

std::string constraint(const FieldProblem& problem) {
  if (problem.rule == "required") {
    return fmt::format("Value null at '{}' failed to satisfy constraint: Member must not be null",
                       dotted(problem.pointer));
  }
  return fmt::format("Value {} at '{}' failed to satisfy constraint: Member {}",
                     problem.value.empty() ? "" : fmt::format("'{}'", problem.value), dotted(problem.pointer),
                     problem.message);
}

/// The sentence of AWS's common validator.
std::string validation_sentence(const std::vector<FieldProblem>& problems) {
  std::vector<std::string> constraints;
  constraints.reserve(problems.size());
  for (const auto& problem : problems) constraints.push_back(constraint(problem));
  return fmt::format("{} validation error{} detected: {}", problems.size(), problems.size() == 1 ? "" : "s",
                     join(constraints, "; "));
}

AwsFault ec2_refusal(const FieldProblem& problem) {
  const std::string name = dotted(problem.pointer);
  if (problem.rule == "required") {
    return {.code = "MissingParameter",
            .message = fmt::format("The request must contain the parameter {}", name)};
  }
  return {.code = "InvalidParameterValue",
          .message = fmt::format("Value ({}) for parameter {} is invalid. It {}.", problem.value, name,
                                 problem.message)};
}

}  // namespace

void Service::add(const aws::OperationInfo& operation, Handler handler) {
  if (operation.service != &info_) {
    throw std::logic_error(fmt::format("{} is no operation of {}", operation.name, info_.name));
  }
  if (!handlers_.emplace(operation.name, std::move(handler)).second) {
    throw std::logic_error(fmt::format("{} has two handlers", operation.name));
  }
}

Reply<const Service::Handler*> Service::admit(const aws::OperationInfo& operation, const void* input) const {
  const auto handler = handlers_.find(operation.name);
  if (handler == handlers_.end()) return std::unexpected(not_simulated(info_, operation));
  const auto problems = aws::validate(*operation.input, input, aws::Strictness::service);
  if (!problems.empty()) return std::unexpected(refuse_input(problems));
  return &handler->second;
}

asio::awaitable<Reply<aws::ShapeValue>> Service::answer(const aws::OperationInfo& operation, Call call,
                                                        const void* input) {
  const auto handler = admit(operation, input);
  if (!handler) co_return std::unexpected(handler.error());
  if ((*handler)->now) co_return (*handler)->now(call, input);
  co_return co_await (*handler)->reading(std::move(call), input);
}

Reply<aws::ShapeValue> Service::answer_now(const aws::OperationInfo& operation, const Call& call,
                                           const void* input) {
  const auto handler = admit(operation, input);
  if (!handler) return std::unexpected(handler.error());
  if (!(*handler)->now) throw std::logic_error(fmt::format("{} waits for the store", operation.name));
  return (*handler)->now(call, input);
}

std::optional<int> Service::http_status(const aws::OperationInfo&, const void*) const { return std::nullopt; }

AwsFault Service::refuse_input(const std::vector<FieldProblem>& problems) const {
  switch (info_.protocol) {
    case aws::Protocol::ec2: return ec2_refusal(problems.front());
    case aws::Protocol::query: return {.code = "ValidationError", .message = validation_sentence(problems)};
    case aws::Protocol::rest_xml:
      return {.code = "InvalidArgument", .message = validation_sentence(problems)};
    case aws::Protocol::json:
    case aws::Protocol::rest_json: break;
  }
  return {.code = "ValidationException", .message = validation_sentence(problems)};
}

}  // namespace instantstart::sandbox
