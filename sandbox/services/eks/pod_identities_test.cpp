#include "sandbox/services/eks/testing/eks_fixture.h"

namespace instantstart::sandbox::eks {
namespace {

class PodIdentitiesTest : public EksFixture {
 protected:
  void SetUp() override {
    EksFixture::SetUp();
    make_active();
  }
  api::CreatePodIdentityAssociationRequest request() {
    return {.cluster_name = "demo", .namespace_ = "ml", .service_account = "train", .role_arn = role};
  }
};

TEST_F(PodIdentitiesTest, AServiceAccountHasOne) {
  const auto made = *get<api::CreatePodIdentityAssociation>(request()).association;
  EXPECT_EQ(made.association_id->size(), 19u);
  EXPECT_EQ(made.association_arn,
            "arn:aws:eks:us-west-2:123456789012:podidentityassociation/demo/" + *made.association_id);
  EXPECT_FALSE(made.external_id);
  EXPECT_EQ(message<api::CreatePodIdentityAssociation>(request()),
            "Association already exists: " + *made.association_id);
  auto other = request();
  other.namespace_ = "ml2";
  EXPECT_EQ(code<api::CreatePodIdentityAssociation>(other), "");
  EXPECT_EQ(get<api::ListPodIdentityAssociations>({.cluster_name = "demo", .namespace_ = "ml"})
                .associations->size(),
            1u);
}

TEST_F(PodIdentitiesTest, ATargetRoleBringsAnExternalIdThatStays) {
  auto wanted = request();
  wanted.target_role_arn = "arn:aws:iam::999999999999:role/far";
  const auto made = *get<api::CreatePodIdentityAssociation>(wanted).association;
  ASSERT_TRUE(made.external_id);
  const auto changed =
      *get<api::UpdatePodIdentityAssociation>({.cluster_name = "demo",
                                               .association_id = made.association_id,
                                               .target_role_arn = "arn:aws:iam::999999999999:role/further"})
           .association;
  EXPECT_EQ(changed.external_id, made.external_id);
  EXPECT_EQ(changed.target_role_arn, "arn:aws:iam::999999999999:role/further");
}

TEST_F(PodIdentitiesTest, AreRefusedWhatTheyCanNotHave) {
  auto wanted = request();
  wanted.role_arn = "arn:aws:iam::123456789012:role/none";
  EXPECT_EQ(message<api::CreatePodIdentityAssociation>(wanted),
            "Role provided in the request does not exist.");
  wanted = request();
  wanted.policy = "{}";
  EXPECT_EQ(code<api::CreatePodIdentityAssociation>(wanted), "InvalidParameterException");
  wanted.disable_session_tags = true;
  EXPECT_EQ(code<api::CreatePodIdentityAssociation>(wanted), "");
  limits.pod_identity_associations = 1;
  wanted.service_account = "second";
  EXPECT_EQ(code<api::CreatePodIdentityAssociation>(wanted), "ResourceLimitExceededException");
}

TEST_F(PodIdentitiesTest, AreChangedAndDeletedByTheirId) {
  auto wanted = request();
  wanted.tags = {{{"a", "b"}}};
  const auto id = get<api::CreatePodIdentityAssociation>(wanted).association->association_id;
  const auto other = make_role("other", "pods.eks.amazonaws.com");
  get<api::UpdatePodIdentityAssociation>({.cluster_name = "demo", .association_id = id, .role_arn = other});
  const auto shown =
      *get<api::DescribePodIdentityAssociation>({.cluster_name = "demo", .association_id = id}).association;
  EXPECT_EQ(shown.role_arn, other);
  EXPECT_EQ(shown.tags->at("a"), "b");
  get<api::DeletePodIdentityAssociation>({.cluster_name = "demo", .association_id = id});
  EXPECT_EQ(code<api::DeletePodIdentityAssociation>({.cluster_name = "demo", .association_id = id}),
            "ResourceNotFoundException");
}

}  // namespace
}  // namespace instantstart::sandbox::eks
