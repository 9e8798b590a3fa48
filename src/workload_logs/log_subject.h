// Whose logs are kept: the pods of one workload, found by a selector, for as long as the workload lasts.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/describe.h"
#include "base/error.h"
#include "base/time.h"
#include "domain/cluster_key.h"

namespace instantstart::workload_logs {

/// One workload of a cluster. A workload that is made anew under its old name goes on in the same log.
struct LogName {
  domain::ClusterKey cluster;
  std::string space;
  std::string name;

  auto operator<=>(const LogName&) const = default;
};

/// "demo.us-west-2.123456789012/default/pretrain"
std::string to_text(const LogName& name);

/// The object that the pods belong to: it tells when the workload has ended.
struct LogOwner {
  std::string api_version;  ///< "sagemaker.amazonaws.com/v1"
  std::string kind;
  std::string plural;  ///< "hyperpodpytorchjobs"
  std::string name;

  bool operator==(const LogOwner&) const = default;
};
Type describe(LogOwner*);

struct LogSubject {
  LogName id;
  std::optional<std::string>
      profile;  ///< The AWS profile that reaches the cluster; absent: the environment's.
  /// Of pods' labels: "instantstart/job=pretrain". Empty: the pods whose controller is the owner.
  std::string selector;
  /// Without one the workload has ended when all its pods have, and none came for a minute.
  std::optional<LogOwner> owner = {};
};

/// One run of one container.
struct StreamView {
  std::string pod;
  std::string container;
  std::int64_t attempt = 0;          ///< 0 is the first run; Kubernetes calls it the restart count.
  std::optional<std::int64_t> rank;  ///< Of the pod in the workload, where its labels or its name say it.
  std::int64_t bytes = 0;            ///< Where its log ends by now.
  std::int64_t first_offset = 0;     ///< What is before was dropped, oldest first, to stay within the limit.
  bool ended = false;                ///< Nothing comes any more.
  /// Some of it may be missing: the node had dropped it, or the pod was gone before all was read.
  bool incomplete = false;
};

struct LogView {
  std::vector<StreamView> streams;  ///< By their beginning, oldest first.
  std::int64_t bytes = 0;           ///< Of all of them together, line by line.
  std::int64_t first_offset = 0;
  bool ended = false;          ///< The workload has ended, and all is read.
  std::optional<Error> error;  ///< Why nothing comes at the moment.
};

}  // namespace instantstart::workload_logs
