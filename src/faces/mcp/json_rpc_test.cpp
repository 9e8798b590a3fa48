#include "faces/mcp/json_rpc.h"

#include <gtest/gtest.h>

namespace instantstart::faces {
namespace {

RpcMessage message_of(std::string_view text) {
  auto input = parse_rpc(text);
  EXPECT_TRUE(input && std::holds_alternative<RpcMessage>(*input)) << text;
  return input && std::holds_alternative<RpcMessage>(*input) ? std::get<RpcMessage>(*input) : RpcMessage{};
}

RpcFault fault_of(std::string_view text) {
  auto input = parse_rpc(text);
  EXPECT_FALSE(input) << text;
  return input ? RpcFault{} : input.error();
}

TEST(ParseRpc, ReadsARequestWithEitherKindOfId) {
  const auto by_number =
      message_of(R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"a"}})");
  EXPECT_EQ(by_number.kind, RpcKind::request);
  EXPECT_EQ(by_number.id, json::value(7));
  EXPECT_EQ(by_number.method, "tools/list");
  EXPECT_EQ(by_number.params, (json::object{{"cursor", "a"}}));
  EXPECT_EQ(message_of(R"({"jsonrpc":"2.0","id":"7","method":"ping"})").id, json::value("7"));
}

TEST(ParseRpc, AMessageWithoutIdIsANotification) {
  const auto message = message_of(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(message.kind, RpcKind::notification);
  EXPECT_TRUE(message.id.is_null());
}

TEST(ParseRpc, AMessageWithAResultOrAnErrorIsAResponse) {
  EXPECT_EQ(message_of(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind, RpcKind::response);
  EXPECT_EQ(message_of(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})").kind,
            RpcKind::response);
  EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})").error.code, rpc::invalid_request);
}

TEST(ParseRpc, WhatIsNoJsonIsAParseErrorWithoutId) {
  for (const std::string_view text : {"", "{", "nope", R"({"a":1,"a":2})", "{}{}"}) {
    const auto fault = fault_of(text);
    EXPECT_EQ(fault.error.code, rpc::parse_error) << text;
    EXPECT_TRUE(fault.id.is_null());
  }
}

TEST(ParseRpc, WhatIsNoMessageIsAnInvalidRequest) {
  for (const std::string_view text :
       {"7", "null", "[]", R"({"id":1,"method":"a"})", R"({"jsonrpc":"1.0","id":1,"method":"a"})",
        R"({"jsonrpc":"2.0","id":null,"method":"a"})", R"({"jsonrpc":"2.0","id":1.5,"method":"a"})",
        R"({"jsonrpc":"2.0","id":{},"method":"a"})", R"({"jsonrpc":"2.0","id":1})",
        R"({"jsonrpc":"2.0","id":1,"method":""})", R"({"jsonrpc":"2.0","id":1,"method":7})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":[1]})"}) {
    EXPECT_EQ(fault_of(text).error.code, rpc::invalid_request) << text;
  }
}

TEST(ParseRpc, AFaultKeepsTheIdThatCouldBeRead) {
  EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":"x","method":"a","params":7})").id, json::value("x"));
  EXPECT_EQ(fault_of(R"({"id":3,"method":"a"})").id, json::value(3));
}

TEST(ParseRpc, ItemsOfABatchAreJudgedOneByOne) {
  const auto input = parse_rpc(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},7])");
  ASSERT_TRUE(input.has_value());
  const auto& batch = std::get<std::vector<RpcItem>>(*input);
  ASSERT_EQ(batch.size(), 2u);
  EXPECT_TRUE(batch[0].has_value());
  EXPECT_EQ(batch[1].error().error.code, rpc::invalid_request);
}

TEST(ParseRpc, ABatchIsBounded) {
  std::string text = "[1";
  for (std::size_t i = 0; i < k_max_batch; ++i) text += ",1";
  EXPECT_EQ(fault_of(text + "]").error.code, rpc::invalid_request);
}

TEST(RpcError, HasNoIdMemberWhenThereIsNone) {
  const RpcError error{.code = rpc::parse_error, .message = "m", .data = nullptr};
  EXPECT_EQ(to_text(rpc_error(nullptr, error)), R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}})");
  EXPECT_EQ(to_text(rpc_error("a", error)),
            R"({"jsonrpc":"2.0","id":"a","error":{"code":-32700,"message":"m"}})");
}

}  // namespace
}  // namespace instantstart::faces
