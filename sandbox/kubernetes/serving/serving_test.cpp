#include "sandbox/kubernetes/serving/serving.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/cluster/testing/cluster_fixture.h"
#include "sandbox/kubernetes/cluster/testing/memory_buckets.h"
#include "sandbox/kubernetes/cluster/workload.h"

namespace instantstart::sandbox::kubernetes {
namespace {

Task<std::string> read_stream(net::BodyStream& stream) {
  std::string all;
  while (true) {
    auto piece = co_await stream.next();
    if (!piece) co_return all;
    all += *piece;
  }
}

class ModelServers : public ClusterFixture {
 protected:
  void SetUp() override {
    ClusterFixture::SetUp();
    running->runtime.programs().add(&recognise_model_server);
    running->runtime.set_buckets(buckets);
    NodeSpec machine = node("n1", {{"nvidia.com/gpu", "8"}});
    machine.labels["node.kubernetes.io/instance-type"] = "ml.p5.48xlarge";
    join(machine);
  }
  void serve(std::string_view args, std::string_view rest = "", std::string_view gpus = "1",
             std::string_view spec_rest = "") {
    create(
        pod_text("p", "vllm/vllm-openai:v0.33.0",
                 fmt::format(R"("args":[{}],{}"readinessProbe":{{"httpGet":{{"path":"/health","port":8000}}}},
                                   "resources":{{"limits":{{"nvidia.com/gpu":"{}"}}}},)",
                             args, rest, gpus),
                 fmt::format(R"("restartPolicy":"Never",{})", spec_rest)));
  }
  std::string log() { return read_log(log_of("p")); }
  bool says(std::string_view part) { return log().find(part) != std::string::npos; }
  net::Response ask(std::string method, std::string target, std::string body = "",
                    std::string port = "8000") {
    return request({.name = "p", .port = std::move(port)},
                   {.method = std::move(method), .target = std::move(target), .body = std::move(body)});
  }
  std::string answer(std::string method, std::string target, std::string body = "") {
    return std::get<std::string>(ask(std::move(method), std::move(target), std::move(body)).body);
  }
  std::string exit_code() {
    return text(find_pod("p"), "status.containerStatuses.0.state.terminated.exitCode");
  }

  MemoryBuckets buckets;
};

constexpr auto k_question =
    R"({"model":"Qwen/Qwen3-8B","messages":[{"role":"user","content":"What is gradient descent?"}]})";

TEST_F(ModelServers, ListensWhenTheModelIsLoaded) {
  serve(R"("--model","Qwen/Qwen3-8B")");
  pass(seconds(150));  // The image comes first.
  EXPECT_TRUE(says("Starting to load model Qwen/Qwen3-8B..."));
  EXPECT_FALSE(is_ready_pod(*find_pod("p")));
  EXPECT_EQ(ask("GET", "/health").status, 503);
  pass(seconds(240));
  EXPECT_TRUE(is_ready_pod(*find_pod("p")));
  EXPECT_TRUE(says("GPU KV cache size: "));
  EXPECT_TRUE(says("INFO:     Application startup complete.\n"));
  EXPECT_EQ(ask("GET", "/health").status, 200);
  EXPECT_EQ(ask("GET", "/health", "", "8001").status, 503);
}

TEST_F(ModelServers, AnswersFollowFromTheQuestion) {
  serve(R"("--model","Qwen/Qwen3-8B")");
  pass(seconds(400));
  const auto first = parse_json(answer("POST", "/v1/chat/completions", k_question));
  ASSERT_TRUE(first);
  EXPECT_EQ(text(&first->as_object(), "choices.0.message.content"),
            "Here is a short answer about gradient and descent.");
  EXPECT_EQ(text(&first->as_object(), "choices.0.finish_reason"), "stop");
  EXPECT_EQ(text(&first->as_object(), "object"), "chat.completion");
  EXPECT_NE(text(&first->as_object(), "usage.completion_tokens"), "0");
  EXPECT_TRUE(says(R"(- "POST /v1/chat/completions HTTP/1.1" 200 OK)"));
  EXPECT_NE(answer("GET", "/metrics")
                .find("vllm:request_success_total{engine=\"0\",model_name=\"Qwen/"
                      "Qwen3-8B\",finished_reason=\"stop\"} 1"),
            std::string::npos);
}

TEST_F(ModelServers, StreamsEndWithDone) {
  serve(R"("--model","Qwen/Qwen3-8B")");
  pass(seconds(400));
  auto response = ask("POST", "/v1/chat/completions",
                      R"({"stream":true,"messages":[{"role":"user","content":"gradient descent"}]})");
  ASSERT_EQ(response.headers.get("Content-Type"), "text/event-stream; charset=utf-8");
  auto& stream = std::get<std::unique_ptr<net::BodyStream>>(response.body);
  const std::string all = process->run(read_stream(*stream)).value();
  EXPECT_TRUE(all.starts_with("data: {\"id\":\"chatcmpl-"));
  EXPECT_TRUE(all.ends_with("data: [DONE]\n\n"));
  EXPECT_NE(all.find("\"finish_reason\":\"stop\""), std::string::npos);
}

TEST_F(ModelServers, TheCommandLineNamesGuardsAndMovesIt) {
  serve(R"("--model=Qwen/Qwen3-8B","--served-model-name","small","other","--api-key","k1","--port","9000")");
  pass(seconds(400));
  EXPECT_FALSE(is_ready_pod(*find_pod("p")));  // Its probe asks another port.
  EXPECT_EQ(ask("GET", "/v1/models", "", "9000").status, 401);
  const auto listed =
      request({.name = "p", .port = "9000"},
              {.method = "GET", .target = "/v1/models", .headers = {{"Authorization", "Bearer k1"}}});
  EXPECT_NE(std::get<std::string>(listed.body).find("\"id\":\"small\",\"object\":\"model\""),
            std::string::npos);
  EXPECT_EQ(ask("GET", "/ping", "", "9000").status, 200);
}

TEST_F(ModelServers, RefusalsHaveTheApisShape) {
  serve(R"("--model","Qwen/Qwen3-8B","--max-model-len","2048")");
  pass(seconds(400));
  EXPECT_EQ(
      answer("POST", "/v1/chat/completions", R"({"model":"x","messages":[{"role":"user","content":"a"}]})"),
      R"({"error":{"message":"The model `x` does not exist.","type":"NotFoundError","param":null,"code":404}})");
  EXPECT_EQ(ask("POST", "/v1/chat/completions", "{").status, 400);
  EXPECT_EQ(ask("POST", "/v1/chat/completions", "{}").status, 400);
  EXPECT_NE(answer("POST", "/v1/completions", R"({"prompt":"a","max_tokens":5000})")
                .find("This model's maximum context length is 2048 tokens"),
            std::string::npos);
  EXPECT_EQ(answer("GET", "/none"), R"({"detail":"Not Found"})");
  EXPECT_EQ(ask("GET", "/v1/completions").status, 405);
}

TEST_F(ModelServers, ServesOnAfterARestartOfTheSandbox) {
  serve(R"("--model","Qwen/Qwen3-8B")");
  pass(seconds(400));
  end_cluster();
  start_cluster();
  running->runtime.programs().add(&recognise_model_server);
  EXPECT_EQ(ask("GET", "/health").status, 200);
}

struct BadStart {
  const char* args;
  const char* rest;
  const char* gpus;
  const char* message;
};

class FailingStarts : public ModelServers, public testing::WithParamInterface<BadStart> {};

TEST_P(FailingStarts, SayWhyAndEnd) {
  serve(GetParam().args, GetParam().rest, GetParam().gpus);
  pass(seconds(600));
  EXPECT_TRUE(says(GetParam().message)) << log();
  EXPECT_EQ(exit_code(), "1");
}

INSTANTIATE_TEST_SUITE_P(
    Starts, FailingStarts,
    testing::Values(
        BadStart{R"("Qwen/Qwen3-8B","-tp","4")", "", "2",
                 "World size (4) is larger than the number of available GPUs (2) in this node."},
        BadStart{R"("Qwen/Qwen2.5-7B-Instruct","--tensor-parallel-size=8")", "", "8",
                 "Total number of attention heads (28) must be divisible by tensor parallel size (8)."},
        BadStart{R"("Qwen/Qwen3-8B")", R"("env":[{"name":"VLLM_PORT","value":"tcp://172.20.0.9:8000"}],)",
                 "1", "ValueError: VLLM_PORT 'tcp://172.20.0.9:8000' appears to be a URI."},
        BadStart{R"("--model","/models/llama")", "", "1",
                 "OSError: Incorrect path_or_model_id: '/models/llama'."},
        BadStart{R"("meta-llama/Llama-3.1-8B-Instruct")", "", "1",
                 "OSError: You are trying to access a gated repo."},
        BadStart{R"("Qwen/Qwen2.5-72B-Instruct")", "", "1", "No available memory for the cache blocks."},
        BadStart{R"("x/Llama-3.3-70B","-tp","2","--max-model-len","131072")", "", "2",
                 "the estimated maximum model length is "},
        BadStart{R"("Qwen/Qwen3-8B")", "", "0", "Failed to infer device type"}));

TEST_F(ModelServers, AServiceOfItsNameBreaksItsStart) {
  create(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"vllm"},"spec":{"selector":{"app":"x"},
      "clusterIP":"172.20.0.77","ports":[{"port":8000}]}})");
  serve(R"("Qwen/Qwen3-8B")");
  pass(seconds(300));
  EXPECT_TRUE(says("VLLM_PORT 'tcp://172.20.0.77:8000' appears to be a URI.")) << log();
}

TEST_F(ModelServers, WithoutServiceLinksItStarts) {
  create(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"vllm"},"spec":{"selector":{"app":"x"},
      "ports":[{"port":8000}]}})");
  serve(R"("Qwen/Qwen3-8B")", "", "1", R"("enableServiceLinks":false,)");
  pass(seconds(400));
  EXPECT_TRUE(is_ready_pod(*find_pod("p")));
}

TEST_F(ModelServers, AModelIsReadFromAMountedBucket) {
  buckets.buckets["models"]["llama/config.json"] = "{}";
  create(
      R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"s3.csi.aws.com"},"spec":{}})");
  create(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{
      "accessModes":["ReadOnlyMany"],"capacity":{"storage":"1Gi"},"storageClassName":"",
      "csi":{"driver":"s3.csi.aws.com","volumeHandle":"h","volumeAttributes":{"bucketName":"models"}}}})");
  create(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{
      "accessModes":["ReadOnlyMany"],"storageClassName":"","volumeName":"v","resources":{"requests":{"storage":"1Gi"}}}})");
  serve(R"("--model","/models/llama","--served-model-name","llama")",
        R"("volumeMounts":[{"name":"m","mountPath":"/models"}],)", "1",
        R"("volumes":[{"name":"m","persistentVolumeClaim":{"claimName":"c"}}],)");
  pass(seconds(400));
  EXPECT_TRUE(is_ready_pod(*find_pod("p"))) << log();
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
