#include "aws/instance_credentials.h"

#include "aws/caching_credentials.h"
#include "aws/metadata_json.h"
#include "base/error_codes.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

constexpr std::string_view k_credentials_path = "latest/meta-data/iam/security-credentials/";
constexpr seconds k_least_spread{120};
constexpr seconds k_most_spread{600};

}  // namespace

WallTime stretched_expiry(WallTime expiry, WallTime now, double spread) {
  const auto jitter = seconds(
      static_cast<std::int64_t>(spread * static_cast<double>((k_most_spread - k_least_spread).count())));
  const auto window = k_advisory_refresh + k_least_spread + jitter;
  return now >= expiry - window ? now + window : expiry;
}

Task<std::optional<Credentials>> InstanceCredentials::load(net::Deadline deadline) {
  auto config = load_instance_metadata_config(context_.environment, config_);
  if (!config) co_return fail(std::move(config.error()));
  InstanceMetadata metadata(context_, std::move(*config));

  const auto none_or = [](Error error) -> Result<std::optional<Credentials>> {
    if (error.code == codes::unavailable) return std::nullopt;
    return fail(std::move(error));
  };
  auto token = co_await metadata.token(deadline);
  if (!token) co_return none_or(std::move(token.error()));
  auto role = co_await metadata.get(std::string(k_credentials_path), *token, deadline);
  if (!role) co_return none_or(std::move(role.error()));
  const auto first_line = split(*role, '\n').front();
  auto answer =
      co_await metadata.get(std::string(k_credentials_path).append(trim(first_line)), *token, deadline);
  if (!answer) co_return none_or(std::move(answer.error()));

  auto credentials = parse_metadata_credentials(*answer);
  if (!credentials) {
    context_.log.warning("The instance metadata service gives no credentials",
                         {{"reason", boost::json::value(credentials.error().message)}});
    co_return std::nullopt;
  }
  credentials->source = "iam-role";
  credentials->outlive_expiry = true;
  credentials->expiry = stretched_expiry(*credentials->expiry, context_.time.wall(), context_.random.unit());
  co_return std::move(*credentials);
}

}  // namespace instantstart::aws
