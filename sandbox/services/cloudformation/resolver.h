// What a template's resources and outputs come to, over what is known of the stack: for the engine, which
// makes them, and for change sets, which only tell.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/services/cloudformation/records.h"
#include "sandbox/services/cloudformation/template/intrinsics.h"
#include "sandbox/services/cloudformation/template/references.h"
#include "sandbox/services/cloudformation/template/template.h"

namespace instantstart::sandbox::cloudformation {

struct StackNames {
  std::string id;  ///< The ARN.
  std::string name;
};

struct Resolved {
  json::object properties;
  Tags tags;
};

class Resolver {
 public:
  /// `resources` must outlive it and is read at each question. ValidationError when the template is none.
  static Reply<Resolver> make(State& state, Call call, StackNames names, Definition definition,
                              const Resources& resources);

  const Template& source() const { return source_; }
  const Dependencies& dependencies() const { return dependencies_; }
  /// Whether the resource's condition holds.
  bool is_active(const std::string& logical_id) const;

  /// What is not known yet is k_unknown.
  Reply<Resolved> resource(const std::string& logical_id) const;
  Reply<std::vector<api::Output>> outputs() const;
  /// Evaluates everything once; the ValidationError that CloudFormation answers at once.
  Reply<void> check() const;

 private:
  Resolver(State& state, Call call, StackNames names, Definition definition, const Resources& resources);

  Scope scope() const;
  Reply<json::value> ref(const std::string& logical_id) const;
  Reply<json::value> attribute(const std::string& logical_id, const std::string& name) const;
  std::vector<std::string> zones(const std::string& region) const;

  State* state_;
  Call call_;
  StackNames names_;
  Definition definition_;
  const Resources* resources_;
  Template source_ = {};
  Dependencies dependencies_ = {};
  std::map<std::string, bool> conditions_ = {};
};

/// The capabilities that the template's resources need: CAPABILITY_IAM or CAPABILITY_NAMED_IAM.
std::vector<std::string> needed_capabilities(const Template& source);
std::optional<AwsFault> refuse_capabilities(const Template& source, const std::vector<std::string>& given);

/// The call in the name of whom the stack's operation was started for.
Call call_for(const StackWork& work);

}  // namespace instantstart::sandbox::cloudformation
