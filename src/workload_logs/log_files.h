// The files of the keeper. All of it waits for the disk, so it runs on a thread for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/result.h"
#include "net/task.h"
#include "store/descriptor.h"

namespace instantstart::workload_logs {

/// One log, open for reading and writing. Any thread; writers one at a time. What is read was written before,
/// as whoever reads knows from the store.
class LogFile {
 public:
  /// `folder` is private; the file is made if it isn't there (mode 0600).
  static Result<std::shared_ptr<LogFile>> open(const std::filesystem::path& folder, const std::string& name);

  /// Puts bytes at a place, whatever is there; they are on the disk when it returns.
  Result<> write(std::int64_t at, std::string_view bytes) const;
  /// Fewer only at the end of the file.
  Result<std::string> read(std::int64_t at, std::size_t most) const;
  /// Takes what lies behind `end` off.
  Result<> cut(std::int64_t end) const;
  /// Gives the disk back what is before `until`, whose bytes read as zeros then; other places stay.
  Result<> drop(std::int64_t until) const;

 private:
  LogFile(std::filesystem::path path, store::Descriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::filesystem::path path_;
  store::Descriptor file_;
};

/// Makes a private folder, and those above it.
Result<> make_folder(const std::filesystem::path& folder);
/// With all that is in it; a missing one is no error.
Result<> remove_folder(const std::filesystem::path& folder);

/// Runs `work` on `executor` and comes back to the coroutine's own. Work that was begun always ends; it must
/// own what it refers to, since a loop that is torn down drops the waiting coroutine meanwhile.
template <class Work>
auto run_on(asio::any_io_executor executor, Work work) -> asio::awaitable<std::invoke_result_t<Work>> {
  using Outcome = std::invoke_result_t<Work>;
  return asio::async_initiate<const asio::use_awaitable_t<>&, void(Outcome)>(
      [](auto done, asio::any_io_executor on, Work job) {
        auto loop =
            asio::prefer(asio::get_associated_executor(done), asio::execution::outstanding_work.tracked);
        asio::post(on, [done = std::move(done), loop = std::move(loop), job = std::move(job)]() mutable {
          auto outcome = job();
          asio::post(loop, [done = std::move(done), outcome = std::move(outcome)]() mutable {
            std::move(done)(std::move(outcome));
          });
        });
      },
      asio::use_awaitable, std::move(executor), std::move(work));
}

}  // namespace instantstart::workload_logs
