#include "sandbox/kubernetes/cluster/container_logs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// Small, since a line rewrites the chunk that it is added to.
constexpr std::size_t k_chunk = 8 * 1024;
constexpr std::size_t k_longest_line = 16 * 1024;  // CRI splits longer ones

std::string prefix_of(const LogRun& run) {
  return fmt::format("{}/{}/{}/{:06}/", run.cluster, run.pod_uid, run.container, run.attempt);
}

/// RFC 3339 with nine digits of the second, as CRI writes it.
std::string log_time(WallTime time) {
  std::string text = to_rfc3339(time);
  text.pop_back();
  return text + "000000Z";
}

std::string_view text_of_line(std::string_view line) {
  const auto space = line.find(' ');
  return space == line.npos ? line : line.substr(space + 1);
}

}  // namespace

Type describe(LogChunk*) {
  return object_type<LogChunk>("LogChunk", "Lines of a container.",
                               {field<&LogChunk::text>("text", "Each with its time.")});
}

std::string shown_lines(std::string_view kept, const LogWindow& window) {
  std::vector<std::string_view> lines;
  while (!kept.empty()) {
    const auto end = kept.find('\n');
    const auto length = end == kept.npos ? kept.size() : end + 1;
    lines.push_back(kept.substr(0, length));
    kept.remove_prefix(length);
  }
  std::size_t first = 0;
  if (window.tail_lines && std::ssize(lines) > *window.tail_lines) {
    first = lines.size() - static_cast<std::size_t>(std::max<std::int64_t>(0, *window.tail_lines));
  }
  std::string text;
  for (std::size_t i = first; i < lines.size(); ++i) {
    if (window.since) {
      const auto time = parse_rfc3339(lines[i].substr(0, lines[i].find(' ')));
      if (time && *time < *window.since) continue;
    }
    text += window.timestamps ? lines[i] : text_of_line(lines[i]);
    if (window.limit_bytes && std::ssize(text) >= *window.limit_bytes) {
      text.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, *window.limit_bytes)));
      break;
    }
  }
  return text;
}

ContainerLogs::ContainerLogs(World& world)
    : world_(world), chunks_(world, "kubernetes.log"), changed_(world.time()) {}

void ContainerLogs::append(const LogRun& run, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  const std::string prefix = prefix_of(run);
  const std::string time = log_time(world_.now());
  std::string last;
  std::string first;
  std::size_t total = 0;
  for (const auto& [id, chunk] : chunks_.starting_with(prefix)) {
    if (first.empty()) first = id;
    last = id;
    total += chunk.text.size();
  }
  std::string more;
  for (const auto& line : lines) {
    for (std::size_t at = 0; at == 0 || at < line.size(); at += k_longest_line) {
      more += fmt::format("{} {}\n", time, std::string_view(line).substr(at, k_longest_line));
    }
  }
  const LogChunk* open = last.empty() ? nullptr : chunks_.find(last);
  if (open && open->text.size() + more.size() <= k_chunk) {
    chunks_.edit(last, [&more](LogChunk& chunk) { chunk.text += more; });
  } else {
    const std::int64_t next = last.empty() ? 0 : std::stoll(last.substr(prefix.size())) + 1;
    chunks_.put(fmt::format("{}{:010}", prefix, next), LogChunk{more});
  }
  if (total + more.size() > k_log_limit && first != last) chunks_.erase(first);
  changed_.notify();
}

void ContainerLogs::begin(const LogRun& run) {
  if (run.attempt < 2) return;
  erase(prefix_of({run.cluster, run.pod_uid, run.container, run.attempt - 2}));
}

void ContainerLogs::erase(std::string_view prefix) {
  std::vector<std::string> ids;
  for (const auto& [id, chunk] : chunks_.starting_with(prefix)) ids.push_back(id);
  for (const auto& id : ids) chunks_.erase(id);
}

void ContainerLogs::forget_pod(std::string_view cluster, std::string_view pod_uid) {
  erase(fmt::format("{}/{}/", cluster, pod_uid));
  changed_.notify();
}

void ContainerLogs::forget_cluster(std::string_view cluster) {
  erase(fmt::format("{}/", cluster));
  changed_.notify();
}

std::string ContainerLogs::read(const LogRun& run, Place& place) const {
  std::string text;
  for (const auto& [id, chunk] : chunks_.starting_with(prefix_of(run))) {
    if (id < place.chunk) continue;
    const std::size_t from = id == place.chunk ? std::min(place.offset, chunk.text.size()) : 0;
    text += std::string_view(chunk.text).substr(from);
    place = {id, chunk.text.size()};
  }
  return text;
}

class ContainerLogs::Stream final : public net::BodyStream {
 public:
  Stream(ContainerLogs& logs, LogRun run, LogWindow window, bool follow, std::function<bool()> is_running)
      : logs_(logs),
        run_(std::move(run)),
        window_(window),
        follow_(follow),
        is_running_(std::move(is_running)) {}

  boost::asio::awaitable<std::optional<std::string>> next() override {
    while (true) {
      if (window_.limit_bytes && *window_.limit_bytes <= 0) co_return std::nullopt;
      const auto seen = logs_.changed_.generation();
      // Before reading: what is printed before the end is never missed.
      const bool more_may_come = follow_ && is_running_();
      std::string text = shown_lines(logs_.read(run_, place_), window_);
      window_.tail_lines.reset();
      if (!text.empty()) {
        if (window_.limit_bytes) *window_.limit_bytes -= std::ssize(text);
        co_return text;
      }
      if (!more_may_come) co_return std::nullopt;
      co_await logs_.changed_.wait_after(seen, net::Deadline::never());
    }
  }

 private:
  ContainerLogs& logs_;
  LogRun run_;
  LogWindow window_;
  bool follow_;
  std::function<bool()> is_running_;
  Place place_;
};

std::unique_ptr<net::BodyStream> ContainerLogs::open(LogRun run, LogWindow window, bool follow,
                                                     std::function<bool()> is_running) {
  return std::make_unique<Stream>(*this, std::move(run), window, follow, std::move(is_running));
}

}  // namespace instantstart::sandbox::kubernetes
