#include "sandbox/kubernetes/serving/server_arguments.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/serving/completions.h"
#include "sandbox/kubernetes/serving/model_facts.h"

namespace instantstart::sandbox::kubernetes {
namespace {

std::string model_of(std::vector<std::string> argv, std::string image = "registry/any:1") {
  const auto found = server_arguments({.image = std::move(image), .argv = std::move(argv)});
  return found ? found->model : "(none)";
}

TEST(ServerArguments, ServersAreKnownByCommandOrImage) {
  const std::string image = "vllm/vllm-openai:v0.33.0";
  EXPECT_EQ(model_of({"vllm", "serve", "a/b", "--port", "1"}), "a/b");
  EXPECT_EQ(model_of({"/usr/bin/python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "a/b"}),
            "a/b");
  EXPECT_EQ(model_of({"--model", "a/b"}, image), "a/b");
  EXPECT_EQ(model_of({"a/b", "-tp", "2"}, image), "a/b");
  EXPECT_EQ(model_of({}, image), "Qwen/Qwen3-0.6B");
  EXPECT_EQ(model_of({"sleep", "10"}, image), "(none)");
  EXPECT_EQ(model_of({"/bin/sh", "-c", "echo"}, image), "(none)");
  EXPECT_EQ(model_of({"vllm", "bench"}), "(none)");
  EXPECT_EQ(model_of({"--model", "a/b"}), "(none)");
}

TEST(ServerArguments, NumbersMayHaveUnits) {
  const auto found = server_arguments({.argv = {"vllm", "serve", "m", "--max-model-len", "32K", "-tp=4",
                                                "--gpu_memory_utilization", "0.5", "--headless"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->max_model_len, 32768);
  EXPECT_EQ(found->tensor_parallel, 4);
  EXPECT_EQ(found->memory_utilization, 0.5);
  EXPECT_TRUE(found->headless);
}

TEST(ServerArguments, AKeyIsNotShown) {
  const auto found = server_arguments({.argv = {"vllm", "serve", "m", "--api-key", "secret"}});
  EXPECT_EQ(found->given.find("secret"), std::string::npos);
  EXPECT_EQ(found->api_key, "secret");
}

TEST(ModelFacts, SizesComeFromTheTableOrTheName) {
  EXPECT_EQ(model_facts("meta-llama/Llama-3.1-8B-Instruct").heads, 32);
  EXPECT_EQ(model_facts("/models/Meta-Llama-3.1-70B/").layers, 80);
  EXPECT_EQ(model_facts("me/some-13b-chat").billions, 13);
  EXPECT_EQ(model_facts("me/some-13b-chat").heads, 0);
  EXPECT_EQ(model_facts("me/some-7b-AWQ").bytes_each, 0.56);
  EXPECT_EQ(model_facts("Llama-3.1-70B").kv_bytes(8, 1), 40960);
}

TEST(Completions, TokensTogetherAreTheText) {
  for (const std::string text :
       {"Hello, world!", "  two  spaces\n", "unbelievably long", "größe ümlaut", ""}) {
    std::string joined;
    for (const auto& token : tokens_of(text)) joined += token;
    EXPECT_EQ(joined, text);
  }
  EXPECT_EQ(tokens_of("Hello, world!").size(), 4U);
}

TEST(Completions, ALimitCutsTheAnswer) {
  const auto made = complete(CompletionKind::text, R"({"prompt":"gradient descent","max_tokens":3})",
                             {.names = {"m"}, .max_len = 100});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->pieces.size(), 3U);
  EXPECT_EQ(made->finish_reason, "length");
  const auto whole = whole_answer(*made, "0", 1);
  EXPECT_EQ(whole.at("usage").at("completion_tokens"), 3);
  EXPECT_EQ(whole.at("choices").at(0).at("text"), "Here is a");
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
