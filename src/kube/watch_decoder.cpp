#include "kube/watch_decoder.h"

#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/text.h"
#include "kube/json_access.h"

namespace instantstart::kube {
namespace {

constexpr std::string_view k_initial_events_end = "k8s.io/initial-events-end";

/// The caller's selection, laid under "object", with what bookmarks and errors need.
FieldSelection of_event(FieldSelection keep) {
  add_identity(keep);
  keep.add("/metadata/annotations/k8s.io~1initial-events-end");
  for (const auto* member : {"/code", "/reason", "/message", "/details"}) keep.add(member);
  FieldSelection event{"/type"};
  event.place("object", std::move(keep));
  return event;
}

std::optional<WatchEvent::Kind> kind_named(std::string_view type) {
  if (type == "ADDED") return WatchEvent::Kind::added;
  if (type == "MODIFIED") return WatchEvent::Kind::modified;
  if (type == "DELETED") return WatchEvent::Kind::deleted;
  if (type == "BOOKMARK") return WatchEvent::Kind::bookmark;
  if (type == "ERROR") return WatchEvent::Kind::error;
  return std::nullopt;
}

std::optional<WatchEvent> to_event(json::object document) {
  const auto kind = kind_named(text_at(document, {"type"}));
  json::value* object = document.if_contains("object");
  if (!kind || !object || !object->is_object()) return std::nullopt;
  WatchEvent event{.kind = *kind, .object = std::move(object->get_object())};
  if (event.kind == WatchEvent::Kind::error) {
    event.status = to_status(event.object);
  } else if (event.resource_version().empty()) {
    return std::nullopt;  // nobody could go on after it
  }
  return event;
}

}  // namespace

std::string_view WatchEvent::resource_version() const {
  return text_at(object, {"metadata", "resourceVersion"});
}

bool WatchEvent::ends_initial_events() const {
  return kind == Kind::bookmark &&
         text_at(object, {"metadata", "annotations", k_initial_events_end}) == "true";
}

WatchDecoder::WatchDecoder(FieldSelection keep, SelectiveLimits limits)
    : parser_(of_event(std::move(keep)), limits, [this](json::object document) {
        const std::string type(text_at(document, {"type"}));
        auto event = to_event(std::move(document));
        if (event) {
          events_.push_back(std::move(*event));
        } else if (!unknown_) {
          unknown_ = type;
        }
      }) {}

Result<std::vector<WatchEvent>> WatchDecoder::feed(std::string_view bytes) {
  auto fed = parser_.feed(bytes);
  auto events = std::exchange(events_, {});
  if (!fed) return fail(std::move(fed.error()));
  if (unknown_) {
    return fail(codes::upstream_error,
                fmt::format("the server sent something that is no watch event (type '{}')",
                            shortened(without_controls(*unknown_), 40)));
  }
  return events;
}

}  // namespace instantstart::kube
