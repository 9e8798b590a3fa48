// Which members of an object are kept while it is parsed. What nobody asked for never becomes a value: of a
// pod of 20 KB an index keeps a few hundred bytes.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace instantstart::kube {

/// A tree of member names. Arrays are looked through: "/spec/containers/name" keeps the name of each
/// container.
class FieldSelection {
 public:
  /// Keeps everything.
  FieldSelection() = default;
  /// JSON Pointers (RFC 6901), each of which keeps all that is below it:
  /// "/metadata/labels/app.kubernetes.io~1name". "" keeps everything.
  FieldSelection(std::initializer_list<std::string_view> pointers);

  /// With one more pointer. Adding to a selection of everything changes nothing.
  void add(std::string_view pointer);

  bool everything() const { return everything_; }
  /// What is kept below a member; nullptr when the member is not kept.
  const FieldSelection* below(std::string_view member) const;

  /// Puts a whole selection under a new member: what wraps an object wraps its selection.
  void place(std::string member, FieldSelection selection);

 private:
  bool everything_ = true;
  std::map<std::string, FieldSelection, std::less<>> members_;
};

/// Kept of each object whatever the caller asks for: what a cache needs to know one object from another.
void add_identity(FieldSelection& selection);

}  // namespace instantstart::kube
