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

/// One simple command: its words, and where its output goes.
struct Line {
  std::vector<std::string> words;
  std::string output;  ///< "/data/a"; empty: the log.
  bool append = false;
  bool if_fine = false;  ///< After &&: only when what came before succeeded.
};

/// With quotes; nullopt where the shell would do more than that.
std::optional<Line> line_of(std::string_view command) {
  Line line;
  std::string word;
  bool any = false;
  bool redirected = false;
  char quote = 0;
  const auto end_word = [&] {
    if (any && redirected) line.output = std::exchange(word, {});
    if (any && !redirected) line.words.push_back(std::exchange(word, {}));
    if (any) redirected = false;
    any = false;
  };
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char letter = command[i];
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
      end_word();
    } else if (letter == '>') {
      // "2>" and a second redirection.
      if ((any && (word == "1" || word == "2")) || redirected || !line.output.empty()) return std::nullopt;
      end_word();
      redirected = true;
      line.append = i + 1 < command.size() && command[i + 1] == '>';
      if (line.append) ++i;
    } else if (std::string_view("$`\\|<&(){}*?[]#~").find(letter) != std::string_view::npos) {
      return std::nullopt;
    } else {
      word += letter;
      any = true;
    }
  }
  end_word();
  if (quote != 0 || redirected) return std::nullopt;
  return line;
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
  milliseconds takes{0};
  std::string text;                 ///< Printed, or written to a file.
  std::vector<std::string> errors;  ///< Printed in any case.
  int code = 0;                     ///< What the next one after && sees.
  bool ends = false;                ///< `exit`
};

/// Only what a mount may hold: what a shell does in the image's own folders leaves nothing here.
bool is_kept_path(std::string_view path) {
  constexpr std::array<std::string_view, 4> k_own{"/tmp/", "/dev/", "/proc/", "/etc/"};
  return path.starts_with('/') &&
         std::ranges::none_of(k_own, [path](auto own) { return path.starts_with(own); });
}

std::optional<Command> cat(const std::vector<std::string>& words, ProgramFiles* files) {
  if (words.size() < 2) return std::nullopt;
  Command done;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!is_kept_path(words[i])) return std::nullopt;
    const auto text = files ? files->read(words[i]) : std::nullopt;
    if (text) {
      done.text += *text;
      continue;
    }
    done.errors.push_back("cat: can't open '" + words[i] + "': No such file or directory");
    done.code = 1;
  }
  return done;
}

std::optional<Command> ls(const std::vector<std::string>& words, ProgramFiles* files) {
  std::vector<std::string> folders(words.begin() + 1, words.end());
  if (!folders.empty() && folders.front() == "-1") folders.erase(folders.begin());
  if (folders.size() != 1 || !is_kept_path(folders.front())) return std::nullopt;
  std::string folder = folders.front();
  Command done;
  if (!files) return done;
  if (files->read(folder)) {
    done.text = folder + "\n";
    return done;
  }
  const auto all = files->list(folder);
  if (!folder.ends_with('/')) folder += '/';
  std::string last;
  for (const auto& path : all) {
    std::string_view name = path;
    name.remove_prefix(std::min(folder.size(), name.size()));
    name = name.substr(0, name.find('/'));
    if (name.empty() || name == last) continue;
    last = name;
    done.text += last + "\n";
  }
  return done;
}

std::optional<Command> cp(const std::vector<std::string>& words, ProgramFiles* files) {
  if (words.size() != 3 || !is_kept_path(words[1]) || !is_kept_path(words[2])) return std::nullopt;
  Command done;
  if (!files) return done;
  auto bytes = files->read(words[1]);
  std::string to = words[2];
  if (to.ends_with('/') || !files->list(to).empty()) {
    to = to.substr(0, to.find_last_not_of('/') + 1) + "/" + std::string(base_name(words[1]));
  }
  if (!bytes) {
    done.errors.push_back("cp: can't stat '" + words[1] + "': No such file or directory");
  } else if (!files->write(to, std::move(*bytes))) {
    done.errors.push_back("cp: can't create '" + to + "': Operation not permitted");
  }
  done.code = done.errors.empty() ? 0 : 1;
  return done;
}

/// nullopt when it isn't one of these. Without files it is only looked at.
std::optional<Command> command_of(const std::vector<std::string>& words, ProgramFiles* files = nullptr) {
  if (words.empty()) return Command{};
  const auto name = base_name(words[0]);
  if (name == "true" || name == ":" || name == "set") return Command{};
  if (name == "false") return Command{.code = 1};
  if (name == "echo") {
    const std::size_t first = words.size() > 1 && words[1] == "-e" ? 2 : 1;
    const std::vector<std::string> rest(
        words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size())), words.end());
    return Command{.text = join(rest, " ") + "\n"};
  }
  if (name == "cat") return cat(words, files);
  if (name == "ls") return ls(words, files);
  if (name == "cp") return cp(words, files);
  if (name == "sleep" && words.size() == 2) {
    const auto duration = duration_of(words[1]);
    if (!duration) return std::nullopt;
    return Command{.takes = *duration};
  }
  if (name == "exit") {
    int code = 0;
    if (words.size() > 1) {
      const auto read = std::from_chars(words[1].data(), words[1].data() + words[1].size(), code);
      if (read.ec != std::errc()) return std::nullopt;
    }
    return Command{.code = code & 0xFF, .ends = true};
  }
  return std::nullopt;
}

/// Its output as lines of the log; a last line without an end is one too.
void print(std::string_view text, std::vector<std::string>& lines) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}

/// Commands one after the other, each a step.
class Script final : public Program {
 public:
  explicit Script(std::vector<Line> lines) : lines_(std::move(lines)), codes_(lines_.size(), 0) {}

  ProgramStep step(const ProgramSite& site, std::int64_t number) override {
    const auto index = static_cast<std::size_t>(number);
    if (index >= lines_.size()) return {.exit_code = 0};
    const Line& line = lines_[index];
    const int before = index == 0 ? 0 : codes_[index - 1];
    const bool last = index + 1 == lines_.size();
    ProgramStep step;
    bool ends = last;
    if (line.if_fine && before != 0) {
      codes_[index] = before;
    } else {
      const Command done = perform(line, site.files);
      codes_[index] = done.code;
      step.after = done.takes;
      step.lines = done.errors;
      print(done.text, step.lines);
      ends = ends || done.ends;
    }
    if (ends) step.exit_code = codes_[index];
    return step;
  }

 private:
  static Command perform(const Line& line, ProgramFiles* files) {
    Command done = command_of(line.words, files).value_or(Command{});
    if (line.output.empty()) return done;
    std::string bytes = std::exchange(done.text, {});
    if (!files) return done;
    if (line.append) bytes.insert(0, files->read(line.output).value_or(""));
    if (!files->write(line.output, std::move(bytes))) {
      done.errors = {"sh: can't create " + line.output + ": Operation not permitted"};
      done.code = 1;
    }
    return done;
  }

  std::vector<Line> lines_;
  std::vector<int> codes_;  ///< What each came to; forgotten when the sandbox starts again in the middle.
};

/// Pieces between ; and newlines, each of pieces between &&.
std::unique_ptr<Program> script_of(std::string_view text) {
  std::string even(text);
  std::ranges::replace(even, '\n', ';');
  std::vector<Line> lines;
  for (const auto list : split(even, ';')) {
    std::string_view left = list;
    bool if_fine = false;
    while (true) {
      const auto both = left.find("&&");
      auto line = line_of(left.substr(0, both));
      if (!line || !command_of(line->words)) return nullptr;
      if (!line->output.empty() && !is_kept_path(line->output)) return nullptr;
      line->if_fine = if_fine;
      const bool nothing = line->words.empty() && line->output.empty();
      if (!nothing) lines.push_back(std::move(*line));
      if (both == left.npos) break;
      if_fine = true;
      left = left.substr(both + 2);
    }
  }
  if (lines.empty()) lines.push_back({.words = {"true"}});
  return std::make_unique<Script>(std::move(lines));
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
    if (shell) return std::make_unique<Script>(std::vector<Line>{{.words = {"true"}}});
    return nullptr;
  }
  if (is_shell(base_name(argv[0]))) {
    if (argv.size() == 3 && argv[1].starts_with('-') && argv[1].ends_with('c')) return script_of(argv[2]);
    return nullptr;
  }
  if (!command_of(argv) || base_name(argv[0]) == "exit" || base_name(argv[0]) == "set") return nullptr;
  return std::make_unique<Script>(std::vector<Line>{{.words = argv}});
}

}  // namespace instantstart::sandbox::kubernetes
