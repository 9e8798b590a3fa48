// How an operation begins: once for each request, and only where nobody else works.
#include <fmt/core.h>

#include "base/digest.h"
#include "base/error_codes.h"
#include "operations/journal_rows.h"

namespace instantstart::operations::journal {
namespace {

/// Equal for requests that ask for the same.
std::string digest_of(std::string_view kind, const json::object& input) {
  return to_hex(sha256(to_canonical_text(json::value{{"kind", kind}, {"input", input}})));
}
std::string digest_of(const NewOperation& wanted) { return digest_of(wanted.plan.kind, wanted.input); }

struct Found {
  std::optional<Started> started;
  std::optional<Error> refused;
};

/// Where the subject is not known yet, the request alone decides: the subject follows from it.
Found find_by_client_token(JournalTransaction& journal, const std::string& principal,
                           const std::string& client_token, const std::string& digest,
                           const std::optional<std::string>& subject) {
  const auto row =
      journal.row("SELECT id, digest, subject FROM operation WHERE principal = $1 AND client_token = $2",
                  {principal, client_token});
  if (!row) return {};
  if (row->text(1) != digest || (subject && row->text(2) != *subject)) {
    return {.refused = Error{.code = std::string(codes::token_reused),
                             .message = "The client token was used before, with other values.",
                             .detail = {{"operation_id", row->text(0)}}}};
  }
  return {
      .started = Started{
          .operation_id = row->text(0), .replayed = true, .started_by = principal, .subject = row->text(2)}};
}

Found find_by_client_token(JournalTransaction& journal, const NewOperation& wanted,
                           const std::string& digest) {
  if (!wanted.client_token) return {};
  return find_by_client_token(journal, wanted.principal, *wanted.client_token, digest, wanted.plan.subject);
}

Found find_by_parent_token(JournalTransaction& journal, const Parent& parent) {
  const auto row =
      journal.row("SELECT id, principal, subject FROM operation WHERE parent_token = $1", {parent.token});
  if (row) {
    return {.started = Started{.operation_id = row->text(0),
                               .replayed = true,
                               .started_by = row->text(1),
                               .subject = row->text(2)}};
  }
  const auto of = read_operation(journal, parent.operation_id);
  if (of && of->active && !of->cancel_requested) return {};
  return {.refused = Error{.code = std::string(codes::cancelled),
                           .message = "The operation that wanted to start this one does not run any more."}};
}

/// The running one that wants the same is joined; any other is in the way. A child joins nobody: it must run
/// under its own root, which would be undone with it.
Found find_rival(JournalTransaction& journal, const NewOperation& wanted, const std::string& digest,
                 const std::string& root_id) {
  const Claim claim{wanted.plan.subject, wanted.scope, wanted.removes};
  const auto found = rivals(journal, claim, root_id);
  if (!wanted.parent) {
    for (const auto& rival : found) {
      if (rival.digest != digest || rival.subject != wanted.plan.subject || rival.cancel_requested) continue;
      return {.started = Started{.operation_id = rival.id,
                                 .joined = true,
                                 .started_by = rival.principal,
                                 .subject = rival.subject}};
    }
  }
  if (found.empty()) return {};
  return {.refused = operation_conflict(found.front())};
}

Found find(JournalTransaction& journal, const NewOperation& wanted, const std::string& digest,
           const std::string& root_id) {
  auto found = wanted.parent ? find_by_parent_token(journal, *wanted.parent)
                             : find_by_client_token(journal, wanted, digest);
  if (found.started || found.refused) return found;
  return find_rival(journal, wanted, digest, root_id);
}

std::string root_of(JournalTransaction& journal, const NewOperation& wanted) {
  if (!wanted.parent) return wanted.id;
  const auto parent = read_operation(journal, wanted.parent->operation_id);
  return parent ? parent->root_id : wanted.parent->operation_id;
}

store::Value parent_value(const std::optional<Parent>& parent, std::string Parent::* member) {
  if (!parent) return nullptr;
  return (*parent).*member;
}

void insert(JournalTransaction& journal, const NewOperation& wanted, const std::string& digest,
            const std::string& root_id, std::int64_t epoch) {
  const contract::Plan& plan = wanted.plan;
  journal.run(
      "INSERT INTO operation (id, kind, version, subject, area, scope, removes, state, active, "
      "cancel_requested, rollback, "
      "revision, owner, epoch, principal, client_token, parent_id, parent_step, parent_token, root_id, "
      "created_at, "
      "updated_at, summary, digest, warnings, input) VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', 1, 0, 0, "
      "0, $8, $9, $10, "
      "$11, $12, $13, $14, $15, $16, $16, $17, $18, $19, $20)",
      {wanted.id,
       plan.kind,
       std::int64_t{plan.version},
       plan.subject,
       std::string(area_of(plan.subject)),
       std::string(text_of(wanted.scope)),
       std::int64_t{wanted.removes},
       store::or_null(wanted.owner),
       epoch,
       wanted.principal,
       store::or_null(wanted.client_token),
       parent_value(wanted.parent, &Parent::operation_id),
       parent_value(wanted.parent, &Parent::step_id),
       parent_value(wanted.parent, &Parent::token),
       root_id,
       journal.now_stored(),
       plan.summary,
       digest,
       to_text(encode(plan.warnings)),
       to_text(wanted.input)});
  std::int64_t position = 0;
  for (const auto& planned : plan.steps) {
    const StepRecord step{.id = planned.id,
                          .kind = planned.kind,
                          .title = planned.title,
                          .after = planned.after,
                          .input = to_text(planned.input)};
    insert_step(journal, wanted.id, position++, step, text_of(planned.effect),
                to_text(encode(planned.calls)));
  }
}

}  // namespace

Result<Accepted> accept(store::Transaction& transaction, const NewOperation& wanted, WallTime now) {
  JournalTransaction journal(transaction, now);
  journal.run(k_accept_lock);
  const std::string digest = digest_of(wanted);
  const std::string root_id = root_of(journal, wanted);
  auto found = find(journal, wanted, digest, root_id);
  if (found.refused) return journal.refuse(std::move(*found.refused));
  if (found.started) return journal.done(Accepted{.started = std::move(*found.started)});

  const std::int64_t epoch = wanted.owner ? 1 : 0;
  insert(journal, wanted, digest, root_id, epoch);
  journal.event(wanted.id, wanted.plan.subject, std::nullopt,
                {"operation_started",
                 wanted.plan.summary,
                 {{"kind", wanted.plan.kind}, {"principal", wanted.principal}}});
  // A plan without steps has come to its end already.
  if (auto operation = read_operation(journal, wanted.id)) settle_state(journal, std::move(*operation));
  return journal.done(Accepted{
      .started = {.operation_id = wanted.id, .started_by = wanted.principal, .subject = wanted.plan.subject},
      .created = true,
      .epoch = epoch});
}

Result<std::optional<Started>> find_asked(store::Transaction& transaction, const AskedFor& asked) {
  JournalTransaction journal(transaction, WallTime{});
  const std::string digest = digest_of(asked.kind, asked.input);
  if (asked.client_token) {
    auto found = find_by_client_token(journal, asked.principal, *asked.client_token, digest, std::nullopt);
    if (found.refused) return journal.refuse(std::move(*found.refused));
    if (found.started) return journal.done(std::move(found.started));
  }
  const auto row = journal.row(
      "SELECT id, principal, subject FROM operation WHERE active = 1 AND digest = $1 AND cancel_requested = "
      "0 AND "
      "parent_id IS NULL ORDER BY created_at, id LIMIT 1",
      {digest});
  if (!row) return journal.done(std::optional<Started>());
  return journal.done(std::optional<Started>(Started{
      .operation_id = row->text(0), .joined = true, .started_by = row->text(1), .subject = row->text(2)}));
}

Result<std::optional<Started>> find_equal(store::Transaction& transaction, const NewOperation& wanted) {
  JournalTransaction journal(transaction, WallTime{});
  auto found = find(journal, wanted, digest_of(wanted), wanted.id);
  if (found.refused) return journal.refuse(std::move(*found.refused));
  return journal.done(std::move(found.started));
}

}  // namespace instantstart::operations::journal
