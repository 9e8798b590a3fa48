// What is seen of jobs and of the nodes that they need, before anything is concluded from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/describe.h"
#include "capabilities/training/training.h"

namespace instantstart::capabilities {

/// A job, as steps look at it.
struct JobSeen {
  bool served = false;  ///< The server knows the kind: the operator is installed.
  bool exists = false;
  bool going = false;
  std::optional<std::string> uid;
  std::optional<std::string> maker;      ///< Our operation that made it; absent: not ours.
  std::vector<std::string> differences;  ///< From what is wanted, as JSON Pointers.
  std::optional<JobState> state;
  bool has_run = false;
  std::int64_t pods = 0;             ///< That are there, also when the job is gone.
  std::vector<std::string> reasons;  ///< In words.
};
Type describe(JobSeen*);

/// A node that has joined.
struct TrainingNode {
  std::string name;
  std::string instance_type;  ///< "ml.p5.48xlarge"
  std::int64_t gpus = 0;      ///< Allocatable.
  std::int64_t efa = 0;
  double cpu = 0;         ///< Cores.
  double memory = 0;      ///< Bytes.
  bool usable = true;     ///< Ready, and pods may be put there.
  std::int64_t busy = 0;  ///< GPUs that pods have.
};

/// An instance group of HyperPod, by its type.
struct TrainingGroup {
  std::string name;
  std::string instance_type;
  std::int64_t target = 0;
};

/// What EC2 says of a type, for nodes that have not joined.
struct TypeFacts {
  std::int64_t gpus = 0;
  std::int64_t efa = 0;
};

}  // namespace instantstart::capabilities
