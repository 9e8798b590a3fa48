#include "capabilities/inference/model_heads.h"

#include <gtest/gtest.h>

namespace instantstart::capabilities {
namespace {

TEST(ModelHeads, AreFoundByFamilyAndSizeWhateverFollows) {
  EXPECT_EQ(heads_of("Qwen/Qwen2.5-7B-Instruct-AWQ")->attention, 28);
  EXPECT_EQ(heads_of("Qwen/Qwen2.5-72B")->attention, 64);
  EXPECT_EQ(heads_of("meta-llama/Llama-3.1-70B-Instruct")->key_value, 8);
  EXPECT_EQ(heads_of("meta-llama/Meta-Llama-3-8B")->attention, 32);
  EXPECT_EQ(heads_of("/data/models/qwen3-8b")->attention, 32);
  EXPECT_FALSE(heads_of("somebody/qwen2.5-7bx"));
  EXPECT_FALSE(heads_of("somebody/model"));
  EXPECT_FALSE(heads_of(""));
}

TEST(ModelHeads, AreDividedOrRepeatedEvenly) {
  EXPECT_TRUE(divides({32, 8}, 8));
  EXPECT_TRUE(divides({32, 8}, 16));
  EXPECT_FALSE(divides({28, 4}, 8));
  EXPECT_FALSE(divides({40, 8}, 5));
}

}  // namespace
}  // namespace instantstart::capabilities
