#include "aws/environment.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace instantstart::aws {
namespace {

class SystemEnvironmentTest : public testing::Test {
 protected:
  SystemEnvironmentTest() {
    std::string pattern = testing::TempDir() + "environment-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~SystemEnvironmentTest() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string& name, const std::string& content) {
    const auto path = folder / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  std::filesystem::path folder;
  SystemEnvironment environment;
};

TEST_F(SystemEnvironmentTest, TellsUnsetFromEmpty) {
  const std::string name = "INSTANTSTART_TEST_OF_ENVIRONMENT";
  EXPECT_EQ(environment.variable(name), std::nullopt);
  setenv(name.c_str(), "", 1);
  EXPECT_EQ(environment.variable(name), "");
  EXPECT_EQ(environment.variable_or_empty(name), "");
  unsetenv(name.c_str());
}

TEST_F(SystemEnvironmentTest, ReadsBytesAsTheyAre) {
  const std::string content("a\0b\r\n", 5);
  EXPECT_EQ(environment.read_file(write("f", content)), Result<std::optional<std::string>>(content));
  EXPECT_EQ(environment.read_file(write("empty", "")), Result<std::optional<std::string>>(""));
}

TEST_F(SystemEnvironmentTest, NoFileAndAFolderAreNoFile) {
  for (const auto& path : {folder / "gone", folder, folder / "gone" / "deeper"}) {
    EXPECT_EQ(environment.read_file(path), Result<std::optional<std::string>>(std::nullopt)) << path;
  }
}

TEST_F(SystemEnvironmentTest, AFileIsBounded) {
  const std::string most(1024 * 1024, 'x');
  EXPECT_TRUE(environment.read_file(write("most", most)));
  const auto more = environment.read_file(write("more", most + "x"));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, "credentials_invalid");
}

}  // namespace
}  // namespace instantstart::aws
