#include "sandbox/services/logs/logs.h"

#include "sandbox/services/logs/events.h"
#include "sandbox/services/logs/groups.h"

namespace instantstart::sandbox::logs {

template <class Op>
void Logs::serve(Reply<typename Op::Output> (*handler)(State&, const Call&, const typename Op::Input&)) {
  on<Op>([this, handler](const Call& call, const typename Op::Input& in) -> Reply<typename Op::Output> {
    return handler(state_, call, in);
  });
}

Logs::Logs(World& world, Limits limits) : Service(api::service()), state_(world, limits) {
  serve<api::CreateLogGroup>(&create_log_group);
  serve<api::CreateLogStream>(&create_log_stream);
  serve<api::DescribeLogGroups>(&describe_log_groups);
  serve<api::DescribeLogStreams>(&describe_log_streams);
  serve<api::PutLogEvents>(&put_log_events);
  serve<api::GetLogEvents>(&get_log_events);
  serve<api::FilterLogEvents>(&filter_log_events);
}

void Logs::append(std::string_view region, std::string_view group, std::string_view stream,
                  const std::vector<std::string>& lines) {
  const std::string group_name(group);
  const std::string stream_name(stream);
  if (!state_.groups.contains(regional_id(region, group))) make_group(state_, region, group_name);
  const std::string key = stream_key(region, group, stream);
  if (!state_.streams.contains(key)) make_stream(state_, region, group_name, stream_name);
  for (const auto& line : lines) add_event(state_, key, now_ms(state_), line);
}

AwsFault Logs::refuse_input(const std::vector<FieldProblem>& problems) const {
  AwsFault refusal = Service::refuse_input(problems);
  refusal.code = "InvalidParameterException";
  return refusal;
}

}  // namespace instantstart::sandbox::logs
