#include "operations/schema.h"

#include <array>

namespace instantstart::operations {
namespace {

// Times are milliseconds since 1970, flags 0 or 1, members named after JSON hold JSON as text. Small columns
// come first: SQLite reads a row up to the last column that is asked for.
constexpr std::string_view k_version_1 = R"sql(
-- Numbers that must be handed out in commit order. Its rows are locks too: whoever changes one, commits before the next.
CREATE TABLE operation_counter (
  name TEXT PRIMARY KEY NOT NULL,
  value INTEGER NOT NULL
) STRICT;
INSERT INTO operation_counter (name, value) VALUES ('event', 0), ('accept', 0);

-- A process that runs operations. `beat` changes with every renewal, so that others can see on their own clocks, which
-- need not agree with its clock, that it is alive.
CREATE TABLE operation_owner (
  id TEXT PRIMARY KEY NOT NULL,
  beat INTEGER NOT NULL,
  lease_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE operation (
  id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  version INTEGER NOT NULL,
  subject TEXT NOT NULL,
  area TEXT NOT NULL,
  scope TEXT NOT NULL,
  removes INTEGER NOT NULL,
  state TEXT NOT NULL,
  active INTEGER NOT NULL,
  cancel_requested INTEGER NOT NULL,
  rollback INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  owner TEXT,
  epoch INTEGER NOT NULL,
  principal TEXT NOT NULL,
  client_token TEXT,
  parent_id TEXT,
  parent_step TEXT,
  parent_token TEXT,
  root_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  finished_at INTEGER,
  summary TEXT NOT NULL,
  digest TEXT NOT NULL,
  warnings TEXT NOT NULL,
  input TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX operation_by_client_token ON operation (principal, client_token);
CREATE UNIQUE INDEX operation_by_parent_token ON operation (parent_token);
CREATE INDEX operation_by_parent ON operation (parent_id);
CREATE INDEX operation_by_root ON operation (root_id);
CREATE INDEX operation_active_by_subject ON operation (subject) WHERE active = 1;
CREATE INDEX operation_active_by_area ON operation (area) WHERE active = 1;
CREATE INDEX operation_active_by_owner ON operation (owner) WHERE active = 1;

CREATE TABLE operation_step (
  operation_id TEXT NOT NULL,
  phase TEXT NOT NULL,
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  state TEXT NOT NULL,
  settled INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  generation INTEGER NOT NULL,
  acts INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  failed_looks INTEGER NOT NULL,
  repeat TEXT NOT NULL,
  deadline_ms INTEGER NOT NULL,
  settle_ms INTEGER NOT NULL,
  sent_at INTEGER,
  started_at INTEGER,
  finished_at INTEGER,
  wake_at INTEGER,
  wait_ms INTEGER NOT NULL,
  title TEXT NOT NULL,
  effect TEXT NOT NULL,
  after_ids TEXT NOT NULL,
  calls TEXT NOT NULL,
  progress TEXT,
  choice TEXT,
  question TEXT,
  error TEXT,
  act_error TEXT,
  input TEXT NOT NULL,
  request TEXT,
  receipt TEXT,
  output TEXT,
  before TEXT,
  PRIMARY KEY (operation_id, phase, id)
) STRICT;

-- The inventory: what an operation made, from before it is made until it is gone.
CREATE TABLE operation_resource (
  operation_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (operation_id, step_id, type, name)
) STRICT;
CREATE INDEX operation_resource_by_name ON operation_resource (type, name);

CREATE TABLE operation_event (
  sequence INTEGER PRIMARY KEY NOT NULL,
  operation_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  subject TEXT NOT NULL,
  kind TEXT NOT NULL,
  step_id TEXT,
  message TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX operation_event_by_operation ON operation_event (operation_id, sequence);
)sql";

constexpr std::array k_migrations{store::Migration{"operations", 1, k_version_1}};

}  // namespace

std::span<const store::Migration> journal_migrations() { return k_migrations; }

}  // namespace instantstart::operations
