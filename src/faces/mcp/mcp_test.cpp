// The MCP face behind the front door, over a back end in virtual time, without sockets.
#include "faces/mcp/mcp.h"

#include <set>

#include "access/testing/house.h"
#include "base/decode.h"
#include "faces/http/front_door.h"
#include "faces/mcp/modern_request.h"

namespace instantstart::faces {
namespace {

constexpr std::string_view k_both = "application/json, text/event-stream";

class McpFaceTest : public ::testing::Test {
 protected:
  McpFaceTest() {
    door_.mount("/mcp", contract::Face::mcp, false, [this](net::Request request, contract::Caller caller) {
      return mcp_.handle(std::move(request), std::move(caller));
    });
    token_ = token_of("ann", contract::Role::admin);
  }

  std::string token_of(std::string id, contract::Role role) {
    return *house_.wait(house_.credentials.issue_token({.id = id, .role = role}, id));
  }

  net::Response send(std::string method, std::string body, net::Headers headers) {
    headers.set("Host", "127.0.0.1:3099");
    if (!headers.contains("Authorization")) headers.set("Authorization", "Bearer " + token_);
    if (!body.empty()) headers.set("Content-Type", "application/json");
    net::Request request{.method = std::move(method),
                         .target = "/mcp",
                         .headers = std::move(headers),
                         .body = std::move(body),
                         .peer = {.address = "127.0.0.1", .port = 40000, .loopback = true}};
    return house_.wait(door_.handle(std::move(request)));
  }

  /// A request of 2026-07-28 with all that it must carry.
  net::Response modern(std::string method, json::object params, net::Headers more = {}) {
    net::Headers headers{
        {"Accept", std::string(k_both)}, {"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
    for (const std::string_view name : {"name", "uri"}) {
      if (const auto value = text_member(params, name)) headers.set("Mcp-Name", std::string(*value));
    }
    for (const auto& [name, value] : more) headers.set(name, value);
    json::object& meta =
        params.contains("_meta") ? params["_meta"].as_object() : params["_meta"].emplace_object();
    meta[k_version_key] = "2026-07-28";
    meta[k_capabilities_key] = json::object();
    return send("POST", request_text(method, std::move(params)), std::move(headers));
  }

  static std::string request_text(std::string_view method, json::object params = {}) {
    return to_text(
        json::object{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}});
  }

  std::string begin(std::string_view revision, net::Headers more = {}) {
    net::Response response = send(
        "POST", request_text("initialize", {{"protocolVersion", revision}, {"capabilities", json::object()}}),
        std::move(more));
    EXPECT_EQ(response.status, 200);
    agreed_ = std::string(result_of(response).at("protocolVersion").as_string());
    return std::string(response.headers.get("Mcp-Session-Id"));
  }

  net::Response legacy(const std::string& session, std::string body) {
    return send("POST", std::move(body), {{"Mcp-Session-Id", session}, {"Accept", std::string(k_both)}});
  }

  static json::value body_of(const net::Response& response) {
    auto value = parse_json(std::get<std::string>(response.body));
    return value ? std::move(*value) : json::value();
  }

  static json::object result_of(const net::Response& response) {
    const json::value body = body_of(response);
    const auto* result = body.is_object() ? object_member(body.get_object(), "result") : nullptr;
    EXPECT_NE(result, nullptr) << std::get<std::string>(response.body);
    return result ? *result : json::object();
  }

  static int error_of(const net::Response& response) {
    const json::value body = body_of(response);
    const auto* error = body.is_object() ? object_member(body.get_object(), "error") : nullptr;
    return error ? static_cast<int>(error->at("code").as_int64()) : 0;
  }

  net::Response call(std::string tool, json::object arguments) {
    return modern("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
  }

  access::testing::House house_;
  FrontDoor door_{house_.credentials, house_.time, house_.random, Log(), {}};
  McpFace mcp_{house_.actions, house_.dispatcher, house_.time, house_.random, Log(), "1.2.3"};
  std::string token_;
  std::string agreed_;
};

TEST_F(McpFaceTest, DiscoveryNamesTheModernVersionAloneAndWhatIsServed) {
  const auto result = result_of(modern("server/discover", {}));
  EXPECT_EQ(to_text(result.at("supportedVersions")), R"(["2026-07-28"])");
  EXPECT_EQ(to_text(result.at("capabilities")), R"({"tools":{},"resources":{}})");
  EXPECT_EQ(result.at("resultType"), "complete");
  EXPECT_EQ(result.at("cacheScope"), "public");
  EXPECT_EQ(result.at("_meta").at(k_server_info_key).at("version"), "1.2.3");
  EXPECT_LE(result.at("instructions").as_string().size(), 2000u);
}

TEST_F(McpFaceTest, AToolCallAnswersTheActionsObject) {
  const auto result = result_of(call("book_get", {{"book", "dune"}}));
  EXPECT_EQ(result.at("structuredContent").at("title"), "Dune");
  EXPECT_EQ(result.at("content").at(0).at("text"), json::string(to_text(result.at("structuredContent"))));
  EXPECT_FALSE(result.contains("isError"));
  EXPECT_EQ(result.at("resultType"), "complete");
}

TEST_F(McpFaceTest, NumbersAndBooleansMayComeAsText) {
  const auto result = result_of(call("book_list", {{"limit", "3"}}));
  EXPECT_EQ(result.at("structuredContent").at("items").as_array().size(), 3u);
}

TEST_F(McpFaceTest, WhatTheModelCanMendIsAResultWithTheProblemOfEveryFace) {
  const auto result = result_of(call("book_get", {{"book", "A B"}, {"shelf", 1}}));
  EXPECT_EQ(result.at("isError"), true);
  const auto& problem = result.at("structuredContent");
  EXPECT_EQ(problem.at("code"), "invalid_request");
  std::set<std::string> pointers;
  for (const auto& one : problem.at("problems").as_array()) pointers.emplace(one.at("pointer").as_string());
  EXPECT_EQ(pointers, (std::set<std::string>{"/book", "/shelf"}));
}

TEST_F(McpFaceTest, ALongListIsReadAgainWithSoManyItemsAsFitAndItsCursorMissesNone) {
  std::set<std::string> ids;
  json::object arguments{{"genre", "novel"}};
  for (int page = 0; page < 20; ++page) {
    const auto result = result_of(call("book_list", arguments));
    ASSERT_FALSE(result.contains("isError")) << to_text(result);
    const auto& body = result.at("structuredContent").as_object();
    EXPECT_LE(to_text(body).size(), 8192u);
    EXPECT_FALSE(body.contains("truncated"));
    for (const auto& book : body.at("items").as_array()) ids.emplace(book.at("id").as_string());
    if (!body.contains("next_cursor")) break;
    arguments["cursor"] = body.at("next_cursor");
  }
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(contract::testing::k_numbered_books));
}

TEST_F(McpFaceTest, AChangeStartsAnOperationOrShowsWhatNeedsAConfirmation) {
  const auto started = result_of(
      call("book_print", {{"book", "dune"}, {"source", {{"from", "manuscript"}, {"file", "dune.txt"}}}}));
  EXPECT_EQ(started.at("structuredContent").at("status"), "started");
  const auto asked = result_of(call("shelf_clear", {{"shelf", "west"}}));
  EXPECT_FALSE(asked.contains("isError"));
  const auto& answer = asked.at("structuredContent");
  EXPECT_EQ(answer.at("status"), "confirm_required");
  const auto confirmed =
      result_of(call("shelf_clear", {{"shelf", "west"}, {"confirm_token", answer.at("confirm_token")}}));
  EXPECT_EQ(confirmed.at("structuredContent").at("status"), "started");
}

TEST_F(McpFaceTest, AnUnknownToolIsAnErrorOfTheProtocol) {
  const auto response = call("book_gte", {});
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(error_of(response), rpc::invalid_params);
}

TEST_F(McpFaceTest, AViewerNeitherSeesNorCallsWhatChangesSomething) {
  token_ = token_of("bob", contract::Role::viewer);
  const auto tools = result_of(modern("tools/list", {}));
  EXPECT_EQ(tools.at("tools").as_array().size(), 3u);
  EXPECT_EQ(tools.at("cacheScope"), "private");
  const auto refused = result_of(call("shelf_clear", {{"shelf", "west"}}));
  EXPECT_EQ(refused.at("structuredContent").at("code"), "forbidden");
}

TEST_F(McpFaceTest, OfTheModernRevisionTheStatusFollowsFromTheError) {
  EXPECT_EQ(modern("initialize", {}).status, 404);
  EXPECT_EQ(error_of(modern("ping", {})), rpc::method_not_found);
  const auto mismatch = modern("tools/list", {}, {{"Mcp-Method", "tools/call"}});
  EXPECT_EQ(mismatch.status, 400);
  EXPECT_EQ(error_of(mismatch), rpc::header_mismatch);
  EXPECT_EQ(modern("tools/list", {}, {{"Mcp-Session-Id", "whatever"}}).status, 200);
}

TEST_F(McpFaceTest, ThereIsNothingToGetAndNoSessionToDeleteInTheModernRevision) {
  for (const auto* method : {"GET", "DELETE"}) {
    const auto response = send(method, "", {{"MCP-Protocol-Version", "2026-07-28"}});
    EXPECT_EQ(response.status, 405);
    EXPECT_EQ(response.headers.get("Allow"), "POST");
  }
}

TEST_F(McpFaceTest, BrokenMessagesAreRefusedWithABodyAndWithoutANullId) {
  for (const auto* text : {"{", "7", "[]", R"({"jsonrpc":"2.0","id":null,"method":"ping"})"}) {
    const auto response = send("POST", text, {});
    EXPECT_EQ(response.status, 400) << text;
    const json::value body = body_of(response);
    EXPECT_TRUE(body.as_object().contains("error"));
    EXPECT_FALSE(body.as_object().contains("id"));
  }
}

TEST_F(McpFaceTest, AClientThatReadsNoJsonIsTold) {
  EXPECT_EQ(send("POST", request_text("ping"), {{"Accept", "text/html"}}).status, 406);
}

TEST_F(McpFaceTest, AHandshakeAgreesOnARevisionAndOpensASession) {
  const std::string session = begin("2025-06-18");
  EXPECT_EQ(agreed_, "2025-06-18");
  EXPECT_GE(session.size(), 40u);
  EXPECT_EQ(legacy(session, R"({"jsonrpc":"2.0","method":"notifications/initialized"})").status, 202);
  EXPECT_EQ(to_text(result_of(legacy(session, request_text("ping")))), "{}");
  const auto tools = result_of(legacy(session, request_text("tools/list")));
  EXPECT_FALSE(tools.contains("ttlMs"));
  EXPECT_FALSE(tools.contains("resultType"));
}

TEST_F(McpFaceTest, AnUnknownRevisionIsAnsweredWithTheNewestThatHasAHandshake) {
  for (const auto* asked : {"1999-01-01", "2026-07-28", "2024-11-05"}) {
    begin(asked);
    EXPECT_EQ(agreed_, "2025-11-25") << asked;
  }
  begin("2024-11-05", {{"InstantStart-Transport", "stdio"}});
  EXPECT_EQ(agreed_, "2024-11-05");
}

TEST_F(McpFaceTest, WithoutASessionARequestSaysBothWaysIn) {
  const auto response = send("POST", request_text("tools/list"), {});
  EXPECT_EQ(response.status, 400);
  const std::string text = to_text(body_of(response));
  EXPECT_NE(text.find("initialize"), std::string::npos);
  EXPECT_NE(text.find("io.modelcontextprotocol/protocolVersion"), std::string::npos);
}

TEST_F(McpFaceTest, ASessionIsGoneAfterDeleteAndForOthersItNeverWas) {
  const std::string session = begin("2025-11-25");
  const std::string mine = std::exchange(token_, token_of("bob", contract::Role::admin));
  EXPECT_EQ(legacy(session, request_text("ping")).status, 404);
  token_ = mine;
  EXPECT_EQ(send("DELETE", "", {}).status, 400);
  EXPECT_EQ(send("DELETE", "", {{"Mcp-Session-Id", session}}).status, 204);
  EXPECT_EQ(legacy(session, request_text("ping")).status, 404);
  EXPECT_EQ(send("GET", "", {{"Mcp-Session-Id", session}}).status, 405);
}

TEST_F(McpFaceTest, BatchesAreServedWhereTheRevisionHasThem) {
  const std::string batch = "[" + request_text("ping") +
                            R"(,{"jsonrpc":"2.0","method":"notifications/initialized"},7,)" +
                            request_text("initialize") + "]";
  const auto answered = legacy(begin("2025-03-26"), batch);
  EXPECT_EQ(answered.status, 200);
  const json::value answers = body_of(answered);
  ASSERT_EQ(answers.as_array().size(), 3u);
  EXPECT_TRUE(answers.at(0).as_object().contains("result"));
  EXPECT_EQ(answers.at(1).at("error").at("code"), rpc::invalid_request);
  EXPECT_EQ(answers.at(2).at("error").at("code"), rpc::invalid_request);
  const auto refused = legacy(begin("2025-06-18"), batch);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(error_of(refused), rpc::invalid_request);
}

TEST_F(McpFaceTest, ResourcesAreTheErrorCodesAndOperations) {
  const auto codes = result_of(modern("resources/read", {{"uri", "instantstart://error-codes"}}));
  EXPECT_NE(codes.at("contents").at(0).at("text").as_string().find("token_reused"), std::string::npos);
  const auto operation = result_of(modern("resources/read", {{"uri", "instantstart://operations/op_1"}}));
  EXPECT_EQ(operation.at("cacheScope"), "private");
  EXPECT_EQ(operation.at("contents").at(0).at("text"), R"({"operation_id":"op_1","state":"running"})");
  const auto templates = result_of(modern("resources/templates/list", {}));
  EXPECT_EQ(templates.at("resourceTemplates").at(0).at("uriTemplate"), "instantstart://operations/{id}");
}

TEST_F(McpFaceTest, AMissingResourceHasTheErrorOfItsRevision) {
  const auto modern_answer = modern("resources/read", {{"uri", "instantstart://nope"}});
  EXPECT_EQ(error_of(modern_answer), rpc::invalid_params);
  EXPECT_EQ(body_of(modern_answer).at("error").at("data").at("uri"), "instantstart://nope");
  const auto older =
      legacy(begin("2025-11-25"), request_text("resources/read", {{"uri", "instantstart://nope"}}));
  EXPECT_EQ(error_of(older), rpc::resource_not_found);
}

TEST_F(McpFaceTest, ABrowsersSessionIsNoWayIn) {
  net::Request request{.method = "POST",
                       .target = "/mcp",
                       .headers = {{"Host", "127.0.0.1:3099"},
                                   {"Content-Type", "application/json"},
                                   {"Cookie", "instantstart_session=" + token_}},
                       .body = request_text("ping"),
                       .peer = {.address = "127.0.0.1", .port = 40000, .loopback = true}};
  EXPECT_EQ(house_.wait(door_.handle(std::move(request))).status, 401);
}

}  // namespace
}  // namespace instantstart::faces
