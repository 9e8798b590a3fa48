#include "capabilities/catalog/catalog.h"

namespace instantstart::capabilities {

Type describe(ZoneList*) {
  return object_type<ZoneList>(
      "ZoneList", "Which zones.",
      {field<&ZoneList::region>("region", "The region; the configured one when left out."),
       field<&ZoneList::profile>("profile", "The AWS profile; the environment's when left out."),
       field<&ZoneList::instance_type>("instance_type", "Also says which zones offer this type.")});
}

Type describe(Zone*) {
  return object_type<Zone>(
      "Zone", "An availability zone.",
      {field<&Zone::name>("name", "Its name in this account: us-west-2a."),
       field<&Zone::id>("id", "Its id, the same place in every account: usw2-az1."),
       field<&Zone::state>("state", "AWS's word: available, impaired, information or unavailable."),
       field<&Zone::control_plane>("control_plane", "Whether an EKS control plane may have a subnet here."),
       field<&Zone::offers_type>("offers_type", "Whether the asked instance type is offered here.")});
}

Type describe(ZoneListAnswer*) {
  return object_type<ZoneListAnswer>("ZoneListAnswer", "The zones of a region.",
                                     {field<&ZoneListAnswer::region>("region", "The region that was asked."),
                                      field<&ZoneListAnswer::zones>("zones", "By name.")});
}

Type describe(InstanceTypeList*) {
  return object_type<InstanceTypeList>(
      "InstanceTypeList", "Which instance types.",
      {field<&InstanceTypeList::region>("region", "The region; the configured one when left out."),
       field<&InstanceTypeList::profile>("profile", "The AWS profile; the environment's when left out."),
       field<&InstanceTypeList::zone>("zone", "Only those that this zone offers."),
       field<&InstanceTypeList::accelerated>("accelerated", "Only those with GPUs or Neuron devices.",
                                             {.defaulted = true}),
       field<&InstanceTypeList::contains>("contains", "Only those whose name contains this.",
                                          {.rule = {.min = 1, .max = 40}, .examples = {"p5"}})});
}

Type describe(InstanceTypeView*) {
  return object_type<InstanceTypeView>(
      "InstanceTypeView", "An instance type as it matters to training and inference.",
      {field<&InstanceTypeView::name>("name", "EC2's name; HyperPod puts ml. before it."),
       field<&InstanceTypeView::vcpus>("vcpus", "Virtual CPUs."),
       field<&InstanceTypeView::memory_gib>("memory_gib", "Memory in GiB."),
       field<&InstanceTypeView::accelerator>("accelerator", "What its accelerators are."),
       field<&InstanceTypeView::accelerators>("accelerators", "How many it has."),
       field<&InstanceTypeView::accelerator_memory_gib>("accelerator_memory_gib",
                                                        "Memory of one of them in GiB."),
       field<&InstanceTypeView::efa_interfaces>("efa_interfaces", "EFA interfaces at most; 0 means no EFA."),
       field<&InstanceTypeView::quota>(
           "quota",
           "HyperPod cluster instances of this type that the account may run; absent when it is not known."),
       field<&InstanceTypeView::zones>("zones", "Names of the zones that offer it.")});
}

Type describe(InstanceTypeListAnswer*) {
  return object_type<InstanceTypeListAnswer>(
      "InstanceTypeListAnswer", "Instance types by name.",
      {field<&InstanceTypeListAnswer::region>("region", "The region that was asked."),
       field<&InstanceTypeListAnswer::instance_types>("instance_types", "The types."),
       field<&InstanceTypeListAnswer::next_cursor>("next_cursor",
                                                   "Pass it as cursor for more; absent at the end.")});
}

}  // namespace instantstart::capabilities
