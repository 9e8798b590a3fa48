#include "sandbox/kubernetes/cluster/programs.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "sandbox/core/testing/world_fixture.h"

namespace instantstart::sandbox::kubernetes {
namespace {

struct ScriptRow {
  std::vector<std::string> argv;
  const char* outcome;  ///< "lines|seconds|code", "runs for ever", or "other" for a program that isn't small.
};

std::string outcome_of(const ProgramSite& site, const ScriptRow& row, const char* image = "registry/tool:1") {
  const auto program = recognise_small_program({.image = image, .argv = row.argv});
  if (!program) return "other";
  std::string lines;
  milliseconds time{0};
  for (std::int64_t index = 0; index < 100; ++index) {
    const ProgramStep step = program->step(site, index);
    if (step.idle) return "runs for ever";
    time += step.after;
    lines += join(step.lines, ";");
    if (step.exit_code)
      return lines + "|" + std::to_string(time.count()) + "|" + std::to_string(*step.exit_code);
  }
  return "endless";
}

class SmallPrograms : public WorldFixture {};

TEST_F(SmallPrograms, Table) {
  ObjectStore objects(start().world());
  const ContainerView container;
  const ProgramSite site{objects, container, time.wall()};

  const std::vector<ScriptRow> rows{
      {{"echo", "a", "b"}, "a b|0|0"},
      {{"/bin/echo", "-e", "a"}, "a|0|0"},
      {{"sleep", "2"}, "|2000|0"},
      {{"sleep", "1.5m"}, "|90000|0"},
      {{"sleep", "infinity"}, "other"},
      {{"true"}, "|0|0"},
      {{"false"}, "|0|1"},
      {{"sh", "-c", "echo 'a b'; sleep 1 && exit 7"}, "a b|1000|7"},
      {{"/bin/bash", "-ec", "false && echo no"}, "|0|1"},
      {{"sh", "-c", "exit 0; echo never"}, "|0|0"},
      {{"sh", "-c", "echo one\necho two"}, "onetwo|0|0"},
      {{"sh", "-c", "while true; do sleep 1; done"}, "other"},
      {{"sh", "-c", "echo $HOME"}, "other"},
      {{"sh", "-c", "python train.py"}, "other"},
      {{"python", "train.py"}, "other"},
      {{"cat", "/data/a"}, "cat: can't open '/data/a': No such file or directory|0|1"},
      {{"sh", "-c", "cat /data/a && echo no; echo yes"},
       "cat: can't open '/data/a': No such file or directoryyes|0|0"},
      {{"cat", "/etc/hosts"}, "other"},
      {{"sh", "-c", "echo x > /tmp/a"}, "other"},
      {{"sh", "-c", "echo x 2> /data/a"}, "other"},
      {{"ls", "-l", "/data"}, "other"},
  };
  for (const auto& row : rows) EXPECT_EQ(outcome_of(site, row), row.outcome) << row.argv.back();
  EXPECT_EQ(outcome_of(site, {{}, ""}, "busybox:1"), "|0|0");
  EXPECT_EQ(outcome_of(site, {{}, ""}, "nginx"), "runs for ever");
}

TEST(ImagePulls, Table) {
  EXPECT_EQ(pull_of("busybox").error, "");
  EXPECT_EQ(pull_of("123456789012.dkr.ecr.us-west-2.amazonaws.com/a:1").error, "");
  EXPECT_GT(pull_of("vllm/vllm-openai:v1").takes, seconds(30));
  EXPECT_NE(pull_of("does-not-exist:1").error.find("not found"), std::string::npos);
  EXPECT_NE(pull_of("r.invalid:5000/a").error.find("lookup r.invalid: no such host"), std::string::npos);
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
