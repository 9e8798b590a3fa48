#include "contract/answers.h"

#include <gtest/gtest.h>

#include "base/decode.h"

namespace instantstart::contract {
namespace {

TEST(ChangeAnswer, StatusSaysWhetherSomethingRuns) {
  EXPECT_EQ(http_status(ChangeStatus::planned), 200);
  EXPECT_EQ(http_status(ChangeStatus::started), 202);
  EXPECT_EQ(http_status(ChangeStatus::joined), 202);
  EXPECT_EQ(http_status(ChangeStatus::confirm_required), 409);
  EXPECT_EQ(http_status(ChangeStatus::done), 200);
}

TEST(ChangeAnswer, LeavesOutWhatThereIsNot) {
  const ChangeAnswer answer{.status = ChangeStatus::started, .operation_id = "op_1"};
  EXPECT_EQ(encode(answer),
            (json::object{{"status", "started"}, {"operation_id", "op_1"}, {"next", json::array{}}}));
}

TEST(ChangeAnswer, ShowsTheConfirmTokenToTheAsker) {
  const ChangeAnswer answer{.status = ChangeStatus::confirm_required, .confirm_token = "ct_1"};
  EXPECT_EQ(encode(answer).at("confirm_token"), "ct_1");
}

TEST(ChangeOptions, TheConfirmTokenIsNotShownWhereArgumentsAreRecorded) {
  EXPECT_EQ(encode(ChangeOptions{.confirm_token = "ct_1"}).at("confirm_token").as_string(), k_secret_text);
}

TEST(ChangeOptions, ClientTokensArePrintableAsciiOfBoundedLength) {
  EXPECT_TRUE(decode<ChangeOptions>({{"client_token", std::string(128, 'x')}}));
  EXPECT_TRUE(decode<ChangeOptions>({{"client_token", "a b~!"}}));
  for (const std::string& bad :
       {std::string(), std::string(129, 'x'), std::string("a\n"), std::string("ä")}) {
    EXPECT_FALSE(decode<ChangeOptions>({{"client_token", bad}})) << bad;
  }
}

TEST(PageOptions, LimitIsBoundedAndHasADefault) {
  EXPECT_EQ(decode<PageOptions>(json::object{})->limit, 100);
  EXPECT_EQ(decode<PageOptions>({{"limit", 1000}})->limit, 1000);
  EXPECT_FALSE(decode<PageOptions>({{"limit", 0}}));
  EXPECT_FALSE(decode<PageOptions>({{"limit", 1001}}));
}

}  // namespace
}  // namespace instantstart::contract
