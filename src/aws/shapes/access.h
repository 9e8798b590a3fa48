// The functions behind the generated tables: one set for each C++ type, however many members have it. Only
// generated code includes this.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aws/shapes/shape.h"

namespace instantstart::aws {

namespace access {

template <class Member>
const void* peek(const void* member) {
  const auto& holder = *static_cast<const Member*>(member);
  return holder ? &*holder : nullptr;
}
template <class Member>
void* emplace(void* member) {
  return &static_cast<Member*>(member)->emplace();
}

template <class List>
std::size_t list_size(const void* list) {
  return static_cast<const List*>(list)->size();
}
template <class List>
const void* list_at(const void* list, std::size_t index) {
  return static_cast<const List*>(list)->data() + index;
}
template <class List>
void* list_append(void* list) {
  return &static_cast<List*>(list)->emplace_back();
}
// std::vector<bool> has no elements to point to; the generator refuses lists of booleans.

template <class Map>
std::size_t map_size(const void* map) {
  return static_cast<const Map*>(map)->size();
}
template <class Map>
void* map_insert(void* map, std::string key) {
  return &(*static_cast<Map*>(map))[std::move(key)];
}
template <class Map>
void map_each(const void* map, const std::function<void(const std::string&, const void*)>& visit) {
  for (const auto& [key, value] : *static_cast<const Map*>(map)) visit(key, &value);
}

template <class Structure>
void* create() {
  return new Structure();
}
template <class Structure>
void destroy(void* structure) {
  delete static_cast<Structure*>(structure);
}

}  // namespace access

/// `Member` is std::optional<…> or Recursive<…>.
template <class Member>
inline constexpr Holder k_holder{&access::peek<Member>, &access::emplace<Member>};
template <class List>
inline constexpr ListAccess k_list{&access::list_size<List>, &access::list_at<List>,
                                   &access::list_append<List>};
template <class Map>
inline constexpr MapAccess k_map{&access::map_size<Map>, &access::map_insert<Map>, &access::map_each<Map>};
template <class Structure>
inline constexpr Lifetime k_lifetime{&access::create<Structure>, &access::destroy<Structure>};

}  // namespace instantstart::aws
