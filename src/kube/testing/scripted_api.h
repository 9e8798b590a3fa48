// An API server's side of a conversation, written down in advance: each request takes the next reply.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/connection.h"
#include "net/http_client.h"
#include "net/signal.h"
#include "net/time.h"

namespace instantstart::kube {

/// What a reply's body does after its last piece.
enum class BodyEnd {
  normal,  ///< Ends as HTTP wants.
  broken,  ///< Breaks off.
  open,    ///< Stays open, and nothing comes.
};

struct Reply {
  int status = 200;
  std::vector<std::string> pieces = {};
  BodyEnd end = BodyEnd::normal;
  net::Headers headers = {};
  std::optional<Error> error = {};  ///< There is no reply but this.
};

Reply reply(int status, std::string body, net::Headers headers = {});
Reply streamed(std::vector<std::string> pieces, BodyEnd end = BodyEnd::open);
/// Provably nothing was sent.
Reply refused_connection();
/// It broke after the request had left.
Reply lost();
/// metav1.Status.
Reply status_reply(int code, std::string reason, std::string message = "said the server");

class ScriptedApi final : public net::HttpClient {
 public:
  explicit ScriptedApi(net::Timekeeper& time) : time_(time) {}

  ScriptedApi& then(Reply next) {
    script_.push_back(std::move(next));
    return *this;
  }

  struct Seen {
    net::ClientRequest request;
    SteadyTime at;

    std::string header(std::string_view name) const { return std::string(request.headers.get(name)); }
    /// Method and what follows the host.
    std::string line() const;
    /// A decoded query parameter, or "".
    std::string query(std::string_view name) const;
  };
  const std::vector<Seen>& seen() const { return seen_; }
  bool complete() const { return script_.empty() && !overrun_; }
  /// Streams that were opened and not closed yet.
  int open_streams() const { return *open_streams_; }

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline deadline) override;
  Task<Stream> open(net::ClientRequest request, net::Deadline header_deadline) override;

 private:
  Result<Reply> take(net::ClientRequest request);

  net::Timekeeper& time_;
  std::deque<Reply> script_;
  std::vector<Seen> seen_;
  bool overrun_ = false;
  std::shared_ptr<int> open_streams_ = std::make_shared<int>(0);
};

/// A connection to "https://cluster.example" with the token "made-up".
std::unique_ptr<Connection> connect(ScriptedApi& api, net::Timekeeper& time, Random& random,
                                    std::string url = "https://cluster.example");

}  // namespace instantstart::kube
