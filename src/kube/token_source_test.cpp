#include "kube/token_source.h"

#include <gtest/gtest.h>

#include "aws/testing/run.h"
#include "base/error_codes.h"
#include "net/testing/virtual_time.h"

namespace instantstart::kube {
namespace {

class RefreshedTokens : public testing::Test {
 protected:
  std::string token() {
    auto got = aws::run(time, source->token(net::Deadline::never()));
    return got ? got->reveal() : got.error().code;
  }
  Task<aws::EksToken> make() {
    ++made;
    if (failing) co_return fail(codes::credentials_expired, "made to fail");
    co_return aws::EksToken{.token = Secret(std::to_string(made)),
                            .expiry = time.wall() + std::chrono::minutes(14)};
  }

  net::VirtualTime time;
  int made = 0;
  bool failing = false;
  std::unique_ptr<TokenSource> source = refreshed_token([this](net::Deadline) { return make(); }, time);
};

TEST_F(RefreshedTokens, OneIsKeptUntilItIsNearItsEnd) {
  EXPECT_EQ(token(), "1");
  time.run_for(std::chrono::minutes(9));
  EXPECT_EQ(token(), "1");
  time.run_for(std::chrono::minutes(1));
  EXPECT_EQ(token(), "2");
}

TEST_F(RefreshedTokens, TheOldOneServesWhileNewOnesFail) {
  EXPECT_EQ(token(), "1");
  failing = true;
  time.run_for(std::chrono::minutes(13));
  EXPECT_EQ(token(), "1");
  time.run_for(std::chrono::minutes(1));
  EXPECT_EQ(token(), codes::credentials_expired);
}

TEST_F(RefreshedTokens, ARefusedOneIsNotUsedAgain) {
  EXPECT_EQ(token(), "1");
  source->refused(Secret("another"));
  EXPECT_EQ(token(), "1");
  source->refused(Secret("1"));
  EXPECT_EQ(token(), "2");
}

}  // namespace
}  // namespace instantstart::kube
