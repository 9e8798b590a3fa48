#include "faces/cli/cli.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "contract/testing/sample_actions.h"

namespace instantstart::faces {
namespace {

class CommandLine : public ::testing::Test {
 protected:
  CommandLine() {
    root_.name = "instantstart";
    root_.commands = action_commands(actions_);
  }

  /// "action {arguments}", or "exit N: text".
  std::string parse(const std::vector<std::string>& words) const {
    auto parsed = parse_command(root_, words, "1.2.3");
    if (const auto* help = std::get_if<CommandHelp>(&parsed)) {
      return "exit " + std::to_string(help->exit_code) + ": " + help->text;
    }
    auto call = action_call(actions_, std::get<ParsedCommand>(parsed));
    if (!call) return call.error().code;
    return call->action->spec.name + " " + to_text(call->arguments);
  }

  contract::ActionTable actions_{contract::testing::sample_actions()};
  Command root_;
};

TEST_F(CommandLine, EveryActionHasACommandWithItsMembersAsFlags) {
  for (const auto& action : actions_.all()) {
    const auto noun = std::ranges::find(root_.commands, contract::noun_of(action.spec.name), &Command::name);
    ASSERT_NE(noun, root_.commands.end()) << action.spec.name;
    const auto verb = std::ranges::find(noun->commands, contract::verb_of(action.spec.name), &Command::name);
    ASSERT_NE(verb, noun->commands.end()) << action.spec.name;
    EXPECT_GE(verb->flags.size(), action.request->fields.size());
  }
}

TEST_F(CommandLine, TextFieldsTakeTextWhateverItLooksLike) {
  EXPECT_EQ(parse({"book", "rename", "--book", "7", "--title", "true"}),
            R"(book_rename {"book":"7","title":"true"})");
}

TEST_F(CommandLine, OtherFieldsTakeWhatIsJson) {
  EXPECT_EQ(parse({"book", "print", "--book", "dune", "--copies", "3", "--labels", R"({"a":"b"})",
                   "--dry-run", "true"}),
            R"(book_print {"book":"dune","copies":3,"labels":{"a":"b"},"dry_run":true})");
  EXPECT_EQ(parse({"book", "print", "--copies", "many"}), R"(book_print {"copies":"many"})")
      << "what is wrong is for the server to say";
}

TEST_F(CommandLine, ListsAreRepeatedFlagsOrOneJsonList) {
  EXPECT_EQ(parse({"book", "list", "--words", "a", "--words", "b"}), R"(book_list {"words":["a","b"]})");
  EXPECT_EQ(parse({"book", "list", "--words", R"(["a","b"])"}), R"(book_list {"words":["a","b"]})");
}

TEST_F(CommandLine, UnknownFlagsAreSentSoThatTheServerNamesTheNearest) {
  EXPECT_EQ(parse({"book", "list", "--limt", "5"}), R"(book_list {"limt":"5"})");
  EXPECT_EQ(parse({"book", "list", "--limt=5"}), R"(book_list {"limt":"5"})");
}

TEST_F(CommandLine, WholeArgumentsAreJsonAndFlagsWinOverThem) {
  EXPECT_EQ(parse({"book", "rename", "--arguments", R"({"book":"a","title":"b"})", "--title", "c"}),
            R"(book_rename {"book":"a","title":"c"})");
  EXPECT_EQ(parse({"book", "rename", "--arguments", "{"}), "invalid_json");
  EXPECT_EQ(parse({"book", "rename", "--arguments", "[]"}), "invalid_json");
}

TEST_F(CommandLine, AValueMayBeginWithADash) {
  EXPECT_EQ(parse({"book", "rename", "--title=--kubeconfig=/tmp/k", "--book", "a"}),
            R"(book_rename {"book":"a","title":"--kubeconfig=/tmp/k"})");
}

TEST_F(CommandLine, AMisspeltCommandNamesTheNearest) {
  EXPECT_NE(parse({"bok", "list"}).find("Did you mean 'book'?"), std::string::npos) << parse({"bok", "list"});
  EXPECT_NE(parse({"book", "lst"}).find("Did you mean 'book list'?"), std::string::npos)
      << parse({"book", "lst"});
  EXPECT_EQ(parse({"bok", "list"}).substr(0, 6), "exit 2");
}

TEST_F(CommandLine, NothingAndANounAloneListWhatThereIs) {
  EXPECT_NE(parse({}).find("book"), std::string::npos);
  EXPECT_NE(parse({"book"}).find("rename"), std::string::npos);
}

TEST_F(CommandLine, HelpShowsDocsAndVersionTheVersion) {
  const std::string help = parse({"book", "print", "--help"});
  EXPECT_EQ(help.substr(0, 6), "exit 0");
  EXPECT_NE(help.find("--copies"), std::string::npos);
  EXPECT_NE(help.find("Required."), std::string::npos);
  EXPECT_EQ(parse({"--version"}), "exit 0: 1.2.3\n");
}

TEST(HumanText, ListsOfObjectsAreTables) {
  const json::value value{
      {"next_cursor", "x"},
      {"operations", {{{"id", "1"}, {"state", "running"}}, {{"id", "22"}, {"state", "failed"}}}},
      {"none", json::array()}};
  EXPECT_EQ(to_human_text(value),
            "next_cursor: x\n"
            "operations:\n"
            "  id  state\n"
            "  1   running\n"
            "  22  failed\n"
            "none: none\n");
}

TEST(HumanText, TextOfAClusterCanNotSteerTheTerminal) {
  const json::value value{{"name", "\x1b]8;;http://evil\x07link\x1b[2J"},
                          {"list", {{{"cell", "a\nb\x1b[1m"}}}}};
  const std::string text = to_human_text(value);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

}  // namespace
}  // namespace instantstart::faces
