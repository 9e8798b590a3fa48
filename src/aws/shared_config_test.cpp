#include "aws/shared_config.h"

#include <gtest/gtest.h>

#include "aws/region.h"

namespace instantstart::aws {
namespace {

FixedEnvironment home(std::string config, std::string credentials = "") {
  FixedEnvironment environment;
  environment.variables["HOME"] = "/home/u";
  environment.files["/home/u/.aws/config"] = std::move(config);
  if (!credentials.empty()) environment.files["/home/u/.aws/credentials"] = std::move(credentials);
  return environment;
}

TEST(SharedConfig, ProfilesCarryThePrefixInTheConfigFileOnly) {
  const auto config = load_shared_config(home(
      "[default]\nregion=a\n[profile dev]\nregion=b\n[profile 'two words']\nregion=c\n[dev2]\nregion=d\n",
      "[keys]\naws_access_key_id=x\n"));
  ASSERT_TRUE(config);
  EXPECT_EQ(*config->profile("dev").find("region"), "b");
  EXPECT_EQ(*config->profile("two words").find("region"), "c");
  EXPECT_FALSE(config->profiles.contains("dev2"));
  EXPECT_TRUE(config->profiles.contains("keys"));
}

TEST(SharedConfig, TheCredentialsFileLiesOverTheConfigFile) {
  const auto config = load_shared_config(
      home("[profile a]\nregion=r\naws_access_key_id=old\n", "[a]\naws_access_key_id=new\n"));
  ASSERT_TRUE(config);
  EXPECT_EQ(*config->profile("a").find("aws_access_key_id"), "new");
  EXPECT_EQ(*config->profile("a").find("region"), "r");
  EXPECT_EQ(*config->config_profiles.at("a").find("aws_access_key_id"), "old");
}

TEST(SharedConfig, TheProfileIsAskedForOrNamedByTheEnvironment) {
  auto environment = home("[default]\n[profile a]\n[profile b]\n[profile c]\n");
  EXPECT_EQ(load_shared_config(environment)->profile_name, "default");
  environment.variables["AWS_PROFILE"] = "a";
  EXPECT_EQ(load_shared_config(environment)->profile_name, "a");
  environment.variables["AWS_DEFAULT_PROFILE"] = "b";
  EXPECT_EQ(load_shared_config(environment)->profile_name, "b");
  EXPECT_FALSE(load_shared_config(environment)->profile_asked);
  EXPECT_EQ(load_shared_config(environment, "c")->profile_name, "c");
  EXPECT_TRUE(load_shared_config(environment, "c")->profile_asked);
}

TEST(SharedConfig, AProfileThatIsNamedMustExist) {
  auto environment = home("[default]\n");
  environment.variables["AWS_PROFILE"] = "nowhere";
  const auto config = load_shared_config(environment);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, "credentials_invalid");
  EXPECT_NE(config.error().message.find("'nowhere'"), std::string::npos);
}

TEST(SharedConfig, MissingFilesAreEmpty) {
  const auto config = load_shared_config(FixedEnvironment{});
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->profiles.empty());
}

TEST(SharedConfig, FilesAreWhereTheVariablesSay) {
  FixedEnvironment environment;
  environment.variables = {{"AWS_CONFIG_FILE", "$BASE/c"},
                           {"BASE", "/etc"},
                           {"HOME", "/root"},
                           {"AWS_SHARED_CREDENTIALS_FILE", "~/k"}};
  environment.files = {{"/etc/c", "[profile p]\nregion=r\n"}, {"/root/k", "[q]\n"}};
  const auto config = load_shared_config(environment);
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->profiles.contains("p"));
  EXPECT_TRUE(config->profiles.contains("q"));
}

TEST(ExpandPath, ReplacesWhatIsKnown) {
  FixedEnvironment environment;
  environment.variables = {{"A", "x"}, {"HOME", "/h/"}};
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"$A/b", "x/b"}, {"${A}b", "xb"}, {"$B", "$B"},     {"${A", "${A"},
      {"~", "/h"},     {"~/a", "/h/a"}, {"~x/a", "~x/a"}, {"a$", "a$"},
  };
  for (const auto& [path, expanded] : cases) EXPECT_EQ(expand_path(environment, path), expanded) << path;
}

TEST(ConfiguredRegion, TheFirstThatIsSetWins) {
  auto environment = home("[default]\nregion=from-profile\n");
  const auto config = *load_shared_config(environment);
  EXPECT_EQ(configured_region(environment, config), "from-profile");
  environment.variables["AWS_DEFAULT_REGION"] = "from-default-variable";
  EXPECT_EQ(configured_region(environment, config), "from-default-variable");
  environment.variables["AWS_REGION"] = "from-variable";
  EXPECT_EQ(configured_region(environment, config), "from-variable");
  EXPECT_EQ(configured_region(environment, config, "asked"), "asked");
  EXPECT_EQ(configured_region(FixedEnvironment{}, *load_shared_config(FixedEnvironment{})), std::nullopt);
}

}  // namespace
}  // namespace instantstart::aws
