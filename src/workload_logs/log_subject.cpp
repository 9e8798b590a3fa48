#include "workload_logs/log_subject.h"

#include <fmt/core.h>

namespace instantstart::workload_logs {

std::string to_text(const LogName& name) {
  return fmt::format("{}/{}/{}", domain::to_text(name.cluster), name.space, name.name);
}

Type describe(LogOwner*) {
  return object_type<LogOwner>(
      "LogOwner", "The object that the pods belong to.",
      {field<&LogOwner::api_version>("api_version", "Its group and version."),
       field<&LogOwner::kind>("kind", "Its kind."), field<&LogOwner::plural>("plural", "Its name in paths."),
       field<&LogOwner::name>("name", "Its name.")});
}

}  // namespace instantstart::workload_logs
