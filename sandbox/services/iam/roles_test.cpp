#include "base/digest.h"
#include "sandbox/services/iam/testing/iam_fixture.h"

namespace instantstart::sandbox::iam {
namespace {

class RolesTest : public IamFixture {};

TEST_F(RolesTest, ANewOneIsThereAtOnce) {
  const auto made = get<api::CreateRole>({.path = "/team/a/",
                                          .role_name = "exec",
                                          .assume_role_policy_document = trust(),
                                          .description = "d",
                                          .max_session_duration = 7200,
                                          .permissions_boundary = "arn:aws:iam::aws:policy/PowerUserAccess",
                                          .tags = {{{.key = "k", .value = "v"}}}})
                        .role.value();
  EXPECT_EQ(made.arn, "arn:aws:iam::123456789012:role/team/a/exec");
  EXPECT_TRUE(made.role_id->starts_with("AROA") && made.role_id->size() == 21) << *made.role_id;
  restart();
  const auto shown = get<api::GetRole>({.role_name = "exec"}).role.value();
  EXPECT_EQ(percent_decode(*shown.assume_role_policy_document), trust());
  EXPECT_NE(shown.assume_role_policy_document, trust());
  EXPECT_EQ(shown.max_session_duration, 7200);
  EXPECT_EQ(shown.tags->at(0).value, "v");
  EXPECT_EQ(shown.permissions_boundary->permissions_boundary_arn, "arn:aws:iam::aws:policy/PowerUserAccess");
}

struct RoleCase {
  api::CreateRoleRequest request;
  std::string_view code;
};

TEST_F(RolesTest, AreRefusedWhatTheyCanNotHave) {
  make_role("taken");
  const RoleCase k_cases[] = {
      {{.role_name = "taken"}, "EntityAlreadyExists"},
      {{.role_name = "TAKEN"}, "EntityAlreadyExists"},
      {{.role_name = "a b"}, "ValidationError"},
      {{.role_name = std::string(65, 'x')}, "ValidationError"},
      {{.path = "team", .role_name = "x"}, "ValidationError"},
      {{.path = "/aws-service-role/x/", .role_name = "x"}, "ValidationError"},
      {{.role_name = "x", .max_session_duration = 60}, "ValidationError"},
      {{.role_name = "x", .permissions_boundary = "arn:aws:iam::aws:policy/NoSuchPolicyAtAll"},
       "NoSuchEntity"},
      {{.role_name = "x", .tags = {{{.key = "K", .value = "1"}, {.key = "k", .value = "2"}}}},
       "InvalidInput"},
      {{.role_name = "x", .assume_role_policy_document = "{"}, "MalformedPolicyDocument"},
      {{.role_name = "x", .assume_role_policy_document = allow("sts:AssumeRole")}, "MalformedPolicyDocument"},
      {{.role_name = "x", .assume_role_policy_document = trust() + std::string(3000, ' ')}, ""},
  };
  for (std::size_t i = 0; i < std::size(k_cases); ++i) {
    auto request = k_cases[i].request;
    if (!request.assume_role_policy_document) request.assume_role_policy_document = trust();
    EXPECT_EQ(code<api::CreateRole>(request), k_cases[i].code) << i;
  }
}

TEST_F(RolesTest, OnlyRolesThatExistAreTrusted) {
  const auto naming = [](const std::string& arn) {
    return R"({"Statement":{"Effect":"Allow","Principal":{"AWS":")" + arn +
           R"("},"Action":"sts:AssumeRole"}})";
  };
  const auto arn = make_role("there");
  EXPECT_EQ(code<api::CreateRole>({.role_name = "a", .assume_role_policy_document = naming(arn)}), "");
  EXPECT_EQ(message<api::CreateRole>({.role_name = "b", .assume_role_policy_document = naming(arn + "x")}),
            "Invalid principal in policy: \"AWS\":\"" + arn + "x\"");
  EXPECT_EQ(
      code<api::CreateRole>(
          {.role_name = "c", .assume_role_policy_document = naming("arn:aws:iam::999999999999:role/far")}),
      "");
  EXPECT_EQ(code<api::UpdateAssumeRolePolicy>({.role_name = "a", .policy_document = naming(arn + "x")}),
            "MalformedPolicyDocument");
  EXPECT_EQ(
      code<api::UpdateAssumeRolePolicy>({.role_name = "a", .policy_document = trust("eks.amazonaws.com")}),
      "");
  EXPECT_EQ(percent_decode(*get<api::GetRole>({.role_name = "a"}).role->assume_role_policy_document),
            trust("eks.amazonaws.com"));
}

TEST_F(RolesTest, PoliciesHoldThemBack) {
  make_role("r");
  get<api::PutRolePolicy>({.role_name = "r", .policy_name = "p", .policy_document = allow("ec2:*")});
  EXPECT_EQ(message<api::DeleteRole>({.role_name = "r"}),
            "Cannot delete entity, must delete policies first.");
  get<api::AttachRolePolicy>(
      {.role_name = "r", .policy_arn = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"});
  EXPECT_EQ(message<api::DeleteRole>({.role_name = "r"}),
            "Cannot delete entity, must detach all policies first.");
  EXPECT_EQ(code<api::DeleteRole>({.role_name = "r"}), "DeleteConflict");
  get<api::DetachRolePolicy>(
      {.role_name = "r", .policy_arn = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"});
  get<api::DeleteRolePolicy>({.role_name = "r", .policy_name = "p"});
  get<api::DeleteRole>({.role_name = "r"});
  EXPECT_EQ(message<api::GetRole>({.role_name = "r"}), "The role with name r cannot be found.");
  EXPECT_EQ(code<api::DeleteRole>({.role_name = "r"}), "NoSuchEntity");
}

TEST_F(RolesTest, AreFoundByTheirExactName) {
  make_role("Exec");
  EXPECT_EQ(code<api::GetRole>({.role_name = "exec"}), "NoSuchEntity");
  EXPECT_EQ(code<api::GetRole>({.role_name = "Exec"}), "");
}

TEST_F(RolesTest, OneWhoseNameBeginsLikeAnotherHasItsOwnPolicies) {
  make_role("r");
  make_role("r-2");
  get<api::PutRolePolicy>({.role_name = "r-2", .policy_name = "p", .policy_document = allow("ec2:*")});
  EXPECT_TRUE(get<api::ListRolePolicies>({.role_name = "r"}).policy_names->empty());
  EXPECT_EQ(code<api::DeleteRole>({.role_name = "r"}), "");
}

TEST_F(RolesTest, AreListedByPathAndPage) {
  for (int i = 0; i < 5; ++i) make_role("a" + std::to_string(i), "/one/");
  make_role("b", "/two/");
  EXPECT_EQ(get<api::ListRoles>({}).roles->size(), 6U);
  EXPECT_EQ(get<api::ListRoles>({.path_prefix = "/two/"}).roles->size(), 1U);
  api::ListRolesRequest request{.path_prefix = "/one/", .max_items = 2};
  std::string seen;
  while (true) {
    const auto page = get<api::ListRoles>(request);
    for (const auto& role : *page.roles) seen += *role.role_name;
    EXPECT_EQ(*page.is_truncated, page.marker.has_value());
    if (!page.marker) break;
    request.marker = page.marker;
  }
  EXPECT_EQ(seen, "a0a1a2a3a4");
  EXPECT_EQ(code<api::ListRoles>({.marker = "x"}), "ValidationError");
}

TEST_F(RolesTest, TagsAreReplacedWhateverTheirCase) {
  make_role("r");
  get<api::TagRole>(
      {.role_name = "r", .tags = {{{.key = "Team", .value = "a"}, {.key = "b", .value = "1"}}}});
  get<api::TagRole>({.role_name = "r", .tags = {{{.key = "team", .value = "c"}}}});
  const auto tags = get<api::ListRoleTags>({.role_name = "r"}).tags.value();
  ASSERT_EQ(tags.size(), 2U);
  EXPECT_EQ(tags[1].key, "team");
  EXPECT_EQ(tags[1].value, "c");
  EXPECT_EQ(code<api::TagRole>({.role_name = "r", .tags = {{{.key = "aws:x", .value = ""}}}}),
            "InvalidInput");
  std::vector<api::Tag> many;
  for (int i = 0; i < 49; ++i) many.push_back({.key = "key" + std::to_string(i), .value = ""});
  EXPECT_EQ(code<api::TagRole>({.role_name = "r", .tags = many}), "LimitExceeded");
  many.pop_back();
  EXPECT_EQ(code<api::TagRole>({.role_name = "r", .tags = many}), "");
  EXPECT_EQ(code<api::ListRoleTags>({.role_name = "none"}), "NoSuchEntity");
  EXPECT_TRUE(get<api::ListInstanceProfilesForRole>({.role_name = "r"}).instance_profiles->empty());
}

TEST_F(RolesTest, InlinePoliciesAreKeptAsSent) {
  make_role("r");
  const std::string document =
      "{ \"Statement\" : " + std::string(R"({"Effect":"Allow","Action":"a:B","Resource":"*"}})");
  get<api::PutRolePolicy>({.role_name = "r", .policy_name = "p", .policy_document = document});
  EXPECT_EQ(percent_decode(*get<api::GetRolePolicy>({.role_name = "r", .policy_name = "p"}).policy_document),
            document);
  EXPECT_EQ(code<api::PutRolePolicy>({.role_name = "r", .policy_name = "q", .policy_document = "{}"}),
            "MalformedPolicyDocument");
  EXPECT_EQ(code<api::PutRolePolicy>({.role_name = "none", .policy_name = "q", .policy_document = document}),
            "NoSuchEntity");
  EXPECT_EQ(code<api::PutRolePolicy>({.role_name = "r", .policy_name = "a/b", .policy_document = document}),
            "ValidationError");
  EXPECT_EQ(
      code<api::PutRolePolicy>({.role_name = "r",
                                .policy_name = "big",
                                .policy_document = allow("a:B", "arn:aws:s3:::" + std::string(10240, 'x'))}),
      "LimitExceeded");
  for (const char letter : {'x', 'y'}) {  // The second takes the place of the first, so only it counts.
    EXPECT_EQ(code<api::PutRolePolicy>(
                  {.role_name = "r",
                   .policy_name = "half",
                   .policy_document = allow("a:B", "arn:aws:s3:::" + std::string(6000, letter))}),
              "");
  }
  get<api::DeleteRolePolicy>({.role_name = "r", .policy_name = "half"});
  EXPECT_EQ(message<api::GetRolePolicy>({.role_name = "r", .policy_name = "none"}),
            "The role policy with name none cannot be found.");
  EXPECT_EQ(code<api::DeleteRolePolicy>({.role_name = "r", .policy_name = "none"}), "NoSuchEntity");
  EXPECT_EQ(get<api::ListRolePolicies>({.role_name = "r"}).policy_names.value(),
            std::vector<std::string>{"p"});
}

TEST_F(RolesTest, ManagedPoliciesAreAttachedOnce) {
  make_role("r");
  const std::string arn = "arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy";
  get<api::AttachRolePolicy>({.role_name = "r", .policy_arn = arn});
  get<api::AttachRolePolicy>({.role_name = "r", .policy_arn = arn});
  EXPECT_EQ(get<api::ListAttachedRolePolicies>({.role_name = "r"}).attached_policies->size(), 1U);
  EXPECT_EQ(get<api::ListAttachedRolePolicies>({.role_name = "r", .path_prefix = "/service-role/"})
                .attached_policies->size(),
            0U);
  const auto policy = get<api::GetPolicy>({.policy_arn = arn}).policy.value();
  EXPECT_EQ(policy.attachment_count, 1);
  EXPECT_EQ(policy.default_version_id, "v1");
  EXPECT_EQ(
      code<api::AttachRolePolicy>({.role_name = "r", .policy_arn = "arn:aws:iam::aws:policy/NoSuchPolicy"}),
      "NoSuchEntity");
  EXPECT_EQ(code<api::AttachRolePolicy>(
                {.role_name = "r",
                 .policy_arn =
                     "arn:aws:iam::aws:policy/aws-service-role/AmazonSageMakerHyperPodServiceRolePolicy"}),
            "PolicyNotAttachable");
  EXPECT_EQ(code<api::GetPolicy>({.policy_arn = "arn:aws:iam::123456789012:policy/mine"}), "NoSuchEntity");
  get<api::DetachRolePolicy>({.role_name = "r", .policy_arn = arn});
  EXPECT_EQ(code<api::DetachRolePolicy>({.role_name = "r", .policy_arn = arn}), "NoSuchEntity");
}

TEST_F(RolesTest, QuotasAreKept) {
  restart({.roles = 2, .managed_policies_per_role = 1, .trust_policy_characters = 200});
  make_role("a");
  get<api::AttachRolePolicy>({.role_name = "a", .policy_arn = "arn:aws:iam::aws:policy/AmazonS3FullAccess"});
  EXPECT_EQ(message<api::AttachRolePolicy>(
                {.role_name = "a", .policy_arn = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"}),
            "Cannot exceed quota for PoliciesPerRole: 1");
  EXPECT_EQ(
      message<api::CreateRole>(
          {.role_name = "c", .assume_role_policy_document = trust(std::string(100, 'x') + ".amazonaws.com")}),
      "Cannot exceed quota for ACLSizePerRole: 200");
  make_role("b");
  EXPECT_EQ(message<api::CreateRole>({.role_name = "c", .assume_role_policy_document = trust()}),
            "Cannot exceed quota for RolesPerAccount: 2");
}

TEST_F(RolesTest, ServicesHaveTheirOwn) {
  const auto role = get<api::CreateServiceLinkedRole>({.aws_service_name = "eks.amazonaws.com"}).role.value();
  EXPECT_EQ(role.arn,
            "arn:aws:iam::123456789012:role/aws-service-role/eks.amazonaws.com/AWSServiceRoleForAmazonEKS");
  EXPECT_EQ(get<api::ListAttachedRolePolicies>({.role_name = *role.role_name}).attached_policies->size(), 1U);
  EXPECT_EQ(
      message<api::CreateServiceLinkedRole>({.aws_service_name = "eks.amazonaws.com"}),
      "Service role name AWSServiceRoleForAmazonEKS has been taken in this account, please try a different "
      "suffix.");
  EXPECT_EQ(code<api::DeleteRole>({.role_name = *role.role_name}), "UnmodifiableEntity");
  EXPECT_EQ(code<api::PutRolePolicy>(
                {.role_name = *role.role_name, .policy_name = "p", .policy_document = allow("a:B")}),
            "UnmodifiableEntity");
  EXPECT_EQ(code<api::CreateServiceLinkedRole>({.aws_service_name = "nothing.amazonaws.com"}),
            "InvalidInput");
  EXPECT_EQ(
      code<api::CreateServiceLinkedRole>({.aws_service_name = "eks.amazonaws.com", .custom_suffix = "x"}),
      "InvalidInput");
  EXPECT_EQ(
      code<api::CreateServiceLinkedRole>({.aws_service_name = "s3.data-source.lustre.fsx.amazonaws.com"}),
      "InvalidInput");
  EXPECT_EQ(get<api::CreateServiceLinkedRole>(
                {.aws_service_name = "s3.data-source.lustre.fsx.amazonaws.com", .custom_suffix = "fs-1"})
                .role->role_name,
            "AWSServiceRoleForFSxS3Access_fs-1");
  EXPECT_TRUE(service->ensure_service_linked_role("us-west-2", "hyperpod.sagemaker.amazonaws.com"));
  EXPECT_TRUE(service->ensure_service_linked_role("us-west-2", "hyperpod.sagemaker.amazonaws.com"));
  EXPECT_FALSE(service->ensure_service_linked_role("us-west-2", "nothing.amazonaws.com"));
  EXPECT_EQ(code<api::GetRole>({.role_name = "AWSServiceRoleForSageMakerHyperPod"}), "");
}

TEST_F(RolesTest, TheDirectoryTellsWhoTrustsWhom) {
  const auto arn = make_role("r", "/team/");
  const RoleDirectory& directory = *service;
  const auto role = directory.find_role(arn);
  ASSERT_TRUE(role);
  EXPECT_EQ(role->name, "r");
  EXPECT_TRUE(role->unique_id.starts_with("AROA"));
  EXPECT_EQ(role->max_session_seconds, 3600);
  EXPECT_EQ(role->trust_policy.at("Version"), "2012-10-17");
  EXPECT_FALSE(directory.find_role("arn:aws:iam::123456789012:role/r"));
  EXPECT_FALSE(directory.find_role("r"));
}

TEST_F(RolesTest, OidcProvidersAreNamedByTheirIssuer) {
  const std::string url = "https://oidc.eks.us-west-2.amazonaws.com/id/ABC";
  const auto made = get<api::CreateOpenIDConnectProvider>(
      {.url = url, .client_id_list = {{"sts.amazonaws.com"}}, .thumbprint_list = {{std::string(40, 'a')}}});
  const auto arn = *made.open_id_connect_provider_arn;
  EXPECT_EQ(arn, "arn:aws:iam::123456789012:oidc-provider/oidc.eks.us-west-2.amazonaws.com/id/ABC");
  EXPECT_EQ(code<api::CreateOpenIDConnectProvider>({.url = url + "/"}), "EntityAlreadyExists");
  EXPECT_EQ(code<api::CreateOpenIDConnectProvider>({.url = "http://a.example"}), "ValidationError");
  EXPECT_EQ(code<api::CreateOpenIDConnectProvider>({.url = "https://a.example", .thumbprint_list = {{"zz"}}}),
            "ValidationError");
  const auto shown = get<api::GetOpenIDConnectProvider>({.open_id_connect_provider_arn = arn});
  EXPECT_EQ(shown.url, "oidc.eks.us-west-2.amazonaws.com/id/ABC");
  EXPECT_EQ(service->find_oidc_provider(arn)->client_id_list->at(0), "sts.amazonaws.com");
  EXPECT_EQ(get<api::ListOpenIDConnectProviders>({}).open_id_connect_provider_list->at(0).arn, arn);
  get<api::DeleteOpenIDConnectProvider>({.open_id_connect_provider_arn = arn});
  get<api::DeleteOpenIDConnectProvider>({.open_id_connect_provider_arn = arn});
  EXPECT_EQ(code<api::GetOpenIDConnectProvider>({.open_id_connect_provider_arn = arn}), "NoSuchEntity");
}

TEST_F(RolesTest, UpdateRoleChangesWhatIsGivenAndLeavesTheRest) {
  get<api::CreateRole>({.role_name = "r", .assume_role_policy_document = trust(), .description = "one"});
  get<api::UpdateRole>({.role_name = "r", .max_session_duration = 7200});
  EXPECT_EQ(get<api::GetRole>({.role_name = "r"}).role->description, "one");
  EXPECT_EQ(get<api::GetRole>({.role_name = "r"}).role->max_session_duration, 7200);
  EXPECT_EQ(code<api::UpdateRole>({.role_name = "none", .description = "x"}), "NoSuchEntity");
}

TEST_F(RolesTest, UntagRoleTakesKeysInAnyCase) {
  get<api::CreateRole>({.role_name = "r",
                        .assume_role_policy_document = trust(),
                        .tags = {{{.key = "Team", .value = "a"}, {.key = "Cost", .value = "b"}}}});
  get<api::UntagRole>({.role_name = "r", .tag_keys = {{"team", "absent"}}});
  const auto left = get<api::ListRoleTags>({.role_name = "r"}).tags.value();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].key, "Cost");
  EXPECT_EQ(code<api::UntagRole>({.role_name = "r", .tag_keys = {{"aws:x"}}}), "InvalidInput");
}

}  // namespace
}  // namespace instantstart::sandbox::iam
