// For every operation: what the client writes, the server reads, and the other way round.
#include <gtest/gtest.h>

#include "aws/protocols/api_json.h"
#include "aws/protocols/codec.h"
#include "aws/protocols/testing/random_value.h"
#include "aws/shapes/orchard_json.h"
#include "aws/shapes/orchard_query.h"
#include "aws/shapes/orchard_xml.h"
#include "aws/shapes/services.h"

namespace instantstart::aws {
namespace {

constexpr int k_values_an_operation = 5;

std::vector<const OperationInfo*> all_operations() {
  std::vector<const OperationInfo*> operations;
  const auto add = [&](const ServiceInfo& service) {
    operations.insert(operations.end(), service.operations.begin(), service.operations.end());
  };
  for (const ServiceInfo* service : all_services()) add(*service);
  add(orchard_json::service());
  add(orchard_query::service());
  add(orchard_xml::service());
  return operations;
}

/// What the operation's protocol carries without loss.
testing::RandomOptions lossless(const OperationInfo& operation) {
  const Protocol protocol = operation.service->protocol;
  return {.empty_collections = protocol == Protocol::json || protocol == Protocol::rest_json};
}

std::string shown(const ShapeInfo& shape, const void* value) {
  return to_canonical_text(to_api_json(shape, value, {.reveal_sensitive = true}));
}

/// HTTP has no difference between no body and an empty one.
void complete_payload(const ShapeInfo& shape, void* value) {
  const bool raw = shape.payload && shape.payload->shape->kind != ShapeKind::structure;
  if (raw && !shape.payload->peek(value)) shape.payload->emplace(value);
}

TEST(RoundTrip, TheServerReadsWhatTheClientWrote) {
  SeededRandom random(1);
  int compared = 0;
  for (const OperationInfo* operation : all_operations()) {
    for (int i = 0; i < k_values_an_operation; ++i) {
      ShapeValue input(*operation->input);
      testing::fill_random(*operation->input, input.get(), random, lossless(*operation));
      complete_payload(*operation->input, input.get());
      const auto request = encode_request(*operation, input.get());
      ASSERT_TRUE(request) << operation->name << ": " << request.error().message;
      auto decoded = decode_request(*operation->service, *request);
      ASSERT_TRUE(decoded) << operation->name << ": " << decoded.error().message;
      EXPECT_EQ(decoded->operation->name, operation->name);
      EXPECT_EQ(shown(*operation->input, decoded->input.get()), shown(*operation->input, input.get()));
      ++compared;
    }
  }
  EXPECT_GT(compared, 800);
}

TEST(RoundTrip, TheClientReadsWhatTheServerWrote) {
  SeededRandom random(2);
  for (const OperationInfo* operation : all_operations()) {
    for (int i = 0; i < k_values_an_operation; ++i) {
      ShapeValue output(*operation->output);
      testing::fill_random(*operation->output, output.get(), random, lossless(*operation));
      complete_payload(*operation->output, output.get());
      const auto answer = encode_response(*operation, output.get(), "request-1");
      ASSERT_TRUE(answer) << operation->name << ": " << answer.error().message;
      ASSERT_FALSE(is_error(*operation, *answer)) << operation->name;
      EXPECT_EQ(request_id(*answer), "request-1");
      ShapeValue read(*operation->output);
      const auto decoded = decode_response(*operation, *answer, read.get());
      ASSERT_TRUE(decoded) << operation->name << ": " << decoded.error().message;
      for (const auto& member : operation->output->members) {  // only the answer knows its status
        if (member.location == Location::status_code) {
          *static_cast<std::int64_t*>(member.emplace(output.get())) = answer->status;
        }
      }
      EXPECT_EQ(shown(*operation->output, read.get()), shown(*operation->output, output.get()))
          << operation->name;
    }
  }
}

TEST(RoundTrip, ModelledErrorsKeepCodeMessageAndFields) {
  SeededRandom random(3);
  for (const OperationInfo* operation : all_operations()) {
    if (operation->method == "HEAD") continue;
    for (const ErrorInfo* modelled : operation->errors) {
      ShapeValue fields(*modelled->shape);
      testing::fill_random(*modelled->shape, fields.get(), random, {.empty_collections = false});
      const ServiceError sent{.code = std::string(modelled->code),
                              .message = "no <such> \"thing\"",
                              .request_id = "request-2",
                              .fields = to_api_json(fields.shape(), fields.get())};
      const auto answer = encode_error(*operation->service, operation, sent);
      ASSERT_TRUE(is_error(*operation, answer)) << operation->name;
      const ServiceError read = decode_error(*operation, answer);
      EXPECT_EQ(read.code, sent.code);
      EXPECT_EQ(read.message, sent.message);
      EXPECT_EQ(read.request_id, sent.request_id);
      EXPECT_EQ(read.status, modelled->http_status);
      EXPECT_EQ(read.modelled, modelled);
      for (const auto& [name, value] : sent.fields) {
        if (name == "message" || name == "Message") continue;
        ASSERT_TRUE(read.fields.contains(name)) << operation->name << " " << name;
        EXPECT_EQ(read.fields.at(name), value) << operation->name << " " << name;
      }
    }
  }
}

}  // namespace
}  // namespace instantstart::aws
