// What the training operator's add-on defines: the fields of a HyperPodPyTorchJob, and how lists show it.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/json.h"

namespace instantstart::sandbox::kubernetes {

/// openAPIV3Schema of version v1. The status is left to the operator.
json::object training_job_schema();
/// additionalPrinterColumns: the last condition, restarts, age.
json::array training_job_columns();

}  // namespace instantstart::sandbox::kubernetes
