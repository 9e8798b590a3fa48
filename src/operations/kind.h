// Operation kinds and step kinds by name: what the engine can run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operations/step.h"

namespace instantstart::operations {

/// How far an operation's lease on its subject reaches.
enum class Scope {
  tree,  ///< Its subject and all below: nothing else may work there.
  leaf,  ///< Its subject alone; it runs beside operations above it, unless one of those removes the subject's
         ///< parent.
};

struct OperationKind {
  std::string name;  ///< Equal to the action that starts it, mostly.
  Scope scope = Scope::tree;
  bool removes = false;      ///< Takes its subject away: leaf operations below conflict with it.
  std::size_t parallel = 8;  ///< Steps that may run at once.
};

/// Filled by the composition, checked by the engine at its start: an unfinished operation whose kinds are
/// unknown is a fault that is reported, never skipped.
class KindRegistry {
 public:
  void add(OperationKind kind);
  void add(std::unique_ptr<const StepKind> step);

  const OperationKind* operation(std::string_view name) const;
  const StepKind* step(std::string_view name) const;

 private:
  std::map<std::string, OperationKind, std::less<>> operations_;
  std::map<std::string, std::unique_ptr<const StepKind>, std::less<>> steps_;
};

}  // namespace instantstart::operations
