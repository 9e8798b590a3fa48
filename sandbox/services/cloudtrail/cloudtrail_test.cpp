#include "sandbox/services/cloudtrail/cloudtrail.h"

#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/services/cloudtrail/event.h"

namespace instantstart::sandbox {
namespace {

namespace ct = aws::cloudtrail;
using Names = std::vector<std::string>;

class CloudTrailTest : public WorldFixture {
 protected:
  CloudTrailTest() {
    start();
    service.emplace(process->world());
    EXPECT_TRUE(process->load());
  }
  void add(AuditEntry entry) {
    entry.at = to_rfc3339(time.wall());
    if (entry.region.empty()) entry.region = "us-west-2";
    if (entry.service.empty()) entry.service = "ec2";
    ASSERT_TRUE(process->run(process->world().commit({std::move(entry)})));
    process->pass(seconds(60));
  }
  Reply<ct::LookupEventsResponse> look(const ct::LookupEventsRequest& request = {}) {
    return process->ask<ct::LookupEvents>(*service, request);
  }
  Names names(const ct::LookupEventsRequest& request = {}) {
    Names found;
    for (const auto& event : *look(request).value().events) found.push_back(*event.event_name);
    return found;
  }
  static ct::LookupEventsRequest by(std::string key, std::string value) {
    return {.lookup_attributes = {{{.attribute_key = std::move(key), .attribute_value = std::move(value)}}}};
  }

  std::optional<CloudTrailService> service;
};

AuditEntry create_vpc() {
  return {.operation = "CreateVpc",
          .mutating = true,
          .principal = "arn:aws:iam::123456789012:user/ann",
          .access_key_id = "AKIDANN",
          .request = {{"CidrBlock", "10.0.0.0/16"}},
          .response = {{"Vpc", {{"VpcId", "vpc-1"}}}}};
}
AuditEntry describe_vpcs() {
  return {.operation = "DescribeVpcs", .principal = "arn:aws:sts::123456789012:assumed-role/build/bob"};
}

TEST_F(CloudTrailTest, EventsComeNewestFirst) {
  add(create_vpc());
  add(describe_vpcs());
  EXPECT_EQ(names(), (Names{"DescribeVpcs", "CreateVpc"}));
}

TEST_F(CloudTrailTest, AttributesSelect) {
  add(create_vpc());
  add(describe_vpcs());
  add({.service = "service-quotas", .operation = "GetServiceQuota"});
  EXPECT_EQ(names(by("EventName", "CreateVpc")), Names{"CreateVpc"});
  EXPECT_EQ(names(by("Username", "bob")), Names{"DescribeVpcs"});
  EXPECT_EQ(names(by("ReadOnly", "false")), Names{"CreateVpc"});
  EXPECT_EQ(names(by("ResourceName", "vpc-1")), Names{"CreateVpc"});
  EXPECT_EQ(names(by("AccessKeyId", "AKIDANN")), Names{"CreateVpc"});
  EXPECT_EQ(names(by("EventSource", "servicequotas.amazonaws.com")), Names{"GetServiceQuota"});
  EXPECT_EQ(names(by("EventName", "Other")), Names{});
  const std::string id = *look(by("EventName", "CreateVpc")).value().events->at(0).event_id;
  EXPECT_EQ(names(by("EventId", id)), Names{"CreateVpc"});
}

TEST_F(CloudTrailTest, TimesAndTheRegionSelect) {
  const auto begin = time.wall();
  for (const std::string name : {"A", "B", "C"}) add({.operation = name});
  add({.operation = "Elsewhere", .region = "eu-west-1"});
  const auto at = [&](int minute) { return aws::Timestamp{begin + std::chrono::minutes(minute)}; };
  EXPECT_EQ(names({.start_time = at(1)}), (Names{"C", "B"}));
  EXPECT_EQ(names({.end_time = at(1)}), (Names{"B", "A"}));
  EXPECT_EQ(names({.start_time = at(1), .end_time = at(1)}), Names{"B"});
  EXPECT_EQ(look({.start_time = at(2), .end_time = at(1)}).error().code, "InvalidTimeRangeException");
}

TEST_F(CloudTrailTest, PagesLeaveNothingOutAndRepeatNothing) {
  for (int i = 0; i < 7; ++i) {
    add({.operation = fmt::format("Op{}", i)});
    add({.operation = "Other", .region = "eu-west-1"});
  }
  Names all;
  ct::LookupEventsRequest request{.max_results = 3};
  int pages = 0;
  do {
    auto page = look(request).value();
    EXPECT_LE(page.events->size(), 3u);
    for (const auto& event : *page.events) all.push_back(*event.event_name);
    request.next_token = page.next_token;
    ++pages;
  } while (request.next_token);
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(all, (Names{"Op6", "Op5", "Op4", "Op3", "Op2", "Op1", "Op0"}));
}

TEST_F(CloudTrailTest, ATokenIsGoodForItsOwnQuestionOnly) {
  for (int i = 0; i < 3; ++i) add(create_vpc());
  const auto first = look({.max_results = 1}).value();
  ct::LookupEventsRequest other = by("EventName", "CreateVpc");
  other.next_token = first.next_token;
  EXPECT_EQ(look(other).error().code, "InvalidNextTokenException");
  EXPECT_EQ(look({.next_token = "junk"}).error().code, "InvalidNextTokenException");
}

TEST_F(CloudTrailTest, OneAttributeAtATime) {
  ct::LookupEventsRequest two = by("EventName", "A");
  two.lookup_attributes->push_back(two.lookup_attributes->front());
  EXPECT_EQ(look(two).error().code, "InvalidLookupAttributesException");
}

TEST(EventTest, TheRecordIsCloudTrailsJson) {
  AuditEntry entry = create_vpc();
  entry.service = "ec2";
  entry.region = "us-west-2";
  entry.at = "2026-01-02T03:04:05.678Z";
  entry.error_code = "VpcLimitExceeded";
  const auto event = make_event(entry, "123456789012");
  EXPECT_EQ(event.event_source, "ec2.amazonaws.com");
  EXPECT_EQ(event.read_only, "false");
  EXPECT_EQ(event.username, "ann");
  const auto record = parse_json(*event.cloud_trail_event).value().as_object();
  EXPECT_EQ(record.at("eventTime"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(record.at("errorCode"), "VpcLimitExceeded");
  EXPECT_EQ(record.at("requestParameters").at("cidrBlock"), "10.0.0.0/16");
  EXPECT_EQ(record.at("userIdentity").at("userName"), "ann");
  EXPECT_EQ(record.at("eventID"), event.event_id->c_str());
}

}  // namespace
}  // namespace instantstart::sandbox
