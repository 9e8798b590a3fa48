#include "base/decode.h"
#include "base/error_codes.h"
#include "base/json.h"
#include "faces/cli/cli.h"
#include "store/state_directory.h"

namespace instantstart::faces {
namespace {

/// Written by `serve` once it is ready.
struct ServerCard {
  std::string url;
  std::string version;
};

Type describe(ServerCard*) {
  return object_type<ServerCard>("ServerCard", "Where a running server is found.",
                                 {field<&ServerCard::url>("url", "Its address."),
                                  field<&ServerCard::version>("version", "Its version.")});
}

std::unexpected<Error> not_running(const std::filesystem::path& state) {
  return fail(codes::server_not_running, "No server has written its address to " + state.string() +
                                             ". Start one with: instantstart serve");
}

}  // namespace

Result<CliConnection> find_server(const std::filesystem::path& state_directory) {
  auto text = store::read_private_file(state_directory, "server.json");
  if (!text && text.error().code == codes::not_found) return not_running(state_directory);
  if (!text) return std::unexpected(text.error());
  auto value = parse_json(*text);
  if (!value) return std::unexpected(value.error());
  auto card = decode<ServerCard>(*value);
  if (!card) return std::unexpected(card.error());
  auto token = store::read_private_file(state_directory, "token");
  if (!token && token.error().code == codes::not_found) return not_running(state_directory);
  if (!token) return std::unexpected(token.error());
  return CliConnection{std::move(card->url), std::move(*token)};
}

}  // namespace instantstart::faces
