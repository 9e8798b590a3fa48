#include "sandbox/services/eks/trust.h"

#include <gtest/gtest.h>

namespace instantstart::sandbox::eks {
namespace {

bool trusts(const char* text) {
  const auto policy = parse_json(text);
  return policy && trusts_service(policy->as_object(), "eks.amazonaws.com");
}

TEST(TrustsService, AllTheWaysToWriteIt) {
  EXPECT_TRUE(trusts(R"({"Statement":{"Effect":"Allow","Principal":{"Service":"eks.amazonaws.com"},
                         "Action":"sts:AssumeRole"}})"));
  EXPECT_TRUE(trusts(R"({"Statement":[{"Effect":"Allow","Principal":{"Service":["a","eks.amazonaws.com"]},
                         "Action":["sts:TagSession","sts:AssumeRole"]}]})"));
  EXPECT_TRUE(trusts(R"({"Statement":[{},{"Effect":"Allow","Principal":{"Service":"eks.amazonaws.com"},
                         "Action":"sts:*"}]})"));
}

TEST(TrustsService, NothingElseIsEnough) {
  EXPECT_FALSE(trusts("{}"));
  EXPECT_FALSE(trusts(R"({"Statement":[{"Effect":"Deny","Principal":{"Service":"eks.amazonaws.com"},
                          "Action":"sts:AssumeRole"}]})"));
  EXPECT_FALSE(trusts(R"({"Statement":[{"Effect":"Allow","Principal":{"AWS":"eks.amazonaws.com"},
                          "Action":"sts:AssumeRole"}]})"));
  EXPECT_FALSE(trusts(R"({"Statement":[{"Effect":"Allow","Principal":"*","Action":"sts:AssumeRole"}]})"));
  EXPECT_FALSE(trusts(R"({"Statement":[{"Effect":"Allow","Principal":{"Service":"eks.amazonaws.com"},
                          "Action":"sts:TagSession"}]})"));
}

}  // namespace
}  // namespace instantstart::sandbox::eks
