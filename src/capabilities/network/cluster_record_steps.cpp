#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/network/control_plane_steps.h"

namespace instantstart::capabilities {
namespace {

using operations::Act;
using operations::Decision;
using operations::Done;
using operations::History;
using operations::Repeat;
using operations::StepContext;

constexpr std::string_view k_record_resource = "instantstart:cluster";

/// What is kept of the cluster, and who has the tag.
struct RecordSeen {
  bool exists = false;
  std::string tag;
  std::optional<std::string> profile;
  std::string operation_id;
};

Type describe(RecordSeen*) {
  return object_type<RecordSeen>(
      "RecordSeen", "A record as it is kept.",
      {field<&RecordSeen::exists>("exists", "Whether it is there."),
       field<&RecordSeen::tag>("tag", "Its tag.", {.defaulted = true}),
       field<&RecordSeen::profile>("profile", "Its profile."),
       field<&RecordSeen::operation_id>("operation_id", "Which operation made it.", {.defaulted = true})});
}

Task<RecordSeen> look_at_record(fleet::Fleet& fleet, std::string cluster) {
  auto key = domain::parse_cluster_key(cluster);
  if (!key) co_return fail(key.error());
  auto record = co_await fleet.get(std::move(*key));
  if (!record) co_return fail(record.error());
  if (!*record) co_return RecordSeen{};
  co_return RecordSeen{true, (*record)->tag, (*record)->profile, (*record)->operation_id};
}

Task<json::value> forget(fleet::Fleet& fleet, std::string cluster) {
  auto key = domain::parse_cluster_key(cluster);
  if (!key) co_return fail(key.error());
  auto gone = co_await fleet.forget(std::move(*key));
  if (!gone) co_return fail(gone.error());
  co_return json::value(json::object{});
}

class UndoRecord final : public operations::Step<ClusterRecordInput, RecordSeen, json::object> {
 public:
  explicit UndoRecord(fleet::Fleet& fleet) : fleet_(fleet) {}

  std::string_view name() const override { return "cluster_record_undo"; }

  Task<RecordSeen> look(const StepContext&, const ClusterRecordInput& input) const override {
    return look_at_record(fleet_, input.cluster);
  }
  Decision choose(const StepContext& context, const ClusterRecordInput& input, const RecordSeen& seen,
                  const History&) const override {
    if (!seen.exists || seen.operation_id != context.operation_id) {
      return Done{.removed = {{std::string(k_record_resource), input.cluster}}};
    }
    return Act{.request = json::object{}, .repeat = Repeat::with_token};
  }
  Task<json::value> send(const StepContext&, const ClusterRecordInput& input,
                         const json::object&) const override {
    return forget(fleet_, input.cluster);
  }

 private:
  fleet::Fleet& fleet_;
};

class ClusterRecordStep final : public operations::Step<ClusterRecordInput, RecordSeen, json::object> {
 public:
  ClusterRecordStep(fleet::Fleet& fleet, const Clock& clock) : fleet_(fleet), clock_(clock), undo_(fleet) {}

  std::string_view name() const override { return k_record_step; }
  const operations::StepKind* undo() const override { return &undo_; }

  Task<RecordSeen> look(const StepContext&, const ClusterRecordInput& input) const override {
    return look_at_record(fleet_, input.cluster);
  }
  Decision choose(const StepContext& context, const ClusterRecordInput& input, const RecordSeen& seen,
                  const History&) const override {
    const operations::Resource record{std::string(k_record_resource), input.cluster};
    if (seen.exists && seen.tag == input.tag && seen.profile == input.profile) {
      Done done{.output = json::object{{"cluster", input.cluster}, {"tag", input.tag}}};
      if (seen.operation_id == context.operation_id) done.owned = {record};
      return done;
    }
    Act act{.request = json::object{}, .repeat = Repeat::with_token};
    if (!seen.exists) act.makes = {record};
    return act;
  }
  Task<json::value> send(const StepContext& context, const ClusterRecordInput& input,
                         const json::object&) const override {
    auto key = domain::parse_cluster_key(input.cluster);
    if (!key) co_return fail(key.error());
    auto put = co_await fleet_.put({.key = std::move(*key),
                                    .tag = input.tag,
                                    .profile = input.profile,
                                    .created_at = clock_.wall(),
                                    .operation_id = context.operation_id});
    if (!put) co_return fail(put.error());
    co_return json::value(json::object{});
  }

 private:
  fleet::Fleet& fleet_;
  const Clock& clock_;
  UndoRecord undo_;
};

class ClusterForget final : public operations::Step<ClusterRecordInput, RecordSeen, json::object> {
 public:
  explicit ClusterForget(fleet::Fleet& fleet) : fleet_(fleet) {}

  std::string_view name() const override { return k_forget_step; }

  Task<RecordSeen> look(const StepContext&, const ClusterRecordInput& input) const override {
    return look_at_record(fleet_, input.cluster);
  }
  Decision choose(const StepContext&, const ClusterRecordInput& input, const RecordSeen& seen,
                  const History&) const override {
    if (!seen.exists) return Done{.removed = {{std::string(k_record_resource), input.cluster}}};
    return Act{.request = json::object{}, .repeat = Repeat::with_token};
  }
  Task<json::value> send(const StepContext&, const ClusterRecordInput& input,
                         const json::object&) const override {
    return forget(fleet_, input.cluster);
  }

 private:
  fleet::Fleet& fleet_;
};

}  // namespace

Type describe(ClusterRecordInput*) {
  using Input = ClusterRecordInput;
  return object_type<Input>("ClusterRecordInput", "The record of a managed cluster.",
                            {field<&Input::cluster>("cluster", "The cluster's key."),
                             field<&Input::tag>("tag", "Its tag.", {.defaulted = true}),
                             field<&Input::profile>("profile", "The AWS profile.")});
}

std::unique_ptr<const operations::StepKind> cluster_record_step(fleet::Fleet& fleet, const Clock& clock) {
  return std::make_unique<ClusterRecordStep>(fleet, clock);
}

std::unique_ptr<const operations::StepKind> cluster_forget_step(fleet::Fleet& fleet) {
  return std::make_unique<ClusterForget>(fleet);
}

}  // namespace instantstart::capabilities
