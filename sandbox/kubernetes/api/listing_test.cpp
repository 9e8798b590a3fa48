#include <string>
#include <vector>

#include <fmt/format.h>

#include "sandbox/kubernetes/api/testing/api_fixture.h"

namespace instantstart::sandbox::kubernetes {
namespace {

constexpr const char* k_maps = "/api/v1/namespaces/kube-public/configmaps";

class Listing : public ApiFixture {
 protected:
  void SetUp() override {
    ApiFixture::SetUp();
    for (const auto* name : {"a", "b", "c"}) post(k_maps, config_map(name));
  }
  static std::vector<std::string> names(const Reply& reply) {
    std::vector<std::string> found;
    for (const auto& item : reply.body.at("items").as_array()) {
      found.emplace_back(item.at("metadata").at("name").as_string());
    }
    return found;
  }
};

using Names = std::vector<std::string>;

TEST_F(Listing, PagesShowTheCollectionAsItWasAtTheFirst) {
  const auto first = get(fmt::format("{}?limit=2", k_maps));
  EXPECT_EQ(names(first), (Names{"a", "b"}));
  EXPECT_EQ(first.text("metadata.remainingItemCount"), "2");
  remove(fmt::format("{}/c", k_maps));
  post(k_maps, config_map("d"));
  const auto second = get(fmt::format("{}?limit=2&continue={}", k_maps, first.text("metadata.continue")));
  EXPECT_EQ(names(second), (Names{"c", "kube-root-ca.crt"}));
  EXPECT_EQ(second.text("metadata.resourceVersion"), first.text("metadata.resourceVersion"));
  EXPECT_EQ(second.text("metadata.continue"), "");
}

TEST_F(Listing, AnExpiredPageSaysHowToGoOn) {
  const auto first = get(fmt::format("{}?limit=1", k_maps));
  post(k_maps, config_map("d"));
  end_server();
  start_server();
  const auto expired = get(fmt::format("{}?limit=1&continue={}", k_maps, first.text("metadata.continue")));
  EXPECT_EQ(expired.status, 410);
  const std::string go_on = expired.text("metadata.continue");
  ASSERT_NE(go_on, "");
  EXPECT_EQ(names(get(fmt::format("{}?continue={}", k_maps, go_on))),
            (Names{"b", "c", "d", "kube-root-ca.crt"}));
}

TEST_F(Listing, AnExactVersionIsShownFromTheHistory) {
  const std::string before = get(k_maps).text("metadata.resourceVersion");
  remove(fmt::format("{}/a", k_maps));
  const auto exact = get(fmt::format("{}?resourceVersion={}&resourceVersionMatch=Exact", k_maps, before));
  EXPECT_EQ(names(exact), (Names{"a", "b", "c", "kube-root-ca.crt"}));
}

TEST_F(Listing, ATokenOfSomebodyElseIsRefused) {
  EXPECT_EQ(get(fmt::format("{}?continue=abc", k_maps)).status, 400);
}

TEST_F(Listing, ShowsMetadataAloneOnRequest) {
  const auto reply = send("GET", k_maps, "", "admin",
                          {{"Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}});
  EXPECT_EQ(reply.text("kind"), "PartialObjectMetadataList");
  EXPECT_FALSE(reply.body.at("items").at(0).as_object().contains("data"));
}

TEST_F(Listing, AnswersNoProtobuf) {
  const auto reply = send("GET", k_maps, "", "admin", {{"Accept", "application/vnd.kubernetes.protobuf"}});
  EXPECT_EQ(reply.status, 406);
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
