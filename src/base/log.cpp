#include "base/log.h"

#include <cerrno>
#include <mutex>

#include <poll.h>
#include <unistd.h>

#include "base/json.h"

namespace instantstart {
namespace {

std::string_view level_name(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: return "error";
  }
  return "error";
}

/// A field can't take the place of what every line has.
std::string field_name(std::string_view name) {
  std::string result(name);
  if (name == "time" || name == "level" || name == "message") result += '_';
  return result;
}

}  // namespace

struct Log::Shared {
  const Clock& clock;
  LogLevel least;
  Sink sink;
  std::mutex mutex;
};

Log::Log(const Clock& clock, LogLevel least, Sink sink)
    : shared_(std::make_shared<Shared>(clock, least, std::move(sink))) {}

Log Log::with(std::initializer_list<LogField> fields) const {
  Log copy = *this;
  for (const auto& [name, value] : fields) copy.fields_[field_name(name)] = value;
  return copy;
}

void Log::debug(std::string_view message, std::initializer_list<LogField> fields) const {
  write(LogLevel::debug, message, fields);
}
void Log::info(std::string_view message, std::initializer_list<LogField> fields) const {
  write(LogLevel::info, message, fields);
}
void Log::warning(std::string_view message, std::initializer_list<LogField> fields) const {
  write(LogLevel::warning, message, fields);
}
void Log::error(std::string_view message, std::initializer_list<LogField> fields) const {
  write(LogLevel::error, message, fields);
}

void Log::write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) const {
  if (!shared_ || level < shared_->least) return;
  json::object line;
  line["time"] = to_rfc3339(shared_->clock.wall());
  line["level"] = level_name(level);
  line["message"] = message;
  for (const auto& field : fields_) line[field.key()] = field.value();
  for (const auto& [name, value] : fields) line[field_name(name)] = value;
  const std::string text = to_text(std::move(line)) + '\n';
  const std::lock_guard lock(shared_->mutex);
  shared_->sink(text);
}

Log::Sink log_to_descriptor(int descriptor) {
  return [descriptor](std::string_view line) {
    while (!line.empty()) {
      const ssize_t written = ::write(descriptor, line.data(), line.size());
      if (written >= 0) {
        line.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno == EAGAIN) {
        pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
        ::poll(&ready, 1, -1);
      } else if (errno != EINTR) {
        return;  // a closed or full log has nowhere to complain to
      }
    }
  };
}

}  // namespace instantstart
