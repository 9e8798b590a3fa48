#include "sandbox/kubernetes/api/listing.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "sandbox/kubernetes/api/metadata.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {
namespace {

/// By namespace and name, as the store has them.
using Snapshot = std::map<std::string, std::shared_ptr<const json::object>>;

struct ContinueToken {
  std::int64_t version = 0;
  std::string after;  ///< "namespace/name" of the last object shown.
};

std::string place_of(const json::object& object) {
  return fmt::format("{}/{}", namespace_of(object), name_of(object));
}

std::string write_token(const ContinueToken& token) {
  return to_base64url(
      to_text(json::object{{"v", "meta.k8s.io/v1"}, {"rv", token.version}, {"start", token.after}}));
}

Outcome<ContinueToken> read_token(std::string_view text) {
  const Status bad = bad_request("continue key is not valid: it was not made by this server");
  const auto decoded = from_base64url(text);
  if (!decoded) return refuse(bad);
  const auto value = parse_json(*decoded, {.max_bytes = 4096, .max_depth = 4});
  if (!value || !value->is_object()) return refuse(bad);
  const json::object& token = value->get_object();
  const auto* version = token.if_contains("rv");
  if (!version || !version->is_int64()) return refuse(bad);
  return ContinueToken{version->get_int64(), std::string(member_text(token, "start"))};
}

/// The collection as it was at an earlier version; nullopt when the history doesn't reach back to it.
std::optional<Snapshot> as_of(const ObjectStore& store, const Selection& selection, std::int64_t version) {
  if (version < store.oldest_version(selection.cluster())) return std::nullopt;
  Snapshot snapshot;
  for (const auto* object :
       store.list(selection.cluster(), selection.group(), selection.resource(), selection.namespace_name())) {
    snapshot.emplace(fmt::format("{}/{}", object->namespace_name, object->name),
                     std::make_shared<const json::object>(object->body));
  }
  auto later = store.changes_after(selection.cluster(), version, k_history_length);
  for (auto change = later.rbegin(); change != later.rend(); ++change) {
    if (!selection.covers(change->key)) continue;
    const std::string place = fmt::format("{}/{}", change->key.namespace_name, change->key.name);
    if (change->before) {
      snapshot.insert_or_assign(place, change->before);
    } else {
      snapshot.erase(place);
    }
  }
  return snapshot;
}

struct Wanted {
  std::int64_t version = 0;  ///< 0: as it is now.
  std::string after;
  std::int64_t limit = 0;
  bool continued = false;
};

Outcome<Wanted> read_wanted(const ObjectStore& store, const Selection& selection,
                            const Parameters& parameters) {
  Wanted wanted;
  auto limit = read_version(parameters.get("limit"));
  if (!limit) return std::unexpected(std::move(limit.error()));
  wanted.limit = *limit;
  const auto token = parameters.get("continue");
  const auto given = read_version(parameters.get("resourceVersion"));
  if (!given) return std::unexpected(given.error());
  const auto match = parameters.get("resourceVersionMatch");
  if (!match.empty() && match != "Exact" && match != "NotOlderThan") {
    return refuse(
        bad_request(fmt::format("resourceVersionMatch: Unsupported value: \"{}\": supported "
                                "values: \"Exact\", \"NotOlderThan\"",
                                match)));
  }
  if (!token.empty()) {
    auto read = read_token(token);
    if (!read) return std::unexpected(std::move(read.error()));
    wanted.continued = true;
    wanted.after = read->after;
    wanted.version = read->version;
    return wanted;
  }
  const auto current = store.version(selection.cluster());
  if (*given > current) return refuse(version_too_large(*given, current));
  if (match == "Exact") wanted.version = *given;
  return wanted;
}

Status page_expired(const ContinueToken& go_on) {
  Status status = expired(
      "The provided continue parameter is too old to display a consistent list result. "
      "You can start a new list without the continue parameter, or use the continue "
      "token in this response to retrieve the remainder of the results. Continuing with "
      "the provided token results in an inconsistent list - objects that were created, "
      "modified, or deleted between the time the first chunk was returned and now may "
      "show up in the list.");
  // to_json has no place for it; rest.cpp reads it from here.
  status.causes.push_back({.reason = "Continue", .message = write_token(go_on), .field = {}});
  return status;
}

/// The page of what is selected, in order.
void fill(ListPage& page, const std::vector<const json::object*>& selected, const Wanted& wanted,
          std::int64_t version, bool count_rest) {
  auto next = selected.begin();
  if (!wanted.after.empty()) {
    next = std::ranges::find_if(selected,
                                [&](const json::object* object) { return place_of(*object) > wanted.after; });
  }
  const auto left = selected.end() - next;
  const auto taken = wanted.limit > 0 ? std::min<std::int64_t>(wanted.limit, left) : left;
  page.objects.assign(next, next + taken);
  page.metadata = json::object{{"resourceVersion", std::to_string(version)}};
  if (taken == left || taken == 0) return;
  page.metadata["continue"] = write_token({version, place_of(*page.objects.back())});
  if (count_rest) page.metadata["remainingItemCount"] = left - taken;
}

}  // namespace

Outcome<std::int64_t> read_version(std::string_view text) {
  if (text.empty()) return 0;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    return refuse(
        bad_request(fmt::format("Invalid value: \"{}\": must be a number that is not negative", text)));
  }
  return value;
}

Outcome<ListPage> read_page(const ObjectStore& store, const Selection& selection,
                            const Parameters& parameters) {
  auto wanted = read_wanted(store, selection, parameters);
  if (!wanted) return std::unexpected(std::move(wanted.error()));
  ListPage page;
  const auto current = store.version(selection.cluster());
  // A token of version -1 goes on with things as they are now.
  const bool of_now = wanted->version <= 0 || wanted->version == current;
  if (of_now) {
    fill(page, selection.find(store), *wanted, current, selection.whole_collection());
    return page;
  }
  const auto snapshot = as_of(store, selection, wanted->version);
  if (!snapshot) {
    if (wanted->continued) return refuse(page_expired({-1, wanted->after}));
    return refuse(expired(fmt::format("The resourceVersion for the provided list is too old: {} ({})",
                                      wanted->version, store.oldest_version(selection.cluster()))));
  }
  std::vector<const json::object*> selected;
  for (const auto& [place, object] : *snapshot) {
    if (!selection.selects(*object)) continue;
    page.held.push_back(object);
    selected.push_back(object.get());
  }
  fill(page, selected, *wanted, wanted->version, selection.whole_collection());
  return page;
}

}  // namespace instantstart::sandbox::kubernetes
