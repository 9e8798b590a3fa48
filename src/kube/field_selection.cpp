#include "kube/field_selection.h"

namespace instantstart::kube {
namespace {

/// RFC 6901, section 4: ~1 is "/", ~0 is "~".
std::string unescaped(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      text += token[++i] == '0' ? '~' : '/';
    } else {
      text += token[i];
    }
  }
  return text;
}

}  // namespace

FieldSelection::FieldSelection(std::initializer_list<std::string_view> pointers) : everything_(false) {
  for (const auto pointer : pointers) add(pointer);
}

void FieldSelection::add(std::string_view pointer) {
  if (everything_) return;
  if (pointer.empty()) {
    everything_ = true;
    members_.clear();
    return;
  }
  pointer.remove_prefix(1);
  const auto end = pointer.find('/');
  auto [member, added] = members_.try_emplace(unescaped(pointer.substr(0, end)));
  if (added) member->second.everything_ = false;
  member->second.add(end == std::string_view::npos ? "" : pointer.substr(end));
}

const FieldSelection* FieldSelection::below(std::string_view member) const {
  if (everything_) return this;
  const auto found = members_.find(member);
  return found == members_.end() ? nullptr : &found->second;
}

void FieldSelection::place(std::string member, FieldSelection selection) {
  everything_ = false;
  members_.insert_or_assign(std::move(member), std::move(selection));
}

void add_identity(FieldSelection& selection) {
  for (const auto* pointer : {"/apiVersion", "/kind", "/metadata/name", "/metadata/namespace",
                              "/metadata/uid", "/metadata/resourceVersion"}) {
    selection.add(pointer);
  }
}

}  // namespace instantstart::kube
