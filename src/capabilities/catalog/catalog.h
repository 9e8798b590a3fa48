// What AWS offers to this account: zones and instance types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aws/accounts.h"
#include "base/describe.h"
#include "contract/action.h"
#include "domain/names.h"

namespace instantstart::capabilities {

struct ZoneList {
  std::optional<domain::Region> region;
  std::optional<domain::Profile> profile;
  std::optional<domain::InstanceType> instance_type;
};

struct Zone {
  std::string name;                 ///< "us-west-2a": of this account
  std::string id;                   ///< "usw2-az1": of the place itself, equal in all accounts
  std::string state;                ///< AWS's: "available", "impaired" …
  bool control_plane = true;        ///< EKS takes subnets for its control plane here.
  std::optional<bool> offers_type;  ///< Whether the asked type is offered here.
};

struct ZoneListAnswer {
  std::string region;
  std::vector<Zone> zones;
};

struct InstanceTypeList {
  std::optional<domain::Region> region;
  std::optional<domain::Profile> profile;
  std::optional<domain::ZoneName> zone;
  bool accelerated = true;  ///< Only those with GPUs or Neuron devices.
  std::optional<std::string> contains;
};

struct InstanceTypeView {
  std::string name;  ///< "p5.48xlarge"; HyperPod adds "ml."
  std::int64_t vcpus = 0;
  double memory_gib = 0;
  std::optional<std::string> accelerator;  ///< "NVIDIA H100"
  std::int64_t accelerators = 0;
  std::optional<double> accelerator_memory_gib;  ///< Of one.
  std::int64_t efa_interfaces = 0;               ///< 0: no EFA.
  std::optional<std::int64_t>
      quota;  ///< HyperPod instances of this type that the account may run; absent when unknown.
  std::vector<std::string> zones;  ///< Names of the zones that offer it.
};

struct InstanceTypeListAnswer {
  std::string region;
  std::vector<InstanceTypeView> instance_types;
  std::optional<std::string> next_cursor;
};

Type describe(ZoneList*);
Type describe(Zone*);
Type describe(ZoneListAnswer*);
Type describe(InstanceTypeList*);
Type describe(InstanceTypeView*);
Type describe(InstanceTypeListAnswer*);

/// The rows of the contract. The accounts must outlive the table; null where rows are only read.
std::vector<contract::Action> catalog_actions(aws::Accounts* accounts);

}  // namespace instantstart::capabilities
