#include "kube/status.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace instantstart::kube {
namespace {

Status status(int code, std::string reason, std::string message = "why") {
  return {.code = code, .reason = std::move(reason), .message = std::move(message)};
}

TEST(KubeStatus, ReasonsAreOurCodes) {
  const std::vector<std::tuple<int, std::string, std::string_view, bool>> table{
      {404, "NotFound", codes::not_found, false},
      {409, "AlreadyExists", codes::name_taken, false},
      {409, "Conflict", codes::conflict, true},
      {410, "Expired", codes::conflict, true},
      {410, "Gone", codes::conflict, true},
      {422, "Invalid", codes::invalid_request, false},
      {400, "BadRequest", codes::invalid_request, false},
      {403, "Forbidden", codes::access_denied, false},
      {401, "Unauthorized", codes::credentials_invalid, false},
      {429, "TooManyRequests", codes::rate_limited, true},
      {500, "ServerTimeout", codes::unavailable, true},
      {504, "Timeout", codes::unavailable, true},
      {503, "ServiceUnavailable", codes::unavailable, true},
      {413, "RequestEntityTooLarge", codes::body_too_large, false},
      {500, "InternalError", codes::upstream_error, false},
      {405, "MethodNotAllowed", codes::method_not_allowed, false},
      {404, "", codes::not_found, false},
      {502, "", codes::unavailable, true},
      {599, "NewReason", codes::upstream_error, false},
      {409, "NewReason", codes::conflict, true},
  };
  for (const auto& [code, reason, expected, retryable] : table) {
    const Error error = to_error(status(code, reason));
    EXPECT_EQ(error.code, expected) << code << reason;
    EXPECT_EQ(error.retryable, retryable) << code << reason;
    EXPECT_EQ(error.message, "why");
    EXPECT_EQ(error.detail.at("status"), code);
  }
}

TEST(KubeStatus, CausesAreProblemsAtTheirPlace) {
  const auto read =
      read_status(422, R"({"kind":"Status","code":422,"reason":"Invalid","message":"no","details":{
      "name":"a","kind":"Pod","causes":[
        {"reason":"FieldValueRequired","message":"Required value","field":"spec.containers[0].image"},
        {"reason":"FieldValueInvalid","message":"bad","field":"metadata.labels[a.b/c]"}]}})");
  const Error error = to_error(read);
  ASSERT_EQ(error.problems.size(), 2U);
  EXPECT_EQ(error.problems[0].pointer, "/spec/containers/0/image");
  EXPECT_EQ(error.problems[0].rule, "required");
  EXPECT_EQ(error.problems[1].pointer, "/metadata/labels/a.b~1c");
  EXPECT_EQ(error.problems[1].rule, "value");
  EXPECT_EQ(error.detail.at("name"), "a");
}

TEST(KubeStatus, StrictValidationIsProseOfTwoKinds) {
  const Error create = to_error(status(
      400, "BadRequest", R"(strict decoding error: unknown field "spec.a", duplicate field "spec.b[0].c")"));
  ASSERT_EQ(create.problems.size(), 2U);
  EXPECT_EQ(create.problems[0].pointer, "/spec/a");
  EXPECT_EQ(create.problems[0].rule, "unknown_field");
  EXPECT_EQ(create.problems[1].pointer, "/spec/b/0/c");
  const Error apply = to_error(status(500, "",
                                      "failed to create typed patch object (s/a; apps/v1, Kind=Deployment): "
                                      ".spec.replsicas: field not declared in schema"));
  EXPECT_EQ(apply.code, codes::invalid_request);
  ASSERT_EQ(apply.problems.size(), 1U);
  EXPECT_EQ(apply.problems[0].pointer, "/spec/replsicas");
}

TEST(KubeStatus, ApplyConflictsNameTheManagersAndAreNotRetryable) {
  Status conflict = status(409, "Conflict");
  conflict.causes = {{"FieldManagerConflict", R"(conflict with "alice" using v1)", ".data.x"},
                     {"FieldManagerConflict", R"(conflict with "alice" using v1)", ".data.y"},
                     {"FieldManagerConflict", R"(conflict with "bob")", ".data.z"}};
  const Error error = to_error(conflict);
  EXPECT_EQ(error.detail.at("managers"), (json::array{"alice", "bob"}));
  EXPECT_FALSE(error.retryable);
  EXPECT_EQ(error.problems.at(0).pointer, "/data/x");
}

TEST(KubeStatus, ForbiddenIsNotAlwaysAboutRights) {
  EXPECT_EQ(
      to_error(status(403, "Forbidden", R"(pods "a" is forbidden: exceeded quota: q, requested: pods=1)"))
          .code,
      codes::quota_exceeded);
  Status ending = status(403, "Forbidden");
  ending.causes = {{"NamespaceTerminating", "namespace s is being terminated", "metadata.namespace"}};
  EXPECT_EQ(to_error(ending).code, codes::conflict);
}

TEST(KubeStatus, WebhooksAreNamed) {
  const Error failed =
      to_error(status(500, "InternalError",
                      R"(Internal error occurred: failed calling webhook "v.example.com": failed to call)"));
  EXPECT_EQ(failed.code, codes::unavailable);
  EXPECT_EQ(failed.detail.at("webhook"), "v.example.com");
  const Error denied =
      to_error(status(403, "Forbidden", R"(admission webhook "v.example.com" denied the request: no)"));
  EXPECT_EQ(denied.code, codes::access_denied);
  EXPECT_EQ(denied.detail.at("webhook"), "v.example.com");
}

TEST(KubeStatus, APageOfAProxyIsAStatusToo) {
  const auto read = read_status(503, "<html>\x1b[31mdown</html>", "7");
  EXPECT_EQ(read.message, "<html>down</html>");
  EXPECT_EQ(read.retry_after, seconds(7));
  EXPECT_EQ(to_error(read).code, codes::unavailable);
  EXPECT_EQ(to_error(read_status(404, "")).message, "Kubernetes answered with status 404");
}

TEST(KubeStatus, TextIsBounded) {
  const std::string long_text(100'000, 'x');
  const auto read = read_status(400, R"({"kind":"Status","message":")" + long_text + "\"}");
  EXPECT_LE(read.message.size(), 4096U);
  EXPECT_FALSE(read_status(429, "", "soon").retry_after);
  EXPECT_EQ(read_status(429, "", "99999").retry_after, seconds(3600));
}

TEST(KubeStatus, ExpiredIsKnownInBothForms) {
  EXPECT_TRUE(is_expired(to_error(status(410, ""))));
  EXPECT_TRUE(is_expired(to_error(status(0, "Expired"))));
  EXPECT_FALSE(is_expired(to_error(status(409, "Conflict"))));
}

TEST(KubeStatus, PathsBecomePointers) {
  EXPECT_EQ(to_pointer(""), "");
  EXPECT_EQ(to_pointer(".spec.a[1][2].b"), "/spec/a/1/2/b");
  EXPECT_EQ(to_pointer("a[name=\"x.y\"].z"), "/a/name=\"x.y\"/z");
  EXPECT_EQ(to_pointer("a["), "/a/");
}

}  // namespace
}  // namespace instantstart::kube
