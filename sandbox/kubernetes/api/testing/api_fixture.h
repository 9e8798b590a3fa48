// One simulated API server in virtual time, called without sockets.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/kubernetes/api/api_servers.h"
#include "sandbox/kubernetes/api/testing/stand_ins.h"

namespace instantstart::sandbox::kubernetes {

struct Reply {
  int status = 0;
  json::value body;  ///< Null where the answer is a stream.
  std::unique_ptr<net::BodyStream> stream;
  net::Headers headers;
  bool aborted = false;

  /// The text at a path of members, "" when there is none.
  std::string text(std::string_view path) const;
};

class ApiFixture : public WorldFixture {
 protected:
  void SetUp() override { start_server(); }
  void TearDown() override { end_server(); }

  /// As the process starts, on what an earlier one left.
  void start_server();
  void end_server();

  Reply send(std::string method, std::string path, std::string body = {}, std::string user = "admin",
             std::map<std::string, std::string> headers = {});
  Reply get(std::string path) { return send("GET", std::move(path)); }
  Reply post(std::string path, const json::value& body) {
    return send("POST", std::move(path), to_text(body));
  }
  Reply patch(std::string path, const json::value& body, std::string type = "application/merge-patch+json");
  Reply remove(std::string path, const json::object& options = {}) {
    return send("DELETE", std::move(path), to_text(options));
  }
  /// The next events of a watch, one of them a line; empty at its end.
  std::vector<json::object> next_events(net::BodyStream& stream);
  void pass(milliseconds duration) { process->pass(duration); }

  struct Running {
    explicit Running(World& world, const Clock& clock) : faults(world), tokens(clock) {}
    FaultPlan faults;
    TestDirectory directory;
    TestTokens tokens;
    TestLogs logs;
    TestProxy proxy;
    std::unique_ptr<ApiServers> servers;
  };
  std::unique_ptr<Running> running;
};

/// JSON that is known to be well-formed.
json::value from_text(std::string_view text);
json::object config_map(std::string_view name);
json::object pod(std::string_view name);

}  // namespace instantstart::sandbox::kubernetes
