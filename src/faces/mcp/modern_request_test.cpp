#include "faces/mcp/modern_request.h"

#include <gtest/gtest.h>

namespace instantstart::faces {
namespace {

RpcMessage call(std::string version = "2026-07-28") {
  return {.kind = RpcKind::request,
          .id = 1,
          .method = "tools/call",
          .params = {{"name", "zone_list"},
                     {"_meta", {{k_version_key, version}, {k_capabilities_key, json::object()}}}}};
}

net::Headers headers() {
  return {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", "tools/call"}, {"mcp-name", " zone_list "}};
}

int fault_code(const net::Headers& sent, const RpcMessage& message) {
  const auto fault = modern_fault(sent, message);
  return fault ? fault->code : 0;
}

TEST(ModernPost, IsToldByTheEnvelopeOrByAVersionWithoutHandshake) {
  EXPECT_TRUE(is_modern_post({}, call()));
  RpcMessage bare{.method = "tools/list", .params = {}};
  EXPECT_FALSE(is_modern_post({}, bare));
  EXPECT_FALSE(is_modern_post({{"MCP-Protocol-Version", "2025-11-25"}}, bare));
  EXPECT_TRUE(is_modern_post({{"MCP-Protocol-Version", "2026-07-28"}}, bare));
  EXPECT_TRUE(is_modern_post({{"MCP-Protocol-Version", "2027-01-01"}}, bare));
}

TEST(ModernFault, ASoundRequestHasNone) { EXPECT_EQ(fault_code(headers(), call()), 0); }

TEST(ModernFault, AMissingOrIllTypedEnvelopeMemberIsInvalidParams) {
  for (const std::string_view key : {k_version_key, k_capabilities_key}) {
    RpcMessage without = call();
    without.params["_meta"].as_object().erase(key);
    EXPECT_EQ(fault_code(headers(), without), rpc::invalid_params) << key;
    RpcMessage wrong = call();
    wrong.params["_meta"].as_object()[key] = 7;
    EXPECT_EQ(fault_code(headers(), wrong), rpc::invalid_params) << key;
  }
  RpcMessage bare = call();
  bare.params.erase("_meta");
  EXPECT_EQ(fault_code(headers(), bare), rpc::invalid_params);
}

TEST(ModernFault, EveryMirroredHeaderMustBeThereOnceAndEqual) {
  for (const std::string_view name : {k_version_header, k_method_header, k_name_header}) {
    net::Headers missing = headers();
    missing.remove(name);
    EXPECT_EQ(fault_code(missing, call()), rpc::header_mismatch) << name;
    net::Headers other = headers();
    other.set(name, "2025-11-25");
    EXPECT_EQ(fault_code(other, call()), rpc::header_mismatch) << name;
    net::Headers twice = headers();
    twice.add(std::string(name), std::string(twice.get(name)));
    EXPECT_EQ(fault_code(twice, call()), rpc::header_mismatch) << name;
  }
}

TEST(ModernFault, ValuesOfHeadersAreCaseSensitive) {
  net::Headers sent = headers();
  sent.set("Mcp-Method", "Tools/Call");
  EXPECT_EQ(fault_code(sent, call()), rpc::header_mismatch);
}

TEST(ModernFault, AnUnknownVersionSaysWhichAreSpoken) {
  net::Headers sent = headers();
  sent.set("MCP-Protocol-Version", "2027-01-01");
  const auto fault = modern_fault(sent, call("2027-01-01"));
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->code, rpc::unsupported_version);
  EXPECT_EQ(to_text(fault->data), R"({"supported":["2026-07-28"],"requested":"2027-01-01"})");
}

TEST(ModernFault, MethodsWithoutANameNeedNoNameHeader) {
  RpcMessage list = call();
  list.method = "tools/list";
  net::Headers sent = headers();
  sent.set("Mcp-Method", "tools/list");
  sent.remove("Mcp-Name");
  EXPECT_EQ(fault_code(sent, list), 0);
}

TEST(DecodeMirrored, DecodesTheSentinelAndTakesEverythingElseLiterally) {
  EXPECT_EQ(decode_mirrored("=?base64?w6Q=?="), "ä");
  EXPECT_EQ(decode_mirrored("\t a b "), "a b");
  EXPECT_EQ(decode_mirrored("=?base64?w6Q="), "=?base64?w6Q=");
  EXPECT_EQ(decode_mirrored("=?BASE64?w6Q=?="), "=?BASE64?w6Q=?=");
  EXPECT_EQ(decode_mirrored("=?base64?w6Q?="), std::nullopt) << "without its padding";
  EXPECT_EQ(decode_mirrored("=?base64?!!!!?="), std::nullopt);
}

TEST(EncodeMirrored, WritesWhatAHeaderCanNotCarryAsBase64) {
  EXPECT_EQ(encode_mirrored("zone_list"), "zone_list");
  for (const std::string_view value : {"ä", " padded", "a\nb", "=?base64?eA==?=", ""}) {
    EXPECT_EQ(decode_mirrored(encode_mirrored(value)), value);
  }
}

}  // namespace
}  // namespace instantstart::faces
