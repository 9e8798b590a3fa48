#include "operations/conflict.h"

namespace instantstart::operations {

bool in_conflict(const Claim& a, const Claim& b) {
  if (!subjects_overlap(a.subject, b.subject)) return false;
  if (a.subject == b.subject) return true;
  const bool a_is_above = a.subject.size() < b.subject.size();
  const Claim& above = a_is_above ? a : b;
  const Claim& below = a_is_above ? b : a;
  return above.removes || (above.scope == Scope::tree && below.scope == Scope::tree);
}

std::string_view area_of(std::string_view subject) {
  const auto first = subject.find('/');
  if (first == std::string_view::npos) return subject;
  return subject.substr(0, subject.find('/', first + 1));
}

}  // namespace instantstart::operations
