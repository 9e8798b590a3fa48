#include "workload_logs/kept_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"

namespace instantstart::workload_logs {
namespace {

constexpr std::size_t k_most_read = std::size_t{64} << 10;

Error dropped(std::int64_t offset, std::int64_t first) {
  Error error{
      .code = std::string(codes::conflict),
      .message = fmt::format("What is at {} was dropped to stay within the limit; the log begins at {}.",
                             offset, first)};
  error.detail["first_offset"] = first;
  return error;
}

class KeptReader final : public LogReader {
 public:
  KeptReader(net::Timekeeper& time, asio::any_io_executor files, std::shared_ptr<KeptLog> log,
             KeptLog::Which which, std::int64_t offset)
      : time_(time), files_(std::move(files)), log_(std::move(log)), which_(which), offset_(offset) {}

  Task<std::optional<std::string>> next(std::size_t most) override {
    return next(most, net::Deadline::never());
  }

  Task<std::optional<std::string>> next(std::size_t most, net::Deadline deadline) override {
    while (true) {
      const auto seen = log_->grown().generation();
      if (log_->forgotten()) co_return fail(codes::not_found, "The log was deleted.");
      if (offset_ < first_offset()) co_return fail(dropped(offset_, first_offset()));
      if (offset_ < end()) co_return co_await read(std::min(most, k_most_read));
      if (ended()) co_return std::nullopt;
      if (deadline.passed(time_)) co_return std::string();
      co_await log_->grown().wait_after(seen, deadline);
    }
  }

  std::int64_t offset() const override { return offset_; }
  std::int64_t end() const override { return log_->end(which_); }
  std::int64_t first_offset() const override { return log_->first(which_); }
  bool ended() const override { return log_->ended(which_); }
  std::optional<std::int64_t> attempt() const override {
    if (!which_) return std::nullopt;
    return log_->stream(*which_).attempt;
  }

 private:
  Task<std::optional<std::string>> read(std::size_t most) {
    if (!file_) {
      auto opened = co_await log_->file(which_);
      if (!opened) co_return fail(opened.error());
      file_ = std::move(*opened);
    }
    const auto length =
        static_cast<std::size_t>(std::min<std::int64_t>(static_cast<std::int64_t>(most), end() - offset_));
    auto bytes =
        co_await run_on(files_, [file = file_, at = offset_, length] { return file->read(at, length); });
    if (!bytes) co_return fail(bytes.error());
    // What was dropped while it was read reads as zeros.
    if (offset_ < first_offset()) co_return fail(dropped(offset_, first_offset()));
    if (bytes->size() != length) {
      co_return fail(codes::state_unusable, "A file of the log is shorter than the store says.");
    }
    offset_ += std::ssize(*bytes);
    co_return std::optional(std::move(*bytes));
  }

  net::Timekeeper& time_;
  asio::any_io_executor files_;
  std::shared_ptr<KeptLog> log_;
  KeptLog::Which which_;
  std::int64_t offset_;
  std::shared_ptr<LogFile> file_;
};

}  // namespace

Result<std::int64_t> place_in(const KeptLog& log, KeptLog::Which which, std::optional<std::int64_t> offset) {
  const std::int64_t first = log.first(which);
  const std::int64_t end = log.end(which);
  if (!offset) return first;
  if (*offset < 0) return std::max(first, end + std::max(*offset, -end));
  if (*offset > end) {
    return fail(codes::invalid_request,
                fmt::format("The log has {} bytes; {} is beyond its end.", end, *offset));
  }
  if (*offset < first) return fail(dropped(*offset, first));
  return *offset;
}

std::unique_ptr<LogReader> read_kept(net::Timekeeper& time, asio::any_io_executor files,
                                     std::shared_ptr<KeptLog> log, KeptLog::Which which,
                                     std::int64_t offset) {
  return std::make_unique<KeptReader>(time, std::move(files), std::move(log), which, offset);
}

}  // namespace instantstart::workload_logs
