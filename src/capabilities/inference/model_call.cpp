#include "capabilities/inference/model_call.h"

#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/inference/chat.h"
#include "kube/json_access.h"
#include "kube/service_proxy.h"
#include "kube/streams.h"

namespace instantstart::capabilities {
namespace {

const kube::ResourceType k_services{.gvk = {"", "v1", "Service"}, .plural = "services"};

kube::ServiceCall service_call(const ModelCall& call, std::string_view served_name) {
  return {
      .service = {call.space.value, call.deployment.value},
      .port = std::to_string(k_model_port),
      .path = std::string(k_chat_path),
      .headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream, application/json"}},
      .body = chat_request(call, served_name)};
}

NextAction look_at(const ClusterTarget& cluster, const ModelCall& call) {
  return {"deployment_get",
          {{"cluster", domain::to_text(key_of(cluster))},
           {"name", call.deployment.value},
           {"namespace", call.space.value}},
          "See its pods, and why they don't answer."};
}

/// The API server's own words for "no pod answers" name no deployment.
Error not_answered(Error error, const ClusterTarget& cluster, const ModelCall& call) {
  if (error.code == codes::unavailable) {
    error = within(fmt::format("No replica of {}/{} answers", call.space.value, call.deployment.value),
                   std::move(error));
    error.retryable = true;
    error.next.push_back(look_at(cluster, call));
  }
  return error;
}

Task<ModelCallAnswer> ask(std::shared_ptr<kube::EksCluster> api, ClusterTarget cluster, ModelCall call,
                          std::string served_name, net::Deadline deadline) {
  net::Timekeeper& time = api->connection().time();
  const auto begun = time.steady();
  auto answered = co_await kube::call_service(api->connection(), service_call(call, served_name), deadline);
  if (!answered) co_return fail(not_answered(std::move(answered.error()), cluster, call));
  auto body = co_await kube::read_body(time, std::move(answered->body), k_max_chat_bytes + 1, deadline);
  if (!body) co_return fail(within("Read the model's answer", body.error()));
  if (answered->status / 100 != 2) {
    Error refusal = chat_refusal(answered->status, *body);
    if (answered->status / 100 == 5) refusal.next.push_back(look_at(cluster, call));
    co_return fail(std::move(refusal));
  }
  if (body->size() > k_max_chat_bytes) {
    co_return fail(codes::upstream_error,
                   "The model's answer is larger than 1 MB: ask for fewer max_tokens.");
  }
  auto reply = read_chat_reply(*body);
  if (!reply) co_return fail(reply.error());
  co_return ModelCallAnswer{.cluster = domain::to_text(key_of(cluster)),
                            .deployment = call.deployment.value,
                            .model = std::move(reply->model),
                            .text = std::move(reply->text),
                            .finish_reason = std::move(reply->finish_reason),
                            .usage = reply->usage,
                            .latency_ms = (time.steady() - begun).count()};
}

}  // namespace

Error no_such_deployment(const std::vector<DeploymentView>& there, const std::string& space,
                         const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto& view : there) {
    if (view.space == space) names.push_back(view.name);
  }
  std::string message = fmt::format("There is no deployment {}/{}.", space, name);
  if (const auto near = nearest(name, names)) message += fmt::format(" Did you mean {}?", *near);
  return {.code = std::string(codes::not_found), .message = std::move(message)};
}

Task<ModelCallAnswer> call_model(DeploymentReader reader, ClusterTarget cluster, ModelCall call,
                                 net::Deadline deadline) {
  auto opened = co_await reader.kubernetes(cluster, deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  const kube::ObjectName id{call.space.value, call.deployment.value};
  auto service = co_await api->client().get(k_services, id, deadline);
  if (!service && service.error().code != codes::not_found) {
    co_return fail(within("Look at the Service", service.error()));
  }
  const bool is_ours = service && maker_of(*service) &&
                       kube::ObjectView(*service).label(k_component_label) == k_inference_component;
  if (!is_ours) {
    auto there = co_await reader.list(cluster, call.space.value, deadline);
    if (!there) co_return fail(there.error());
    co_return fail(no_such_deployment(*there, call.space.value, call.deployment.value));
  }
  std::string served_name(kube::ObjectView(*service).annotation(k_served_name_annotation).value_or(""));
  co_return co_await ask(api, std::move(cluster), std::move(call), std::move(served_name), deadline);
}

}  // namespace instantstart::capabilities
