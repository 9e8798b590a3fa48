#include "kube/helm_release.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include <zlib.h>

#include "base/digest.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "kube/json_access.h"
#include "kube/selective_parser.h"

namespace instantstart::kube {
namespace {

// A Secret holds at most 1 MiB; charts with large CRDs inflate to some tens of MB.
constexpr std::size_t k_most_inflated = std::size_t{64} << 20;
constexpr int k_gzip_window = 15 + 16;  // zlib.h, inflateInit2: 16 more means a gzip header.

std::unexpected<Error> no_release(std::string_view why) {
  return fail(codes::upstream_error, "The Secret is no Helm release: " + std::string(why));
}

class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, k_gzip_window) == Z_OK; }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Feeds what it inflates to the parser, piece by piece.
  Result<> run(std::string_view bytes, SelectiveParser& parser) {
    if (!ready_) return fail(codes::internal, "zlib could not be set up");
    // zlib's interface is older than const; it only reads.
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::array<char, 16 * 1024> piece;
    std::size_t total = 0;
    for (;;) {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      const int state = inflate(&stream_, Z_NO_FLUSH);
      if (state == Z_BUF_ERROR) return no_release("it ends too soon");  // Nothing left to read from.
      if (state != Z_OK && state != Z_STREAM_END) return no_release("its compression is broken");
      const std::size_t made = piece.size() - stream_.avail_out;
      total += made;
      if (total > k_most_inflated) return no_release("it is too large");
      if (auto fed = parser.feed({piece.data(), made}); !fed) return no_release(fed.error().message);
      if (state == Z_STREAM_END) return {};
    }
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

Result<json::object> document_of(std::string_view compressed) {
  std::optional<json::object> document;
  SelectiveParser parser({"/name", "/namespace", "/version", "/config", "/info/status",
                          "/chart/metadata/name", "/chart/metadata/version", "/chart/values"},
                         {.max_kept_bytes = std::size_t{4} << 20, .max_raw_bytes = k_most_inflated},
                         [&document](json::object found) { document = std::move(found); });
  Inflater inflater;
  if (auto inflated = inflater.run(compressed, parser); !inflated) return fail(inflated.error());
  if (!document) return no_release("it holds no object");
  return std::move(*document);
}

const json::value* at_path(const json::object& object, const std::vector<std::string_view>& names) {
  const json::object* at = &object;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* value = at->if_contains(names[i]);
    if (!value || i + 1 == names.size()) return value;
    if (!value->is_object()) return nullptr;
    at = &value->get_object();
  }
  return nullptr;
}

}  // namespace

bool HelmRelease::switched_on(std::string_view path) const {
  const auto names = split(path, '.');
  for (const auto* source : {&values, &defaults}) {
    const auto* value = at_path(*source, names);
    if (value && value->is_bool()) return value->get_bool();
  }
  return true;
}

Result<HelmRelease> read_helm_release(const json::object& secret) {
  const auto outer = from_base64(text_at(secret, {"data", "release"}));
  if (!outer) return no_release("data.release is no base64");
  const auto inner = from_base64(*outer);
  if (!inner) return no_release("its payload is no base64");
  auto document = document_of(*inner);
  if (!document) return fail(document.error());
  return HelmRelease{.name = std::string(text_at(*document, {"name"})),
                     .space = std::string(text_at(*document, {"namespace"})),
                     .revision = integer_at(*document, {"version"}).value_or(0),
                     .status = std::string(text_at(*document, {"info", "status"})),
                     .chart = std::string(text_at(*document, {"chart", "metadata", "name"})),
                     .chart_version = std::string(text_at(*document, {"chart", "metadata", "version"})),
                     .values = object_at(*document, {"config"}),
                     .defaults = object_at(*document, {"chart", "values"})};
}

std::vector<HelmRelease> latest_revisions(std::vector<HelmRelease> releases) {
  std::map<std::pair<std::string, std::string>, HelmRelease> latest;
  for (auto& release : releases) {
    auto& kept = latest[{release.space, release.name}];
    if (kept.name.empty() || kept.revision < release.revision) kept = std::move(release);
  }
  std::vector<HelmRelease> found;
  for (auto& [key, release] : latest) found.push_back(std::move(release));
  return found;
}

}  // namespace instantstart::kube
