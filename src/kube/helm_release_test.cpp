#include "kube/helm_release.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace instantstart::kube {
namespace {

json::object secret(std::string_view release) {
  return {{"kind", "Secret"}, {"type", "helm.sh/release.v1"}, {"data", {{"release", release}}}};
}

// base64(base64(gzip(…))) of a release "dependencies" in kube-system, revision 3, deployed, of
// hyperpod-helm-chart 0.1.0, with values {"a":{"enabled":false}}, chart values
// {"a":{"enabled":true},"b":{"enabled":false}} and a manifest.
constexpr std::string_view k_release =
    "SDRzSUFBQUFBQUFDQTIxUHpXckRNQXgrbGVEelhOd1Vkc2hEN0RSMjJEcUtFc3VMcVNNYnl3bUVrbmVmN2F5VWpZRXUrdjZrN3lZ"
    "SUpoUmRJelFHSkkwMFdHVHgxQWhMeG1mOEpveU5uQzZaZG41RlhhU3RhcCtsT3VaNVZhcXI4MTRzbkNETi9CTzJxN2NNRHlQRVZL"
    "TW1US0FoUVYzdWg4YzFZQXhleXhIZEpIZHhkaTBZMlhvcUNuVTRIbFRCSU5pM0I3eTBOWDRCTnlQWHlEMFlDWHBYUDAxeHhpTHAv"
    "K0FHSE9OV21JUlRjSkNxLytPemZ1dkoySzkvNHg2MkNjZ2E1TkpLU0NuUGRMV2t1K1lsVitJQUE1N3BkNFZUM3VoT0Z0TjE3bEh5"
    "eXZtKzJMNEJVSDcrUzRVQkFBQT0=";

TEST(HelmRelease, IsReadFromItsSecret) {
  const auto release = read_helm_release(secret(k_release));
  ASSERT_TRUE(release) << release.error().message;
  EXPECT_EQ(release->name, "dependencies");
  EXPECT_EQ(release->space, "kube-system");
  EXPECT_EQ(release->revision, 3);
  EXPECT_EQ(release->status, "deployed");
  EXPECT_EQ(release->chart, "hyperpod-helm-chart");
  EXPECT_EQ(release->chart_version, "0.1.0");
}

TEST(HelmRelease, AValueThatTheUserSetGoesBeforeTheChartsOwn) {
  const auto release = read_helm_release(secret(k_release));
  ASSERT_TRUE(release);
  EXPECT_FALSE(release->switched_on("a.enabled"));
  EXPECT_FALSE(release->switched_on("b.enabled"));
  EXPECT_TRUE(release->switched_on("c.enabled")) << "nothing says otherwise";
}

TEST(HelmRelease, WhatIsNoReleaseIsRefused) {
  for (const std::string_view text : {"", "not base64", "bm90IGdsemlw", "Ym05MElHZDZhWEE9"}) {
    const auto release = read_helm_release(secret(text));
    ASSERT_FALSE(release) << text;
    EXPECT_EQ(release.error().code, codes::upstream_error);
  }
  const auto cut =
      read_helm_release(secret("SDRzSUFBQUFBQUFDQTIxUHpXckRNQXgrbGVEelhOd1Vkc2hEN0RSMjJEcUtFc3VMcVNNYnl3bUVrb"
                               "mVmN2F5VWpZRXUrdjZrN3lZSUpoUmQ="));
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message.find("ends too soon"), std::string::npos) << cut.error().message;
}

TEST(HelmRelease, OfEachNameTheHighestRevisionCounts) {
  const auto latest = latest_revisions({{.name = "a", .space = "x", .revision = 2, .status = "deployed"},
                                        {.name = "a", .space = "x", .revision = 3, .status = "failed"},
                                        {.name = "a", .space = "y", .revision = 1, .status = "deployed"}});
  ASSERT_EQ(latest.size(), 2U);
  EXPECT_EQ(latest[0].status, "failed");
  EXPECT_EQ(latest[1].space, "y");
}

}  // namespace
}  // namespace instantstart::kube
