// What CloudFormation remembers: of each stack what DescribeStacks shows, and the work on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "aws/shapes/cloudformation.h"
#include "base/describe.h"
#include "sandbox/core/internal_calls.h"
#include "sandbox/core/world.h"
#include "sandbox/services/cloudformation/resources/resource_type.h"
#include "sandbox/services/cloudformation/template/parameters.h"

namespace instantstart::sandbox::cloudformation {

namespace api = aws::cloudformation;

/// What is to become of a resource in the stack's running operation.
enum class Task { none, create, update, remove };
/// Of a task: not begun; shown as in progress, nothing sent; sent, not settled; over.
enum class Stage { waiting, starting, working, over };

struct ResourceRecord {
  std::string logical_id;
  std::string type;
  std::string physical_id;
  std::string status;
  std::string status_reason;
  std::string updated_at;   ///< RFC 3339
  json::object properties;  ///< As they were last sent.
  json::object attributes;
  Tags tags;
  std::vector<std::string> depends_on;
  std::string deletion_policy = "Delete";
  std::string update_replace_policy = "Delete";
  bool obsolete = false;  ///< Replaced or no more in the template: the clean-up deletes it.
  Task task = Task::none;
  Stage stage = Stage::over;
  std::int64_t attempts = 0;  ///< Calls that were put off, in a row.
  bool replacing = false;     ///< The update makes a new one.

  bool exists() const {
    return !physical_id.empty() && status != "DELETE_COMPLETE" && status != "DELETE_SKIPPED";
  }
  bool is_open() const { return task != Task::none && stage != Stage::over; }
  bool is_under_way() const { return stage == Stage::starting || stage == Stage::working; }
};
Type describe(ResourceRecord*);

/// By slot: the logical id, or "Logical~1" for one that was replaced.
using Resources = std::map<std::string, ResourceRecord>;

enum class Phase {
  idle,
  create,
  rollback,
  update,
  update_cleanup,
  update_rollback,
  update_rollback_cleanup,
  remove,
};

/// A template with everything that a request says about it.
struct Definition {
  std::string body;
  ParameterTexts parameters;
  Tags tags;  ///< The stack's, without the system's.
};
Type describe(Definition*);

struct StackWork {
  std::string region;
  std::string principal_arn;  ///< Who started the running operation; its calls are made for them.
  std::string principal_id;
  std::string access_key_id;
  Definition definition;
  Resources resources;
  Phase phase = Phase::idle;
  std::string on_failure = "ROLLBACK";      ///< Of creation: "ROLLBACK", "DO_NOTHING" or "DELETE".
  bool keeps_failed_update = false;         ///< DisableRollback of an update.
  std::optional<std::string> token;         ///< ClientRequestToken of the running operation.
  std::vector<std::string> retained;        ///< RetainResources of a deletion.
  std::optional<std::string> planned_code;  ///< The fault plan's wish, until a resource has failed by it.
  std::optional<std::string> planned_message;
  std::optional<Definition> before;  ///< In an update: what a rollback goes back to.
  Resources resources_before;
  std::int64_t events = 0;  ///< So many so far.
};
Type describe(StackWork*);

struct ChangeSetRecord {
  std::string stack_key;
  std::string type;  ///< "CREATE" or "UPDATE"
  Definition definition;
  std::vector<std::string> capabilities;
  std::optional<std::string> on_failure;
  /// What DescribeChangeSet answers, in API names.
  json::object shown;
};
Type describe(ChangeSetRecord*);

/// A ClientRequestToken that was used.
struct UsedToken {
  std::string operation;
  std::string request;  ///< SHA-256 of the request, in hex.
  std::string stack_id;
};
Type describe(UsedToken*);

struct State {
  State(World& the_world, InternalCalls& the_calls);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  World& world;
  InternalCalls& calls;
  Collection<api::Stack> stacks;            ///< By stack_key.
  Collection<StackWork> work;               ///< By stack_key.
  Collection<api::StackEvent> events;       ///< By event_key.
  Collection<ChangeSetRecord> change_sets;  ///< By region/ARN.
  Collection<UsedToken> tokens;             ///< By region/operation/token.
};

/// "us-west-2/name/uuid", from the stack's ARN.
std::string stack_key(std::string_view stack_id);
/// Sorts by number.
std::string event_key(std::string_view stack_key, std::int64_t number);

aws::Timestamp timestamp(WallTime time);

}  // namespace instantstart::sandbox::cloudformation
