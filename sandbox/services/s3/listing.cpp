// ListObjectsV2: keys in the order of their bytes, folded at a delimiter, in pages.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "sandbox/services/s3/buckets.h"
#include "sandbox/services/s3/objects.h"

namespace instantstart::sandbox::s3 {
namespace {

constexpr std::int64_t k_largest_page = 1000;  // ListObjectsV2, API reference.

/// The key up to and with the first delimiter after the prefix; empty when there is none.
std::string_view common_prefix(std::string_view key, std::string_view prefix, std::string_view delimiter) {
  if (delimiter.empty()) return {};
  const auto at = key.find(delimiter, prefix.size());
  return at == std::string_view::npos ? std::string_view() : key.substr(0, at + delimiter.size());
}

class Page {
 public:
  Page(const api::ListObjectsV2Request& in, std::string after)
      : prefix_(in.prefix.value_or("")),
        delimiter_(in.delimiter.value_or("")),
        encodes_(in.encoding_type == "url"),
        after_(std::move(after)),
        left_(std::clamp<std::int64_t>(in.max_keys.value_or(k_largest_page), 0, k_largest_page)) {}

  /// False when the page is full: the list goes on after `last()`.
  bool add(std::string_view key, const api::GetObjectOutput& object) {
    const std::string_view folded = common_prefix(key, prefix_, delimiter_);
    const std::string_view item = folded.empty() ? key : folded;
    // What is folded into a prefix that an earlier page told is told already.
    if (item <= after_ || item == last_) return true;
    if (left_ == 0) return false;
    --left_;
    last_ = item;
    if (folded.empty()) {
      contents_.push_back({.key = shown(key),
                           .last_modified = object.last_modified,
                           .e_tag = object.e_tag,
                           .size = object.content_length,
                           .storage_class = object.storage_class.value_or("STANDARD")});
    } else {
      prefixes_.push_back({.prefix = shown(folded)});
    }
    return true;
  }

  std::string shown(std::string_view text) const {
    return encodes_ ? percent_encode(text, "/") : std::string(text);
  }
  const std::string& last() const { return last_; }
  std::vector<api::Object>& contents() { return contents_; }
  std::vector<api::CommonPrefix>& prefixes() { return prefixes_; }

 private:
  std::string prefix_;
  std::string delimiter_;
  bool encodes_;
  std::string after_;
  std::int64_t left_;
  std::string last_;
  std::vector<api::Object> contents_;
  std::vector<api::CommonPrefix> prefixes_;
};

}  // namespace

Reply<api::ListObjectsV2Output> list_objects_v2(State& state, const Call& call,
                                                const api::ListObjectsV2Request& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  std::string after = in.start_after.value_or("");
  if (in.continuation_token) {
    const auto token = from_base64url(*in.continuation_token);
    if (!token) return fault("InvalidArgument", "The continuation token provided is incorrect");
    after = *token;
  }
  const std::string start = object_id(*in.bucket, "");
  Page page(in, after);
  bool is_truncated = false;
  for (const auto& [id, object] : state.objects.starting_with(start + in.prefix.value_or(""))) {
    if (page.add(std::string_view(id).substr(start.size()), object)) continue;
    is_truncated = in.max_keys != 0;
    break;
  }
  api::ListObjectsV2Output out{.is_truncated = is_truncated,
                               .name = in.bucket,
                               .prefix = page.shown(in.prefix.value_or("")),
                               .max_keys = in.max_keys.value_or(k_largest_page),
                               .encoding_type = in.encoding_type,
                               .continuation_token = in.continuation_token,
                               .start_after = in.start_after};
  if (in.delimiter) out.delimiter = page.shown(*in.delimiter);
  out.key_count = static_cast<std::int64_t>(page.contents().size() + page.prefixes().size());
  if (is_truncated) out.next_continuation_token = to_base64url(page.last());
  if (!page.contents().empty()) out.contents = std::move(page.contents());
  if (!page.prefixes().empty()) out.common_prefixes = std::move(page.prefixes());
  return out;
}

}  // namespace instantstart::sandbox::s3
