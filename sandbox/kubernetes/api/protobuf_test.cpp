#include "sandbox/kubernetes/api/protobuf.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace instantstart::sandbox::kubernetes {
namespace {

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
  return bytes;
}
std::string number(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
std::string bytes(int field, std::string_view content) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(content.size()) + std::string(content);
}
std::string envelope(std::string_view api_version, std::string_view kind, std::string_view raw) {
  return std::string("k8s\0", 4) + bytes(1, bytes(1, api_version) + bytes(2, kind)) + bytes(2, raw);
}
json::object decoded(const std::string& body) {
  auto object = decode_protobuf(body);
  EXPECT_TRUE(object);
  return object ? *object : json::object{};
}

TEST(DecodeProtobuf, ReadsMetadataMapsAndBytes) {
  const std::string metadata = bytes(1, "s") + bytes(3, "") + bytes(8, "") +
                               bytes(11, bytes(1, "a") + bytes(2, "b")) + bytes(14, "f1") + bytes(14, "f2");
  const std::string secret =
      bytes(1, metadata) + bytes(2, bytes(1, "k") + bytes(2, "v")) + bytes(3, "Opaque");
  EXPECT_EQ(decoded(envelope("v1", "Secret", secret)),
            (json::object{{"kind", "Secret"},
                          {"apiVersion", "v1"},
                          {"metadata", json::object{{"name", "s"},
                                                    {"labels", json::object{{"a", "b"}}},
                                                    {"finalizers", json::array{"f1", "f2"}}}},
                          {"data", json::object{{"k", "dg=="}}},
                          {"type", "Opaque"}}));
}

TEST(DecodeProtobuf, KeepsAZeroThatWasSaid) {
  const auto object = decoded(envelope("apps/v1", "Deployment", bytes(2, number(1, 0) + number(5, 0))));
  EXPECT_EQ(object.at("spec"), (json::object{{"replicas", 0}}));
}

TEST(DecodeProtobuf, ReadsNumbersOrTexts) {
  const auto budget = [](const std::string& amount) {
    return decoded(envelope("policy/v1", "PodDisruptionBudget", bytes(2, bytes(1, amount))))
        .at("spec")
        .at("minAvailable");
  };
  EXPECT_EQ(budget(number(1, 0) + number(2, 3) + bytes(3, "")), json::value(3));
  EXPECT_EQ(budget(number(1, 1) + number(2, 0) + bytes(3, "50%")), json::value("50%"));
}

TEST(DecodeProtobuf, PutsInlineMembersWhereTheyBelong) {
  const std::string volume = bytes(1, "v") + bytes(2, bytes(2, ""));  // VolumeSource.emptyDir
  const auto pod = decoded(envelope("v1", "Pod", bytes(2, bytes(1, volume))));
  EXPECT_EQ(pod.at("spec").at("volumes").at(0), (json::object{{"name", "v"}, {"emptyDir", json::object{}}}));
}

TEST(DecodeProtobuf, ReadsTimes) {
  const std::string times = bytes(1, bytes(9, number(1, 1'767'225'600)));
  EXPECT_EQ(decoded(envelope("v1", "Pod", times)).at("metadata").at("deletionTimestamp"),
            json::value("2026-01-01T00:00:00Z"));
}

TEST(DecodeProtobuf, RefusesAnUnknownKind) {
  const auto refused = decode_protobuf(envelope("example.com/v1", "Widget", ""));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 415);
}

TEST(DecodeProtobuf, RefusesEveryCutMessage) {
  const std::string whole = envelope("v1", "Secret", bytes(1, bytes(1, "s")) + bytes(3, "Opaque"));
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    const auto cut = decode_protobuf(whole.substr(0, length));
    // Where the envelope ends between two of its fields it is whole, and names no kind or no content.
    if (cut) {
      EXPECT_FALSE(cut->contains("type"));
    }
  }
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
