#include "capabilities/network/kubernetes_versions.h"

#include <gtest/gtest.h>

namespace instantstart::capabilities {
namespace {

aws::eks::ClusterVersionInformation version(std::string name, std::string status) {
  aws::eks::ClusterVersionInformation made;
  made.cluster_version = std::move(name);
  made.version_status = std::move(status);
  return made;
}

std::string names(bool extended) {
  std::string all;
  const std::vector versions{version("1.9", "EXTENDED_SUPPORT"), version("1.10", "STANDARD_SUPPORT"),
                             version("1.11", "STANDARD_SUPPORT"), version("1.8", "UNSUPPORTED")};
  for (const auto& view : to_versions(versions, extended)) all += view.version + " " + view.support + ";";
  return all;
}

TEST(KubernetesVersions, NewestFirstAndOnlyThoseInSupport) {
  EXPECT_EQ(names(false), "1.11 standard;1.10 standard;");
  EXPECT_EQ(names(true), "1.11 standard;1.10 standard;1.9 extended;") << "ordered as numbers";
}

TEST(KubernetesVersions, DatesAreWrittenAsAllOthersAndAbsentWhenUnknown) {
  auto known = version("1.34", "STANDARD_SUPPORT");
  known.release_date = aws::Timestamp{std::chrono::sys_days(std::chrono::year(2026) / 1 / 2)};
  const auto view = to_versions({known}, false).at(0);
  EXPECT_EQ(view.released_at, "2026-01-02T00:00:00.000Z");
  EXPECT_FALSE(view.standard_support_ends_at);
}

}  // namespace
}  // namespace instantstart::capabilities
