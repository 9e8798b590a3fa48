// JSON that is parsed as it streams, keeping only what was selected. It is split anywhere, and nothing of it
// is held but the values that are kept: a list of 100,000 pods takes the memory of one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "kube/field_selection.h"

namespace instantstart::kube {

struct SelectiveLimits {
  /// Of the kept part of one document or one item: names and texts, and 16 bytes a value.
  std::size_t max_kept_bytes = std::size_t{8} << 20;
  /// Of one document (watch event) or one item of a list, before selection. etcd refuses objects over 1.5 MiB
  /// by default; its largest advised setting is 8 MiB.
  std::size_t max_raw_bytes = std::size_t{16} << 20;
  std::size_t max_depth = 200;
};

/// One document after the other. Errors: `upstream_error`, for text that is not JSON or larger than allowed;
/// after an error nothing more can be fed.
class SelectiveParser {
 public:
  using Take = std::function<void(json::object)>;

  /// With `take_item`, elements of the root's member "items" are handed out one by one, with `selection` laid
  /// over each of them, and are no part of the document; else it is laid over the document.
  SelectiveParser(FieldSelection selection, SelectiveLimits limits, Take take_document,
                  Take take_item = nullptr);
  ~SelectiveParser();
  SelectiveParser(const SelectiveParser&) = delete;
  SelectiveParser& operator=(const SelectiveParser&) = delete;

  Result<> feed(std::string_view bytes);
  /// Whether nothing but space came since the last document: the stream may end here.
  bool between_documents() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace instantstart::kube
