// Structured log lines, one JSON object each. The sink is injected; values are redacted before they get here,
// because a field of a described type goes through `encode`.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/value.hpp>

#include "base/time.h"

namespace instantstart {

enum class LogLevel { debug, info, warning, error };

struct LogField {
  std::string_view name;
  boost::json::value value;

  /// From anything that makes a JSON value: texts, numbers, objects.
  template <class T>
  LogField(std::string_view field_name, T&& field_value)
      : name(field_name), value(std::forward<T>(field_value)) {}
};

/// Thread-safe. Copies are cheap and share the sink; `with` adds fields to every line of the copy.
class Log {
 public:
  using Sink = std::function<void(std::string_view line)>;  ///< Called under a lock, with the newline.

  /// Drops everything.
  Log() = default;
  Log(const Clock& clock, LogLevel least, Sink sink);

  Log with(std::initializer_list<LogField> fields) const;

  void debug(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void warning(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void error(std::string_view message, std::initializer_list<LogField> fields = {}) const;

 private:
  struct Shared;
  void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) const;

  std::shared_ptr<Shared> shared_;
  boost::json::object fields_;
};

/// A sink that writes to a file descriptor (2 is standard error).
Log::Sink log_to_descriptor(int descriptor);

}  // namespace instantstart
