// The REST face behind the front door, over a back end in virtual time, without sockets.
#include "faces/rest/rest.h"

#include "access/testing/house.h"
#include "base/decode.h"
#include "contract/problem.h"
#include "faces/http/front_door.h"
#include "faces/http/session.h"

namespace instantstart::faces {
namespace {

class RestFaceTest : public ::testing::Test {
 protected:
  RestFaceTest() {
    door_.mount_public(std::string(k_session_path), [this](net::Request request, std::string request_id) {
      return session_.handle(std::move(request), std::move(request_id));
    });
    door_.mount("/api/v1", contract::Face::rest, true, [this](net::Request request, contract::Caller caller) {
      return rest_.handle(std::move(request), std::move(caller));
    });
    door_.mount("/mcp", contract::Face::mcp, false,
                [](net::Request, contract::Caller) -> asio::awaitable<net::Response> {
                  co_return net::Response{.status = 204};
                });
    token_ =
        *house_.wait(house_.credentials.issue_token({.id = "ann", .role = contract::Role::admin}, "test"));
  }

  net::Response send(std::string method, std::string target, std::string body, net::Headers headers) {
    headers.set("Host", "127.0.0.1:3099");
    if (!body.empty() && !headers.contains("Content-Type")) headers.set("Content-Type", "application/json");
    net::Request request{.method = std::move(method),
                         .target = std::move(target),
                         .headers = std::move(headers),
                         .body = std::move(body),
                         .peer = {.address = "127.0.0.1", .port = 40000, .loopback = true}};
    return house_.wait(door_.handle(std::move(request)));
  }

  net::Response with_token(std::string method, std::string target, std::string body = "") {
    return send(std::move(method), std::move(target), std::move(body),
                {{"Authorization", "Bearer " + token_}});
  }

  static json::object body_of(const net::Response& response) {
    auto value = parse_json(std::get<std::string>(response.body));
    return value && value->is_object() ? value->get_object() : json::object();
  }

  static std::string code_of(const net::Response& response) {
    const json::object body = body_of(response);
    const auto* code = body.if_contains("code");
    return code ? std::string(code->as_string()) : "";
  }

  /// The path of an action whose only member in it is this.
  std::string path_of(std::string_view action, const std::string& member) const {
    const std::string& path = house_.actions.find(action)->spec.path;
    const auto open = path.find('{');
    return path.substr(0, open) + member + path.substr(path.find('}') + 1);
  }

  access::testing::House house_;
  FrontDoor door_{house_.credentials, house_.time, house_.random, Log(), {}};
  SessionFace session_{house_.credentials};
  RestFace rest_{house_.actions, house_.dispatcher, "1.2.3"};
  std::string token_;
};

TEST_F(RestFaceTest, ATokenOpensTheDoorAndNothingElseDoes) {
  EXPECT_EQ(with_token("GET", "/api/v1/books/dune").status, 200);
  for (const net::Headers& headers :
       {net::Headers{}, net::Headers{{"Authorization", "Bearer wrong"}},
        net::Headers{{"Authorization", token_}}, net::Headers{{"Cookie", "instantstart_session=" + token_}},
        net::Headers{{"Cookie", "instantstart_session="}}}) {
    const auto refused = send("GET", "/api/v1/books/dune", "", headers);
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(refused.headers.get("WWW-Authenticate"), "Bearer realm=\"instantstart\"");
  }
  EXPECT_EQ(send("GET", "/api/v1/books/dune?token=" + token_, "", {}).status, 401) << "never by the query";
}

TEST_F(RestFaceTest, AnswersAreNotStoredNorSniffed) {
  const auto answer = with_token("GET", "/api/v1/books/dune");
  EXPECT_EQ(answer.headers.get("Cache-Control"), "no-store");
  EXPECT_EQ(answer.headers.get("X-Content-Type-Options"), "nosniff");
  EXPECT_FALSE(answer.headers.get("X-Request-Id").empty());
  EXPECT_EQ(answer.headers.count("Access-Control-Allow-Origin"), 0u);
}

TEST_F(RestFaceTest, AProblemIsWhatRfc9457Says) {
  const auto answer = with_token("GET", "/api/v1/books?limt=5");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.headers.get("Content-Type"), "application/problem+json");
  const json::value body = body_of(answer);
  auto problem = decode<contract::Problem>(body);
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(problem->code, "invalid_request");
  EXPECT_EQ(problem->status, 422);
  ASSERT_EQ(problem->problems.size(), 1u);
  EXPECT_EQ(problem->problems[0].pointer, "/limt");
  EXPECT_EQ(problem->problems[0].nearest, "limit");
  EXPECT_EQ(problem->request_id, answer.headers.get("X-Request-Id"));
}

TEST_F(RestFaceTest, AWrongMethodSaysWhichAreRight) {
  const auto answer = with_token("PATCH", "/api/v1/books");
  EXPECT_EQ(answer.status, 405);
  EXPECT_FALSE(answer.headers.get("Allow").empty());
}

TEST_F(RestFaceTest, ChangesAnswer202AndConfirmations409) {
  const auto started = with_token("POST", "/api/v1" + path_of("book_print", "dune"),
                                  R"({"source":{"from":"manuscript","file":"dune.txt","chapters":[]}})");
  EXPECT_EQ(started.status, 202) << std::get<std::string>(started.body);
  const auto asked = with_token("DELETE", "/api/v1" + path_of("shelf_clear", "north"));
  EXPECT_EQ(asked.status, 409) << std::get<std::string>(asked.body);
  EXPECT_EQ(body_of(asked).at("status"), "confirm_required");
}

TEST_F(RestFaceTest, OpenApiIsServedToThoseWhoMayCall) {
  EXPECT_EQ(send("GET", "/api/v1/openapi.json", "", {}).status, 401);
  const auto document = with_token("GET", "/api/v1/openapi.json");
  EXPECT_EQ(document.status, 200);
  EXPECT_EQ(body_of(document).at("info").at("version"), "1.2.3");
}

TEST_F(RestFaceTest, ALoginCodeBecomesASessionCookieOnce) {
  auto code = house_.wait(house_.credentials.issue_login_code({.id = "ann", .role = contract::Role::admin}));
  const auto in = send("POST", "/api/v1/session", R"({"code":")" + *code + R"("})", {});
  ASSERT_EQ(in.status, 200) << std::get<std::string>(in.body);
  const std::string set(in.headers.get("Set-Cookie"));
  for (const char* part : {"HttpOnly", "SameSite=Strict", "Path=/"})
    EXPECT_NE(set.find(part), std::string::npos);
  const std::string cookie = set.substr(0, set.find(';'));

  EXPECT_EQ(send("GET", "/api/v1/books/dune", "", {{"Cookie", cookie}}).status, 200);
  EXPECT_EQ(body_of(send("GET", "/api/v1/session", "", {{"Cookie", cookie}})).at("principal"), "ann");
  EXPECT_EQ(send("POST", "/api/v1/session", R"({"code":")" + *code + R"("})", {}).status, 401)
      << "a code is good once";

  EXPECT_EQ(send("DELETE", "/api/v1/session", "", {{"Cookie", cookie}}).status, 200);
  EXPECT_EQ(send("GET", "/api/v1/books/dune", "", {{"Cookie", cookie}}).status, 401);
}

TEST_F(RestFaceTest, ACookieChangesThingsOnlyFromOurOwnPageAndNeverOpensMcp) {
  auto code = house_.wait(house_.credentials.issue_login_code({.id = "ann", .role = contract::Role::admin}));
  auto session = house_.wait(house_.credentials.redeem_login_code(*code));
  const std::string cookie = "other=1; instantstart_session=" + session->secret;
  const std::string target = "/api/v1" + path_of("shelf_clear", "north");
  EXPECT_EQ(code_of(send("DELETE", target, "", {{"Cookie", cookie}})), "bad_origin");
  EXPECT_EQ(send("DELETE", target, "", {{"Cookie", cookie}, {"Origin", "http://127.0.0.1:3099"}}).status,
            409);
  EXPECT_EQ(send("GET", "/mcp", "", {{"Cookie", cookie}}).status, 401);
  EXPECT_EQ(with_token("GET", "/mcp").status, 204);
}

TEST_F(RestFaceTest, PathsThatNoFaceHasAreNotFoundWithoutALogin) {
  EXPECT_EQ(send("GET", "/nowhere", "", {}).status, 404);
  EXPECT_EQ(send("GET", "/api/v1x", "", {}).status, 404);
}

TEST_F(RestFaceTest, ForeignHostsAndOriginsAreRefusedBeforeAnythingElse) {
  net::Request request{.method = "GET",
                       .target = "/api/v1/books",
                       .headers = {{"Host", "evil.example"}, {"Authorization", "Bearer " + token_}},
                       .body = {},
                       .peer = {.address = "127.0.0.1", .port = 1, .loopback = true}};
  EXPECT_EQ(house_.wait(door_.handle(request)).status, 421);
  request.headers = {
      {"Host", "127.0.0.1:3099"}, {"Origin", "http://evil.example"}, {"Authorization", "Bearer " + token_}};
  EXPECT_EQ(house_.wait(door_.handle(request)).status, 403);
}

}  // namespace
}  // namespace instantstart::faces
