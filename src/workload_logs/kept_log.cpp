#include "workload_logs/kept_log.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/error_codes.h"
#include "workload_logs/merged_lines.h"

namespace instantstart::workload_logs {
namespace {

/// More of one log doesn't wait in memory.
constexpr std::size_t k_most_pending = std::size_t{1} << 20;
/// What comes within it is written and counted together: a line a millisecond must not be a disk's whole
/// work.
constexpr milliseconds k_linger{50};
constexpr milliseconds k_first_retry{500};
constexpr milliseconds k_last_retry{30'000};
/// Bytes are dropped in steps, since each is a call and a row.
constexpr std::int64_t k_drop_step = std::int64_t{1} << 20;

std::string prefix_of(const RunName& run, bool several) {
  return several ? fmt::format("[{}/{}] ", run.pod, run.container) : fmt::format("[{}] ", run.pod);
}

}  // namespace

std::string file_name(KeptLog::Which which, std::int64_t number) {
  return which ? fmt::format("{}.log", number) : "all.log";
}

KeptLog::KeptLog(const LogParts& parts, StoredLog stored)
    : parts_(parts),
      row_(std::move(stored.log)),
      grown_(parts.time),
      added_(parts.time),
      written_(parts.time) {
  for (auto& row : stored.streams) {
    Stream stream;
    stream.cursor = row.cursor;
    stream.ending = row.ended;
    stream.incomplete = row.incomplete;
    stream.row = std::move(row);
    by_run_.emplace(std::tuple(stream.row.pod_uid, stream.row.container, stream.row.attempt),
                    streams_.size());
    streams_.push_back(std::move(stream));
  }
}

LogView KeptLog::view() const {
  LogView view{.streams = {},
               .bytes = row_.bytes,
               .first_offset = row_.first,
               .ended = !row_.following,
               .error = write_error_ ? write_error_ : error_};
  for (const auto& stream : streams_) {
    const auto& row = stream.row;
    view.streams.push_back({.pod = row.pod,
                            .container = row.container,
                            .attempt = row.attempt,
                            .rank = row.rank,
                            .bytes = row.bytes,
                            .first_offset = row.first,
                            .ended = row.ended,
                            .incomplete = row.incomplete});
  }
  return view;
}

std::int64_t KeptLog::end(Which which) const { return which ? streams_[*which].row.bytes : row_.bytes; }

std::int64_t KeptLog::first(Which which) const { return which ? streams_[*which].row.first : row_.first; }

bool KeptLog::ended(Which which) const { return !row_.following || (which && streams_[*which].row.ended); }

Result<KeptLog::Which> KeptLog::choose(const LogChoice& choice) const {
  if (choice.all()) return std::nullopt;
  const Stream* latest = nullptr;
  const auto fits = [&choice](const StreamRow& row) {
    return (!choice.pod || row.pod == *choice.pod) && (!choice.rank || row.rank == choice.rank) &&
           (!choice.container || row.container == *choice.container);
  };
  for (const auto& stream : streams_) {
    if (!fits(stream.row)) continue;
    if (choice.attempt && stream.row.attempt != *choice.attempt) continue;
    latest = &stream;
  }
  if (latest && choice.previous) {
    const auto& now = latest->row;
    latest = nullptr;
    for (const auto& stream : streams_) {
      if (fits(stream.row) && stream.row.container == now.container && stream.row.number < now.number) {
        latest = &stream;
      }
    }
  }
  if (!latest) {
    return fail(codes::not_found,
                fmt::format("There is no such log of {} (yet): of {} runs of containers none fits.",
                            row_.subject.id.name, streams_.size()));
  }
  return static_cast<std::size_t>(latest - streams_.data());
}

Task<std::shared_ptr<LogFile>> KeptLog::file(Which which) {
  auto known = which ? streams_[*which].file : merged_file_;
  if (known) co_return known;
  const std::int64_t number = which ? streams_[*which].row.number : 0;
  co_return co_await run_on(
      parts_.files, [at = folder(), name = file_name(which, number)] { return LogFile::open(at, name); });
}

Task<> KeptLog::prepare() {
  struct Known {
    std::string name;
    std::int64_t bytes;
    std::int64_t from;
  };
  std::vector<Known> known;
  for (const auto& [row, cursor, pending, unmerged, ending, incomplete, dirty, file] : streams_) {
    if (!row.ended) known.push_back({file_name(0, row.number), row.bytes, row.merged_from});
  }
  auto work = [at = folder(), known, bytes = row_.bytes]() -> Result<std::vector<std::string>> {
    if (auto made = make_folder(at); !made) return fail(made.error());
    std::vector<std::string> rests;
    for (const auto& one : known) {
      auto file = LogFile::open(at, one.name);
      if (!file) return fail(file.error());
      if (auto cut = (*file)->cut(one.bytes); !cut) return fail(cut.error());
      auto rest = (*file)->read(one.from, static_cast<std::size_t>(one.bytes - one.from));
      if (!rest) return fail(rest.error());
      rests.push_back(std::move(*rest));
    }
    auto merged = LogFile::open(at, "all.log");
    if (!merged) return fail(merged.error());
    if (auto cut = (*merged)->cut(bytes); !cut) return fail(cut.error());
    return rests;
  };
  auto rests = co_await run_on(parts_.files, std::move(work));
  if (!rests) co_return fail(rests.error());
  std::size_t next = 0;
  for (auto& stream : streams_) {
    if (!stream.row.ended) stream.unmerged = std::move((*rests)[next++]);
  }
  co_return Result<>{};
}

std::size_t KeptLog::stream_of(const RunName& run, std::optional<std::int64_t> rank, bool several) {
  const auto [known, fresh] =
      by_run_.try_emplace(std::tuple(run.pod_uid, run.container, run.attempt), streams_.size());
  if (!fresh) return known->second;
  Stream stream;
  stream.row = {.number = std::ssize(streams_) + 1,
                .pod = run.pod,
                .pod_uid = run.pod_uid,
                .container = run.container,
                .attempt = run.attempt,
                .rank = rank,
                .prefix = prefix_of(run, several)};
  stream.dirty = true;
  streams_.push_back(std::move(stream));
  added_.notify();
  grown_.notify();
  return streams_.size() - 1;
}

asio::awaitable<void> KeptLog::add(std::size_t index, std::string bytes, StreamCursor cursor) {
  while (pending_bytes_ > k_most_pending) co_await written_.wait(net::Deadline::never());
  auto& stream = streams_[index];
  pending_bytes_ += bytes.size();
  stream.pending += bytes;
  stream.cursor = std::move(cursor);
  stream.dirty = true;
  added_.notify();
}

void KeptLog::end_stream(std::size_t index, bool incomplete) {
  auto& stream = streams_[index];
  if (stream.ending) return;
  stream.ending = true;
  stream.incomplete = stream.incomplete || incomplete;
  stream.dirty = true;
  added_.notify();
}

void KeptLog::mark_incomplete(std::size_t index) {
  streams_[index].incomplete = true;
  streams_[index].dirty = true;
  added_.notify();
}

void KeptLog::set_error(std::optional<Error> error) { error_ = std::move(error); }

bool KeptLog::is_dirty() const { return std::ranges::any_of(streams_, &Stream::dirty); }

/// What waits, as it will be on the disk and in the store.
std::shared_ptr<KeptLog::Batch> KeptLog::take_batch() {
  auto batch = std::make_shared<Batch>();
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    auto& stream = streams_[i];
    if (!stream.dirty) continue;
    stream.dirty = false;
    Item item{.index = i, .at = stream.row.bytes, .bytes = std::move(stream.pending), .row = stream.row};
    stream.pending.clear();
    stream.unmerged += item.bytes;
    auto merged = merged_lines(stream.unmerged, item.row.prefix, stream.ending);
    batch->merged += merged.text;
    stream.unmerged.erase(0, merged.used);
    item.row.bytes += std::ssize(item.bytes);
    item.row.merged_from = item.row.bytes - std::ssize(stream.unmerged);
    item.row.cursor = stream.cursor;
    item.row.ended = stream.ending;
    item.row.incomplete = stream.incomplete;
    item.file = stream.file;
    batch->items.push_back(std::move(item));
  }
  batch->row = row_;
  batch->merged_at = row_.bytes;
  batch->row.bytes += std::ssize(batch->merged);
  batch->merged_file = merged_file_;
  pending_bytes_ = 0;
  stay_within_limit(*batch);
  return batch;
}

/// Half for the lines of all, half for the containers, of which the oldest loses first.
void KeptLog::stay_within_limit(Batch& batch) {
  const std::int64_t half = parts_.options.most_bytes / 2;
  const std::int64_t step = std::clamp<std::int64_t>(half / 16, 1, k_drop_step);
  if (batch.row.bytes - batch.row.first > half) {
    batch.row.first = std::min(batch.row.bytes, batch.row.bytes - half + step);
    batch.drops = true;
  }
  std::int64_t held = 0;
  for (const auto& stream : streams_) held += stream.row.bytes - stream.row.first;
  for (const auto& item : batch.items) held += std::ssize(item.bytes);
  if (held <= half) return;
  std::int64_t surplus = held - half + step;
  for (std::size_t i = 0; i < streams_.size() && surplus > 0; ++i) {
    auto item = std::ranges::find(batch.items, i, &Item::index);
    const auto& row = item == batch.items.end() ? streams_[i].row : item->row;
    const auto least = std::min(row.merged_from, row.bytes);
    const auto taken = std::min(surplus, least - row.first);
    if (taken <= 0) continue;
    if (item == batch.items.end()) {
      batch.items.push_back({.index = i, .at = row.bytes, .row = row, .file = streams_[i].file});
      item = std::prev(batch.items.end());
    }
    item->row.first += taken;
    surplus -= taken;
    batch.drops = true;
  }
}

Result<> KeptLog::write_files(const std::filesystem::path& folder, Batch& batch) {
  for (auto& item : batch.items) {
    if (!item.file) {
      auto opened = LogFile::open(folder, file_name(0, item.row.number));
      if (!opened) return fail(opened.error());
      item.file = std::move(*opened);
    }
    if (item.bytes.empty()) continue;
    if (auto written = item.file->write(item.at, item.bytes); !written) return written;
  }
  if (!batch.merged_file) {
    auto opened = LogFile::open(folder, "all.log");
    if (!opened) return fail(opened.error());
    batch.merged_file = std::move(*opened);
  }
  if (batch.merged.empty()) return {};
  return batch.merged_file->write(batch.merged_at, batch.merged);
}

Result<> KeptLog::drop_bytes(const std::filesystem::path&, const Batch& batch) {
  for (const auto& item : batch.items) {
    if (auto dropped = item.file->drop(item.row.first); !dropped) return dropped;
  }
  return batch.merged_file->drop(batch.row.first);
}

/// Bytes first, then the rows that count them: a crash between leaves bytes that nobody counts.
Task<> KeptLog::put(std::shared_ptr<Batch> batch) {
  auto on_disk = co_await run_on(parts_.files, [at = folder(), batch] { return write_files(at, *batch); });
  if (!on_disk) co_return on_disk;
  auto counted =
      co_await parts_.database.write<bool>([batch](store::Transaction& transaction) -> Result<bool> {
        for (const auto& item : batch->items) {
          if (auto put = put_stream(transaction, batch->row.key, item.row); !put) return fail(put.error());
        }
        if (auto put = count_log(transaction, batch->row); !put) return fail(put.error());
        return true;
      });
  if (!counted) co_return fail(counted.error());
  publish(*batch);
  if (!batch->drops) co_return Result<>{};
  auto dropped = co_await run_on(parts_.files, [at = folder(), batch] { return drop_bytes(at, *batch); });
  if (!dropped) {
    parts_.log.warning("A log could not be shortened.", {{"reason", dropped.error().message}});
  }
  co_return Result<>{};
}

void KeptLog::publish(Batch& batch) {
  for (auto& item : batch.items) {
    auto& stream = streams_[item.index];
    stream.row = std::move(item.row);
    // An ended one is not written to any more; its readers have it open themselves.
    stream.file = stream.row.ended ? nullptr : item.file;
  }
  merged_file_ = batch.merged_file;
  row_.bytes = batch.row.bytes;
  row_.first = batch.row.first;
  grown_.notify();
}

asio::awaitable<void> KeptLog::write() {
  while (true) {
    while (!is_dirty()) co_await added_.wait(net::Deadline::never());
    writing_ = true;
    if (pending_bytes_ < k_most_pending / 2) co_await parts_.time.sleep(k_linger);
    const auto batch = take_batch();
    milliseconds retry = k_first_retry;
    while (true) {
      auto done = co_await put(batch);
      if (done) break;
      if (!write_error_) parts_.log.error("A log can't be written.", {{"reason", done.error().message}});
      write_error_ = within("Write the log", done.error());
      co_await parts_.time.sleep(retry);
      retry = std::min(retry * 2, k_last_retry);
    }
    write_error_.reset();
    writing_ = false;
    written_.notify();
  }
}

asio::awaitable<void> KeptLog::written() {
  while (writing_ || is_dirty()) co_await written_.wait(net::Deadline::never());
}

Task<> KeptLog::end() {
  LogRow ended = row_;
  ended.following = false;
  auto put = co_await parts_.database.write<bool>([&ended](store::Transaction& transaction) -> Result<bool> {
    if (auto done = put_log(transaction, ended); !done) return fail(done.error());
    return true;
  });
  if (!put) co_return fail(put.error());
  row_.following = false;
  merged_file_.reset();
  grown_.notify();
  co_return Result<>{};
}

Task<> KeptLog::take_up(LogSubject subject) {
  LogRow wanted = row_;
  wanted.subject = std::move(subject);
  wanted.following = true;
  wanted.finishing = false;
  auto put = co_await parts_.database.write<bool>([&wanted](store::Transaction& transaction) -> Result<bool> {
    if (auto done = put_log(transaction, wanted); !done) return fail(done.error());
    return true;
  });
  if (!put) co_return fail(put.error());
  row_.subject = std::move(wanted.subject);
  row_.following = true;
  row_.finishing = false;
  grown_.notify();
  co_return Result<>{};
}

Task<> KeptLog::set_finishing() {
  LogRow wanted = row_;
  wanted.finishing = true;
  auto put = co_await parts_.database.write<bool>([&wanted](store::Transaction& transaction) -> Result<bool> {
    if (auto done = put_log(transaction, wanted); !done) return fail(done.error());
    return true;
  });
  if (!put) co_return fail(put.error());
  row_.finishing = true;
  co_return Result<>{};
}

void KeptLog::forget() {
  forgotten_ = true;
  grown_.notify();
}

}  // namespace instantstart::workload_logs
