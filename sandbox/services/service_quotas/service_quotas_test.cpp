#include "sandbox/services/service_quotas/service_quotas.h"

#include <set>

#include "base/pattern.h"
#include "sandbox/core/testing/world_fixture.h"

namespace instantstart::sandbox {
namespace {

namespace api = aws::service_quotas;

class ServiceQuotasTest : public WorldFixture {
 protected:
  ServiceQuotasTest() { restart(); }
  void restart() {
    service.reset();
    quotas.reset();
    start();
    quotas.emplace(process->world());
    service.emplace(process->world(), *quotas);
    EXPECT_TRUE(process->load());
  }
  Reply<api::ListServiceQuotasResponse> list(const api::ListServiceQuotasRequest& request) {
    return process->ask<api::ListServiceQuotas>(*service, request);
  }
  /// Names of all pages, and how many pages there were.
  std::pair<std::vector<std::string>, int> list_all(std::string service_code) {
    std::vector<std::string> names;
    api::ListServiceQuotasRequest request{.service_code = std::move(service_code)};
    for (int pages = 1;; ++pages) {
      const auto page = list(request).value();
      for (const auto& quota : *page.quotas) names.push_back(*quota.quota_name);
      if (!page.next_token) return {names, pages};
      request.next_token = page.next_token;
    }
  }

  std::optional<Quotas> quotas;
  std::optional<ServiceQuotasService> service;
};

TEST(QuotaTableTest, CodesAreWellFormedAndUnique) {
  const Pattern code("^L-[0-9A-F]{8}$");
  std::set<std::pair<std::string_view, std::string>> codes;
  for (const Quota& quota : all_quotas()) {
    EXPECT_TRUE(code.matches(quota.code)) << quota.name;
    EXPECT_TRUE(codes.emplace(quota.service_code, quota.code).second) << quota.name;
  }
  EXPECT_GT(codes.size(), 400u);
}

TEST_F(ServiceQuotasTest, SagemakersQuotasComeInSeveralPages) {
  const auto [names, pages] = list_all("sagemaker");
  EXPECT_GE(pages, 4);
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  EXPECT_NE(std::ranges::find(names, "ml.p5.48xlarge for cluster usage"), names.end());
  EXPECT_NE(std::ranges::find(names, "ml.p5.48xlarge for cluster spot instance usage"), names.end());
}

TEST_F(ServiceQuotasTest, PagesAreAsLargeAsAskedFor) {
  const auto first = list({.service_code = "vpc", .max_results = 5}).value();
  EXPECT_EQ(first.quotas->size(), 5u);
  const auto second = list({.service_code = "vpc", .next_token = first.next_token, .max_results = 5}).value();
  EXPECT_NE(second.quotas->at(0).quota_code, first.quotas->at(0).quota_code);
  EXPECT_EQ(list({.service_code = "eks", .next_token = first.next_token}).error().code,
            "InvalidPaginationTokenException");
  EXPECT_EQ(list({.service_code = "vpc", .next_token = "junk"}).error().code,
            "InvalidPaginationTokenException");
}

TEST_F(ServiceQuotasTest, AppliedAndDefaultValuesDiffer) {
  const auto applied =
      process->ask<api::GetServiceQuota>(*service, {.service_code = "vpc", .quota_code = "L-F678F1CE"})
          .value();
  EXPECT_EQ(applied.quota->value, 20);
  EXPECT_EQ(applied.quota->quota_name, "VPCs per Region");
  EXPECT_EQ(applied.quota->quota_arn, "arn:aws:servicequotas:us-west-2:123456789012:vpc/L-F678F1CE");
  const auto defaults =
      process->ask<api::ListAWSDefaultServiceQuotas>(*service, {.service_code = "vpc"}).value();
  const auto found = std::ranges::find(*defaults.quotas, "L-F678F1CE", &api::ServiceQuota::quota_code);
  ASSERT_NE(found, defaults.quotas->end());
  EXPECT_EQ(found->value, 5);
  EXPECT_EQ(found->quota_arn, "arn:aws:servicequotas:us-west-2::vpc/L-F678F1CE");
}

TEST_F(ServiceQuotasTest, OneQuotaCanBeAskedForByItsCode) {
  const auto page = list({.service_code = "vpc", .quota_code = "L-F678F1CE"}).value();
  ASSERT_EQ(page.quotas->size(), 1u);
  EXPECT_EQ(page.quotas->at(0).quota_name, "VPCs per Region");
}

TEST_F(ServiceQuotasTest, UnknownServicesAndCodesAreNotFound) {
  EXPECT_EQ(list({.service_code = "nosuch"}).error().code, "NoSuchResourceException");
  EXPECT_EQ(process->ask<api::GetServiceQuota>(*service, {.service_code = "vpc", .quota_code = "L-00000000"})
                .error()
                .code,
            "NoSuchResourceException");
}

TEST_F(ServiceQuotasTest, AChangeIsForItsRegionAndSurvivesARestart) {
  ASSERT_TRUE(
      quotas->change({.region = "us-west-2", .service_code = "vpc", .quota_code = "L-F678F1CE", .value = 3}));
  EXPECT_FALSE(
      quotas->change({.region = "us-west-2", .service_code = "vpc", .quota_code = "L-00000000", .value = 3}));
  ASSERT_TRUE(process->run(process->world().commit()));
  restart();
  const Quota& vpcs = *find_quota("vpc", "L-F678F1CE");
  EXPECT_EQ(quotas->applied("us-west-2", vpcs), 3);
  EXPECT_EQ(quotas->applied("us-east-1", vpcs), 20);
  EXPECT_EQ(quotas->applied_by_name("us-west-2", "vpc", "VPCs per Region"), 3);
  EXPECT_EQ(quotas->applied_by_name("us-west-2", "sagemaker", "ml.p6-b300.48xlarge for cluster usage"), 0);
}

}  // namespace
}  // namespace instantstart::sandbox
