#include "kube/list_parser.h"

#include "base/error_codes.h"
#include "kube/json_access.h"

namespace instantstart::kube {
namespace {

FieldSelection with_identity(FieldSelection keep) {
  add_identity(keep);
  return keep;
}

}  // namespace

ListParser::ListParser(FieldSelection keep, std::function<void(json::object)> take, SelectiveLimits limits)
    : parser_(
          with_identity(std::move(keep)), limits,
          [this](json::object envelope) {
            twice_ = envelope_.has_value();
            envelope_ = std::move(envelope);
          },
          std::move(take)) {}

Result<ListMeta> ListParser::finish() {
  if (!envelope_ || twice_ || !parser_.between_documents()) {
    return fail(codes::upstream_error, "the server's list ends in the middle");
  }
  const json::object& meta = object_at(*envelope_, {"metadata"});
  if (!text_at(*envelope_, {"kind"}).ends_with("List") || !meta.contains("resourceVersion")) {
    return fail(codes::upstream_error, "the server's answer is no list of objects");
  }
  ListMeta result{.resource_version = std::string(text_at(meta, {"resourceVersion"})),
                  .continue_token = std::string(text_at(meta, {"continue"})),
                  .remaining_items = integer_at(meta, {"remainingItemCount"})};
  return result;
}

}  // namespace instantstart::kube
