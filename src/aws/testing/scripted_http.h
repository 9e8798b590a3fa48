// AWS's side of a conversation, written down in advance: each request takes the next answer.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_client.h"
#include "net/time.h"

namespace instantstart::aws {

class ScriptedHttp final : public net::HttpClient {
 public:
  explicit ScriptedHttp(net::Timekeeper& time) : time_(time) {}

  using Answer = std::function<Result<net::ClientResponse>(const net::ClientRequest&)>;

  /// The next answer, given after a while; a deadline that comes sooner wins, as with the real client.
  ScriptedHttp& then(Answer answer, milliseconds after = milliseconds{0});
  ScriptedHttp& then(int status, std::string body, net::Headers headers = {},
                     milliseconds after = milliseconds{0});
  /// The connection never came to be: nothing was sent.
  ScriptedHttp& then_refused();
  /// The connection broke after the request had left.
  ScriptedHttp& then_lost();
  /// Nothing comes until the deadline.
  ScriptedHttp& then_silence();

  struct Seen {
    net::ClientRequest request;
    SteadyTime at;

    std::string header(std::string_view name) const { return std::string(request.headers.get(name)); }
  };
  const std::vector<Seen>& seen() const { return seen_; }
  /// True when every answer was asked for, and nothing more.
  bool complete() const { return script_.empty() && !overrun_; }

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline deadline) override;
  Task<Stream> open(net::ClientRequest request, net::Deadline header_deadline) override;

 private:
  struct Step {
    Answer answer;
    milliseconds after;
  };

  net::Timekeeper& time_;
  std::deque<Step> script_;
  std::vector<Seen> seen_;
  bool overrun_ = false;
};

}  // namespace instantstart::aws
