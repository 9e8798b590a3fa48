#include "capabilities/inference/chat.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "base/json.h"

namespace instantstart::capabilities {
namespace {

TEST(ChatRequest, CarriesThePromptOrTheChat) {
  ModelCall call{.prompt = "Hello \"you\"", .max_tokens = 5, .temperature = 0.5};
  const auto body = parse_json(chat_request(call, "m"))->as_object();
  EXPECT_EQ(body.at("model"), "m");
  EXPECT_EQ(body.at("messages"), (json::array{json::object{{"role", "user"}, {"content", "Hello \"you\""}}}));
  EXPECT_EQ(body.at("max_tokens"), 5);
  EXPECT_EQ(body.at("temperature"), 0.5);
  ModelCall chat{.messages = {{ChatRole::system, "Be brief."}, {ChatRole::user, "Hi"}}};
  const auto second = parse_json(chat_request(chat, "m"))->as_object();
  EXPECT_EQ(second.at("messages").as_array().size(), 2U);
  EXPECT_EQ(second.at("messages").as_array().at(0).at("role"), "system");
  EXPECT_FALSE(second.contains("max_tokens") || second.contains("temperature"));
}

TEST(ChatReply, AWholeAnswerIsRead) {
  const auto reply = read_chat_reply(R"({"model":"m","choices":[{"index":0,"message":{"role":"assistant",
      "content":"a\u001b[31mb\nc"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,
      "total_tokens":5}})");
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "ab\nc") << "what steers a terminal is gone";
  EXPECT_EQ(reply->model, "m");
  EXPECT_EQ(reply->finish_reason, "stop");
  EXPECT_EQ(reply->usage->total_tokens, 5);
}

constexpr const char* k_stream =
    "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\r\n\r\n"
    ": a comment\n\n"
    "data: "
    "{\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"Hel\"},\"finish_reason\":null}],\"usage\":null}"
    "\n\n"
    "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"length\"}]}\n\n"
    "data: {\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2,"
    "\"total_tokens\":3}}\n\n"
    "data: [DONE]\n\n";

TEST(ChatReply, AStreamIsPutTogether) {
  const auto reply = read_chat_reply(k_stream);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "Hello");
  EXPECT_EQ(reply->finish_reason, "length");
  EXPECT_EQ(reply->usage->completion_tokens, 2);
}

TEST(ChatReply, WhatBrokeOffIsNoAnswer) {
  const std::string_view stream(k_stream);
  for (const auto& body :
       {std::string(stream.substr(0, stream.find("lo\""))),
        std::string(stream.substr(
            0, stream.find("data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"lo"))),
        std::string("<html>"), std::string(), std::string("{}"), std::string("[]"),
        std::string("{\"choices\":[{\"message\":{\"content\":\"a\"}}]}")}) {
    const auto reply = read_chat_reply(body);
    ASSERT_FALSE(reply) << body;
    EXPECT_EQ(reply.error().code, codes::upstream_error) << body;
  }
  const auto failed = read_chat_reply("data: {\"error\":{\"message\":\"engine died\"}}\n\n");
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().message.contains("engine died"));
}

TEST(ChatRefusal, TellsTheCallersFaultFromTheServers) {
  const auto too_long = chat_refusal(400, R"({"error":{"message":"too long","type":"BadRequestError"}})");
  EXPECT_EQ(too_long.code, codes::invalid_request);
  EXPECT_TRUE(too_long.message.contains("too long"));
  EXPECT_EQ(chat_refusal(404, R"({"object":"error","message":"no model x"})").code, codes::invalid_request);
  EXPECT_EQ(chat_refusal(401, R"({"error":"Unauthorized"})").code, codes::access_denied);
  EXPECT_TRUE(chat_refusal(429, "").retryable);
  const auto broken = chat_refusal(500, "Internal Server Error");
  EXPECT_EQ(broken.code, codes::upstream_error);
  EXPECT_TRUE(broken.message.contains("Internal Server Error"));
}

}  // namespace
}  // namespace instantstart::capabilities
