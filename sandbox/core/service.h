// A simulated AWS service: a table of operations with typed handlers. Handlers are plain functions over the
// world; they run to their end on the loop, so no two of them interleave.
//
//   class VpcService : public Service {
//    public:
//     explicit VpcService(World& world) : Service(aws::ec2::service()), vpcs_(world, "ec2.vpc") {
//       on<aws::ec2::DeleteVpc>([this](const Call& call, const aws::ec2::DeleteVpcRequest& in) ->
//       Reply<aws::Empty> {
//         if (!vpcs_.erase(regional_id(call.region, *in.vpc_id)))
//           return fault("InvalidVpcID.NotFound", fmt::format("The vpc ID '{}' does not exist", *in.vpc_id));
//         return {};
//       });
//     }
//     …
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

#include "aws/shapes/shape.h"
#include "base/error.h"
#include "base/json.h"

namespace instantstart::sandbox {

namespace asio = boost::asio;

/// An error as the service would answer it. Fields are members of the modelled error shape, in API names.
struct AwsFault {
  std::string code;     ///< "InvalidSubnet.Conflict"
  std::string message;  ///< In AWS's words, as far as they are known.
  int http_status = 0;  ///< 0: what the model says, else 400.
  json::object fields = {};
};

template <class T>
using Reply = std::expected<T, AwsFault>;

inline std::unexpected<AwsFault> fault(std::string code, std::string message, int http_status = 0,
                                       json::object fields = {}) {
  return std::unexpected(AwsFault{std::move(code), std::move(message), http_status, std::move(fields)});
}

/// What the fault plan wants to become of what a call makes: a stack that rolls back, a cluster that fails.
struct PlannedFailure {
  std::string code;     ///< "InsufficientInstanceCapacity"
  std::string message;  ///< The reason that the resource shows.
};

/// The request around the input.
struct Call {
  std::string region;
  std::string principal_arn;  ///< Empty for an unsigned call.
  std::string principal_id;   ///< "AIDA…", or "AROA…:session"
  std::string access_key_id;
  std::string request_id;
  std::string endpoint;  ///< "http://127.0.0.1:4566": what URLs in answers begin with.
  std::optional<PlannedFailure> fails_later;
  std::string invoked_by = {};  ///< "cloudformation.amazonaws.com": the service that calls for the principal.
};

class Service {
 public:
  explicit Service(const aws::ServiceInfo& info) : info_(info) {}
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  const aws::ServiceInfo& info() const { return info_; }
  /// Whether there is a handler: the model names more operations than are simulated.
  bool serves(std::string_view operation) const { return handlers_.contains(operation); }

  /// The status of an answer, where it is not the one that the model says. `output` is of the output shape.
  virtual std::optional<int> http_status(const aws::OperationInfo& operation, const void* output) const;

  /// Validates the input, which is of the operation's input shape, and answers. An operation without a
  /// handler is answered as AWS answers one that doesn't exist.
  asio::awaitable<Reply<aws::ShapeValue>> answer(const aws::OperationInfo& operation, Call call,
                                                 const void* input);
  /// The same for operations whose handler does not wait: how services call each other (internal_calls.h).
  Reply<aws::ShapeValue> answer_now(const aws::OperationInfo& operation, const Call& call, const void* input);

 protected:
  /// `on<ec2::CreateVpc>([this](const Call&, const ec2::CreateVpcRequest&) -> Reply<ec2::CreateVpcResult> { …
  /// });`
  template <class Op, class Handler>
  void on(Handler handler) {
    add(Op::info(), {.now = [handler = std::move(handler)](const Call& call, const void* input) {
          return wrap<Op>(handler(call, *static_cast<const typename Op::Input*>(input)));
        }});
  }

  /// For handlers that read the store and so have to wait; they must not change the world. The handler is a
  /// coroutine function of (Call, const Input&) that returns asio::awaitable<Reply<Output>>; the input lives
  /// until it ends.
  template <class Op, class Handler>
  void on_reading(Handler handler) {
    add(Op::info(), {.reading = [handler = std::move(handler)](Call call, const void* input) -> Answer {
          auto reply = co_await handler(std::move(call), *static_cast<const typename Op::Input*>(input));
          co_return wrap<Op>(std::move(reply));
        }});
  }

  /// How the service refuses an input that breaks its model; at least one problem. By protocol, unless the
  /// service has words of its own.
  virtual AwsFault refuse_input(const std::vector<FieldProblem>& problems) const;

 private:
  using Answer = asio::awaitable<Reply<aws::ShapeValue>>;
  /// One of the two.
  struct Handler {
    std::function<Reply<aws::ShapeValue>(const Call&, const void* input)> now;
    std::function<Answer(Call, const void* input)> reading;
  };

  template <class Op>
  static Reply<aws::ShapeValue> wrap(Reply<typename Op::Output> reply) {
    if (!reply) return std::unexpected(std::move(reply.error()));
    aws::ShapeValue output(*Op::info().output);
    *static_cast<typename Op::Output*>(output.get()) = std::move(*reply);
    return output;
  }
  /// Throws when the operation is another service's or has a handler already.
  void add(const aws::OperationInfo& operation, Handler handler);
  /// Finds the handler and holds the input to the model.
  Reply<const Handler*> admit(const aws::OperationInfo& operation, const void* input) const;

  const aws::ServiceInfo& info_;
  std::map<std::string, Handler, std::less<>> handlers_;
};

}  // namespace instantstart::sandbox
