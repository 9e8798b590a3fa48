// The programs that people try a cluster with.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "sandbox/kubernetes/cluster/programs.h"

namespace instantstart::sandbox::kubernetes {
namespace {

class Script final : public Program {
 public:
  explicit Script(std::vector<ProgramStep> steps) : steps_(std::move(steps)) {}

  ProgramStep step(const ProgramSite&, std::int64_t index) override {
    if (index < 0 || index >= std::ssize(steps_)) return {.exit_code = 0};
    return steps_[static_cast<std::size_t>(index)];
  }

 private:
  std::vector<ProgramStep> steps_;
};

/// nginx's welcome page.
class WelcomePage final : public Program {
 public:
  bool listens(std::int64_t port) const override { return port == 80; }
  ProgramEnd terminate(const ProgramSite&) override { return {.after = milliseconds(100), .exit_code = 0}; }
  boost::asio::awaitable<net::Response> answer(net::Request request) override {
    if (request.path() != "/") {
      co_return net::Response{.status = 404,
                              .headers = {{"Content-Type", "text/html"}, {"Server", "nginx"}},
                              .body = "<html><head><title>404 Not Found</title></head></html>\n"};
    }
    co_return net::Response{.headers = {{"Content-Type", "text/html"}, {"Server", "nginx"}},
                            .body =
                                "<!DOCTYPE html>\n<html>\n<head>\n<title>Welcome to nginx!</title>\n</head>\n"
                                "<body>\n<h1>Welcome to nginx!</h1>\n</body>\n</html>\n"};
  }
};

/// Words of one simple command, with quotes; nullopt where the shell would do more than that.
std::optional<std::vector<std::string>> words_of(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool any = false;
  char quote = 0;
  for (const char letter : command) {
    if (quote != 0) {
      if (letter == quote) {
        quote = 0;
      } else if (quote == '"' && (letter == '$' || letter == '`' || letter == '\\')) {
        return std::nullopt;
      } else {
        word += letter;
      }
      continue;
    }
    if (letter == '"' || letter == '\'') {
      quote = letter;
      any = true;
    } else if (letter == ' ' || letter == '\t') {
      if (any) words.push_back(std::exchange(word, {}));
      any = false;
    } else if (std::string_view("$`\\|<>&(){}*?[]#~").find(letter) != std::string_view::npos) {
      return std::nullopt;
    } else {
      word += letter;
      any = true;
    }
  }
  if (quote != 0) return std::nullopt;
  if (any) words.push_back(word);
  return words;
}

std::optional<milliseconds> duration_of(std::string_view text) {
  if (text == "infinity" || text == "inf") return std::nullopt;
  double unit = 1;
  if (!text.empty()) {
    const auto units = std::string_view("smhd");
    const auto found = units.find(text.back());
    constexpr std::array<double, 4> k_factors{1, 60, 3600, 86400};
    if (found != units.npos) {
      unit = k_factors[found];
      text.remove_suffix(1);
    }
  }
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || number < 0 || number > 1e8) {
    return std::nullopt;
  }
  return milliseconds(std::llround(number * unit * 1000));
}

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

struct Command {
  ProgramStep step;
  int code = 0;       ///< What the next one after && sees.
  bool ends = false;  ///< `exit`
};

std::optional<Command> command_of(const std::vector<std::string>& words) {
  if (words.empty()) return Command{};
  const auto name = base_name(words[0]);
  if (name == "true" || name == ":" || name == "set") return Command{};
  if (name == "false") return Command{.step = {}, .code = 1};
  if (name == "echo") {
    const std::size_t first = words.size() > 1 && words[1] == "-e" ? 2 : 1;
    const std::vector<std::string> rest(
        words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size())), words.end());
    return Command{.step = {.lines = {join(rest, " ")}}};
  }
  if (name == "sleep" && words.size() == 2) {
    const auto duration = duration_of(words[1]);
    if (!duration) return std::nullopt;
    return Command{.step = {.after = *duration}};
  }
  if (name == "exit") {
    int code = 0;
    if (words.size() > 1) {
      const auto read = std::from_chars(words[1].data(), words[1].data() + words[1].size(), code);
      if (read.ec != std::errc()) return std::nullopt;
    }
    return Command{.step = {}, .code = code & 0xFF, .ends = true};
  }
  return std::nullopt;
}

/// Pieces between ; and newlines, each of pieces between &&.
std::unique_ptr<Program> script_of(std::string_view text) {
  std::string even(text);
  std::ranges::replace(even, '\n', ';');
  std::vector<ProgramStep> steps;
  int code = 0;
  for (const auto list : split(even, ';')) {
    std::string_view left = list;
    bool runs = true;
    while (runs) {
      const auto both = left.find("&&");
      const auto words = words_of(left.substr(0, both));
      const auto command = words ? command_of(*words) : std::nullopt;
      if (!command) return nullptr;
      if (words->empty() && both == left.npos) break;
      steps.push_back(command->step);
      code = command->code;
      if (command->ends) {
        steps.back().exit_code = code;
        return std::make_unique<Script>(std::move(steps));
      }
      if (both == left.npos) break;
      runs = code == 0;
      left = left.substr(both + 2);
    }
  }
  steps.push_back({.exit_code = code});
  return std::make_unique<Script>(std::move(steps));
}

std::string_view image_name(std::string_view image) {
  const auto name = base_name(image);
  return name.substr(0, name.find_first_of(":@"));
}

bool is_shell(std::string_view name) { return name == "sh" || name == "bash" || name == "ash"; }

}  // namespace

std::unique_ptr<Program> recognise_small_program(const ContainerView& container) {
  const auto& argv = container.argv;
  const auto image = image_name(container.image);
  if (argv.empty()) {
    if (image == "nginx") return std::make_unique<WelcomePage>();
    // A shell without a terminal reads the end of its input.
    const bool shell = image == "busybox" || image == "alpine" || image == "ubuntu" || image == "debian" ||
                       image == "bash" || image == "amazonlinux";
    if (shell) return std::make_unique<Script>(std::vector<ProgramStep>{{.exit_code = 0}});
    return nullptr;
  }
  if (is_shell(base_name(argv[0]))) {
    if (argv.size() == 3 && argv[1].starts_with('-') && argv[1].ends_with('c')) return script_of(argv[2]);
    return nullptr;
  }
  const auto command = command_of(argv);
  if (!command || base_name(argv[0]) == "exit" || base_name(argv[0]) == "set") return nullptr;
  ProgramStep step = command->step;
  step.exit_code = command->code;
  return std::make_unique<Script>(std::vector<ProgramStep>{std::move(step)});
}

}  // namespace instantstart::sandbox::kubernetes
