// The way to one API server: where it is, who we are there, and which failed calls are sent again.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "kube/retries.h"
#include "kube/status.h"
#include "kube/token_source.h"
#include "net/http_client.h"

namespace instantstart::kube {

struct ServerAddress {
  /// "https://host:port", with a base path where the server stands behind a proxy:
  /// "https://rancher.example/k8s/clusters/c-1".
  std::string url;
  /// The cluster's own authority. "" trusts the system's; there is no way to trust nobody.
  std::string ca_pem = {};
};

using Query = std::vector<std::pair<std::string, std::string>>;

struct ApiRequest {
  std::string method = "GET";
  std::string path;  ///< Below the base path, percent-encoded: "/api/v1/nodes".
  Query query = {};  ///< Not encoded yet.
  std::string accept = "application/json";
  std::string content_type = {};
  std::string body = {};
  net::Headers more_headers = {};
  /// Whether a lost reply may be answered by sending it again: see retries.h.
  bool repeat_is_harmless = false;
};

struct ApiAnswer {
  int status = 0;
  net::Headers headers;
  std::string body;
};

/// The texts of Warning headers (RFC 7234 5.5, code 299): deprecated versions, unknown fields. At most 50.
std::vector<std::string> warnings_of(const net::Headers& headers);

/// Loop thread only. What it is made of outlives it; it outlives its calls.
class Connection {
 public:
  /// Error `invalid_request`: a URL that is not https, or has a user, a query or a fragment.
  static Result<std::unique_ptr<Connection>> make(ServerAddress address, std::unique_ptr<TokenSource> tokens,
                                                  net::HttpClient& http, net::Timekeeper& time,
                                                  Random& random, Log log);

  /// A 2xx answer, after as many attempts as retries.h allows until the deadline. Errors: those of status.h;
  /// those of the token source; `connection_failed`, `deadline_exceeded`; `unknown_outcome` when a call that
  /// changes something may have run. One attempt waits at most 30 s for its answer.
  Task<ApiAnswer> send(ApiRequest request, net::Deadline deadline);

  /// The same, with a body that is still coming in. The deadline ends with the header.
  Task<net::HttpClient::Stream> open(ApiRequest request, net::Deadline header_deadline);

  /// Any answer of what is behind the API server's proxy. Sent again, if it is no read, only when it provably
  /// did not get there: nothing was sent, or the API server refused the token.
  Task<net::HttpClient::Stream> open_proxied(ApiRequest request, net::Deadline header_deadline);

  /// False when the newest attempt found nobody there, or a server that could not answer: what is known of
  /// the address may be out of date.
  bool answers() const { return answers_; }

  net::Timekeeper& time() { return time_; }
  Random& random() { return random_; }
  const Log& log() const { return log_; }

 private:
  Connection(ServerAddress address, std::unique_ptr<TokenSource> tokens, net::HttpClient& http,
             net::Timekeeper& time, Random& random, Log log);

  struct Attempt;
  enum class Mode { whole, stream, proxied };
  Task<Attempt> attempt(const ApiRequest& request, Mode mode, net::Deadline deadline);
  Task<Attempt> call(ApiRequest request, Mode mode, net::Deadline deadline);
  net::ClientRequest wire(const ApiRequest& request, const Secret& token) const;

  ServerAddress address_;
  std::unique_ptr<TokenSource> tokens_;
  net::HttpClient& http_;
  net::Timekeeper& time_;
  Random& random_;
  Log log_;
  bool answers_ = true;
};

}  // namespace instantstart::kube
