#include "sandbox/services/ec2/testing/ec2_fixture.h"

namespace instantstart::sandbox::ec2 {
namespace {

class TagsTest : public Ec2Fixture {
 protected:
  std::string tags_of(const std::string& id) {
    std::string text;
    for (const auto& tag : *get<api::DescribeTags>({.filters = {{{"resource-id", {{id}}}}}}).tags) {
      text += *tag.key + "=" + *tag.value + " ";
    }
    return text;
  }
};

TEST_F(TagsTest, AreSetReplacedAndTakenAway) {
  const auto vpc = make_vpc();
  get<api::CreateTags>(
      {.resources = {{vpc}}, .tags = {{{.key = "a", .value = "1"}, {.key = "b", .value = "2"}}}});
  get<api::CreateTags>({.resources = {{vpc}}, .tags = {{{.key = "a", .value = "3"}}}});
  EXPECT_EQ(tags_of(vpc), "a=3 b=2 ");
  get<api::DeleteTags>({.resources = {{vpc}}, .tags = {{{.key = "a", .value = "1"}}}});
  EXPECT_EQ(tags_of(vpc), "a=3 b=2 ");  // Another value is meant.
  get<api::DeleteTags>({.resources = {{vpc}}, .tags = {{{.key = "a"}}}});
  EXPECT_EQ(tags_of(vpc), "b=2 ");
  get<api::DeleteTags>({.resources = {{vpc}}});
  EXPECT_EQ(tags_of(vpc), "");
}

TEST_F(TagsTest, OfServicesStay) {
  const auto vpc = make_vpc();
  service->network().tag("us-west-2", vpc, {{"aws:cloudformation:stack-name", "a"}, {"mine", "b"}});
  get<api::DeleteTags>({.resources = {{vpc}}, .tags = {{{.key = "aws:cloudformation:stack-name"}}}});
  get<api::DeleteTags>({.resources = {{vpc}}});
  EXPECT_EQ(tags_of(vpc), "aws:cloudformation:stack-name=a ");
}

TEST_F(TagsTest, GoWithTheirResource) {
  const auto made =
      get<api::CreateInternetGateway>({.tag_specifications = tagged("internet-gateway", "a", "1")});
  const auto id = *made.internet_gateway->internet_gateway_id;
  EXPECT_EQ(tags_of(id), "a=1 ");
  get<api::DeleteInternetGateway>({.internet_gateway_id = id});
  EXPECT_EQ(tags_of(id), "");
}

struct TagCase {
  std::string resource, key, code;
};

TEST_F(TagsTest, FollowTheRestrictions) {
  const auto vpc = make_vpc();
  const TagCase k_cases[] = {
      {vpc, std::string(128, 'k'), ""},           {vpc, std::string(129, 'k'), "InvalidParameterValue"},
      {vpc, "aws:mine", "InvalidParameterValue"}, {vpc, "", "MissingParameter"},
      {"vpc-none", "k", "InvalidVpcID.NotFound"}, {"sg-none", "k", "InvalidGroup.NotFound"},
      {"nat-none", "k", "NatGatewayNotFound"},    {"thing-1", "k", "InvalidID"},
  };
  for (const auto& [resource, key, expected] : k_cases) {
    EXPECT_EQ(code<api::CreateTags>({.resources = {{resource}}, .tags = {{{.key = key, .value = "v"}}}}),
              expected)
        << resource << " " << key.substr(0, 20);
  }
  EXPECT_EQ(
      code<api::CreateTags>({.resources = {{vpc}}, .tags = {{{.key = "k", .value = std::string(257, 'v')}}}}),
      "InvalidParameterValue");
  EXPECT_EQ(code<api::CreateTags>({.resources = {{vpc}}, .tags = {{{.key = "k"}, {.key = "k"}}}}),
            "InvalidParameterValue");
  std::vector<api::Tag> many;
  for (int i = 0; i < 50; ++i) many.push_back({.key = fmt::format("key{}", i)});
  EXPECT_EQ(code<api::CreateTags>({.resources = {{vpc}}, .tags = many}), "TagLimitExceeded");
  many.pop_back();
  EXPECT_EQ(code<api::CreateTags>({.resources = {{vpc}}, .tags = many}), "");
  EXPECT_EQ(
      code<api::CreateVpc>({.cidr_block = "10.0.0.0/16", .tag_specifications = tagged("subnet", "a", "1")}),
      "InvalidParameterValue");
  EXPECT_EQ(
      code<api::CreateVpc>({.cidr_block = "10.0.0.0/16", .tag_specifications = tagged("vpc", "aws:a", "1")}),
      "InvalidParameterValue");
}

TEST_F(TagsTest, AreFoundByKeyValueAndKind) {
  const auto vpc = make_vpc();
  const auto subnet_id = make_subnet(vpc, "10.0.0.0/24");
  get<api::CreateTags>({.resources = {{vpc, subnet_id}}, .tags = {{{.key = "cluster", .value = "a"}}}});
  get<api::CreateTags>({.resources = {{vpc}}, .tags = {{{.key = "other", .value = "b"}}}});
  const auto found = [this](std::vector<api::Filter> filters) {
    return get<api::DescribeTags>({.filters = std::move(filters)}).tags->size();
  };
  EXPECT_EQ(found({{"key", {{"cluster"}}}}), 2U);
  EXPECT_EQ(found({{"tag:cluster", {{"a"}}}}), 2U);
  EXPECT_EQ(found({{"value", {{"b"}}}}), 1U);
  EXPECT_EQ(found({{"resource-type", {{"subnet"}}}}), 1U);
  EXPECT_EQ(found({{"resource-type", {{"vpc"}}}, {"key", {{"o*"}}}}), 1U);
  const auto page = get<api::DescribeTags>({.max_results = 2});
  EXPECT_EQ(page.tags->size(), 2U);
  EXPECT_EQ(get<api::DescribeTags>({.max_results = 2, .next_token = page.next_token}).tags->size(), 1U);
}

}  // namespace
}  // namespace instantstart::sandbox::ec2
