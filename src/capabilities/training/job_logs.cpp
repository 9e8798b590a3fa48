#include "capabilities/training/job_logs.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "capabilities/training/job_object.h"

namespace instantstart::capabilities {
namespace {

/// The first byte of several (The Unicode Standard, table 3-7).
bool begins_character(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code >= 0xC2 && code <= 0xF4;
}

FieldProblem together(std::string pointer, std::string_view with) {
  return {.pointer = std::move(pointer),
          .rule = "conflict",
          .message = fmt::format("can't be given together with {}", with),
          .value = "",
          .nearest = std::nullopt};
}

void check_logs(const JobLogs& request, std::vector<FieldProblem>& problems) {
  if (request.offset && request.tail_bytes) problems.push_back(together("/tail_bytes", "offset"));
  if (request.previous && request.attempt) problems.push_back(together("/previous", "attempt"));
}

/// What RFC 8259 lets a string hold without an escape, and the short escapes.
std::size_t json_size(const CodePoint& point) {
  switch (point.value) {
    case U'"':
    case U'\\':
    case U'\b':
    case U'\f':
    case U'\n':
    case U'\r':
    case U'\t': return 2;
    default: break;
  }
  constexpr std::size_t k_escape = 6;       // \u001b
  constexpr std::size_t k_replacement = 3;  // U+FFFD
  if (point.value < 0x20) return k_escape;
  return point.valid ? point.bytes : k_replacement;
}

workload_logs::LogOwner owner_of(const std::string& job) {
  return {.api_version = fmt::format("{}/{}", k_job_group, k_job_version),
          .kind = "HyperPodPyTorchJob",
          .plural = std::string(k_job_plural),
          .name = job};
}

}  // namespace

Type describe(JobLogs*) {
  return object_type<JobLogs>(
      "JobLogs", "Which part of which log.",
      {field<&JobLogs::cluster>("cluster", "The cluster."), field<&JobLogs::name>("name", "The job."),
       field<&JobLogs::space>("namespace", "The Kubernetes namespace of the job.", {.defaulted = true}),
       field<&JobLogs::rank>(
           "rank",
           "Only what the pod of this rank wrote, byte for byte; otherwise the lines of all "
           "pods, each after \"[pod] \".",
           {.rule = {.min = 0, .max = 1e6}}),
       field<&JobLogs::attempt>("attempt",
                                "Of a container that was restarted, which run: 0 is the first. The latest "
                                "when left out; give it with offset.",
                                {.rule = {.min = 0, .max = 1e6}}),
       field<&JobLogs::previous>("previous", "The run before the latest.", {.defaulted = true}),
       field<&JobLogs::offset>("offset",
                               "Where to begin, in bytes: next_offset of the answer before. The end of the "
                               "log is shown when it is left out.",
                               {.rule = {.min = 0, .max = 9e15}}),
       field<&JobLogs::tail_bytes>("tail_bytes", "How much of the end; max_bytes when left out.",
                                   {.rule = {.min = 1, .max = static_cast<double>(k_most_log_bytes)}}),
       field<&JobLogs::max_bytes>(
           "max_bytes", "At most so much, as the text stands in JSON.",
           {.defaulted = true, .rule = {.min = 16, .max = static_cast<double>(k_most_log_bytes)}}),
       field<&JobLogs::wait_seconds>(
           "wait_seconds", "How long to wait for more when there is nothing after offset.",
           {.defaulted = true, .rule = {.min = 0, .max = static_cast<double>(k_most_log_wait)}})},
      check_logs);
}

Type describe(JobLogStream*) {
  return object_type<JobLogStream>(
      "JobLogStream", "One run of one container.",
      {field<&JobLogStream::pod>("pod", "Its pod."),
       field<&JobLogStream::container>("container", "Its container."),
       field<&JobLogStream::rank>("rank", "Of the pod in the job."),
       field<&JobLogStream::attempt>("attempt", "0 is the first run."),
       field<&JobLogStream::bytes>("bytes", "How much it wrote by now."),
       field<&JobLogStream::ended>("ended", "Nothing comes any more."),
       field<&JobLogStream::incomplete>("incomplete",
                                        "Some may be missing: the node had dropped it, or the pod was gone "
                                        "before all was read.")});
}

Type describe(JobLogsAnswer*) {
  return object_type<JobLogsAnswer>(
      "JobLogsAnswer", "A part of a log, and where it goes on.",
      {field<&JobLogsAnswer::cluster>("cluster", "The cluster, by key."),
       field<&JobLogsAnswer::job>("job", "The job."),
       field<&JobLogsAnswer::space>("namespace", "Its namespace."),
       field<&JobLogsAnswer::attempt>("attempt", "Of the run that was read, when a rank was asked for."),
       field<&JobLogsAnswer::offset>("offset", "Where the text begins."),
       field<&JobLogsAnswer::text>("text",
                                   "As the containers wrote it, with carriage returns and escape sequences; "
                                   "bytes that are no UTF-8 are shown as U+FFFD. Untrusted."),
       field<&JobLogsAnswer::next_offset>("next_offset", "Where to go on."),
       field<&JobLogsAnswer::first_offset>("first_offset",
                                           "What is before was dropped: the log was too long."),
       field<&JobLogsAnswer::size>("size", "Where the log ends by now."),
       field<&JobLogsAnswer::ended>("ended", "Nothing comes after next_offset any more."),
       field<&JobLogsAnswer::streams>("streams", "The containers that began last."),
       field<&JobLogsAnswer::stream_count>("stream_count", "Runs of containers altogether."),
       field<&JobLogsAnswer::problem>("problem", "Why nothing comes at the moment.")});
}

ReadableText readable(std::string_view bytes, bool at_end, std::size_t most) {
  ReadableText readable;
  std::size_t size = 0;
  while (readable.used < bytes.size()) {
    const auto rest = bytes.substr(readable.used);
    const auto point = first_code_point(rest);
    // All that is left is the beginning of a character: the rest of it comes with the next bytes.
    if (!point.valid && !at_end && point.bytes == rest.size() && begins_character(rest.front())) {
      break;
    }
    size += json_size(point);
    if (size > most) break;
    if (point.valid) {
      readable.text += rest.substr(0, point.bytes);
    } else {
      append_utf8(readable.text, point.value);
    }
    readable.used += point.bytes;
  }
  return readable;
}

workload_logs::LogName log_name_of(const domain::ClusterKey& cluster, std::string space, std::string job) {
  return {.cluster = cluster, .space = std::move(space), .name = std::move(job)};
}

workload_logs::LogSubject log_subject_of(const fleet::ClusterRecord& cluster, std::string space,
                                         std::string job) {
  auto subject = foreign_log_subject_of(cluster, std::move(space), std::move(job));
  subject.selector = fmt::format("{}={}", k_job_label, subject.id.name);
  return subject;
}

workload_logs::LogSubject foreign_log_subject_of(const fleet::ClusterRecord& cluster, std::string space,
                                                 std::string job) {
  auto owner = owner_of(job);
  return {.id = log_name_of(cluster.key, std::move(space), std::move(job)),
          .profile = cluster.profile,
          .selector = "",
          .owner = std::move(owner)};
}

}  // namespace instantstart::capabilities
