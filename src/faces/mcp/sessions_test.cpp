#include "faces/mcp/sessions.h"

#include <gtest/gtest.h>

#include "net/testing/virtual_time.h"

namespace instantstart::faces {
namespace {

class SessionsTest : public ::testing::Test {
 protected:
  net::VirtualTime time_;
  SeededRandom random_{1};
};

TEST_F(SessionsTest, BelongToTheirPrincipalAlone) {
  Sessions sessions(time_, random_);
  const std::string id = sessions.begin("ann", Revision::r2025_06_18);
  EXPECT_EQ(sessions.find(id, "ann"), Revision::r2025_06_18);
  EXPECT_EQ(sessions.find(id, "bob"), std::nullopt);
  EXPECT_FALSE(sessions.end(id, "bob"));
  EXPECT_TRUE(sessions.end(id, "ann"));
  EXPECT_EQ(sessions.find(id, "ann"), std::nullopt);
}

TEST_F(SessionsTest, TheOneUnusedForLongestMakesRoom) {
  Sessions sessions(time_, random_, {.sessions = 2});
  const std::string first = sessions.begin("ann", Revision::r2025_11_25);
  time_.run_for(milliseconds(10));
  const std::string second = sessions.begin("ann", Revision::r2025_11_25);
  time_.run_for(milliseconds(10));
  EXPECT_TRUE(sessions.find(first, "ann"));
  sessions.begin("ann", Revision::r2025_11_25);
  EXPECT_EQ(sessions.size(), 2u);
  EXPECT_TRUE(sessions.find(first, "ann"));
  EXPECT_FALSE(sessions.find(second, "ann"));
}

TEST_F(SessionsTest, EndWhenUnusedForLong) {
  Sessions sessions(time_, random_, {.idle = milliseconds(1000)});
  const std::string id = sessions.begin("ann", Revision::r2025_11_25);
  time_.run_for(milliseconds(900));
  EXPECT_TRUE(sessions.find(id, "ann"));
  time_.run_for(milliseconds(900));
  EXPECT_TRUE(sessions.find(id, "ann"));
  time_.run_for(milliseconds(1001));
  EXPECT_FALSE(sessions.find(id, "ann"));
}

}  // namespace
}  // namespace instantstart::faces
