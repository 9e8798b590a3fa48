#include <algorithm>
#include <utility>

#include "base/time.h"
#include "capabilities/environments/environment_steps.h"
#include "domain/cluster_key.h"

namespace instantstart::capabilities {
namespace {

using operations::Act;
using operations::Decision;
using operations::Done;
using operations::History;
using operations::Repeat;
using operations::StepContext;

struct SelectSeen {
  std::optional<std::string> selected;  ///< Key
};
Type describe(SelectSeen*) {
  return object_type<SelectSeen>("SelectSeen", "What the starter has selected.",
                                 {field<&SelectSeen::selected>("selected", "The cluster.")});
}

/// Only our own store is changed: the same call twice is one.
class SelectCluster final : public operations::Step<SelectInput, SelectSeen, json::object> {
 public:
  SelectCluster(access::SelectionStore& selections, fleet::Fleet& fleet)
      : selections_(selections), fleet_(fleet) {}

  std::string_view name() const override { return k_select_step; }

  Task<SelectSeen> look(const StepContext& context, const SelectInput&) const override {
    auto selected = co_await selections_.get(context.principal);
    if (!selected) co_return fail(selected.error());
    co_return SelectSeen{std::move(*selected)};
  }

  Decision choose(const StepContext&, const SelectInput& input, const SelectSeen& seen,
                  const History& history) const override {
    const bool is_selected = seen.selected == input.cluster;
    if (is_selected || history.receipt) return Done{.output = json::object{{"selected", is_selected}}};
    return Act{.request = json::object{}, .repeat = Repeat::with_token};
  }

  /// What was chosen since the cluster is managed here, or since this was asked for, is left alone.
  Task<json::value> send(const StepContext& context, const SelectInput& input,
                         const json::object&) const override {
    auto key = domain::parse_cluster_key(input.cluster);
    if (!key) co_return fail(key.error());
    auto since = parse_rfc3339(input.asked_at);
    if (!since) co_return fail(since.error());
    auto record = co_await fleet_.get(std::move(*key));
    if (!record) co_return fail(record.error());
    if (*record) since = std::min(*since, (*record)->created_at);
    auto selected = co_await selections_.select_unless_chosen(context.principal, input.cluster, *since);
    if (!selected) co_return fail(selected.error());
    co_return json::object{{"selected", *selected}};
  }

 private:
  access::SelectionStore& selections_;
  fleet::Fleet& fleet_;
};

}  // namespace

Type describe(SelectInput*) {
  return object_type<SelectInput>(
      "SelectInput", "What to select for who started the operation.",
      {field<&SelectInput::cluster>("cluster", "The cluster's key."),
       field<&SelectInput::asked_at>("asked_at", "When it was asked for; what is selected later stays.")});
}

std::unique_ptr<const operations::StepKind> select_step(access::SelectionStore& selections,
                                                        fleet::Fleet& fleet) {
  return std::make_unique<SelectCluster>(selections, fleet);
}

}  // namespace instantstart::capabilities
