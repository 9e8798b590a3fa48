// EKS, IAM, S3 and one Kubernetes API server, as far as storage goes, held in a test's hands. Counts what was
// changed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "net/http_client.h"

namespace instantstart::capabilities::testing {

class MadeUpCloud final : public net::HttpClient {
 public:
  struct Bucket {
    std::string region = "us-west-2";
    std::vector<std::pair<std::string, std::string>> tags;
    bool closed = true;   ///< To the public, as S3 makes new ones.
    bool hidden = false;  ///< Somebody else's.
    std::set<std::string> keys;
  };

  MadeUpCloud();

  std::map<std::string, Bucket> buckets;
  std::map<std::string, json::object> objects;  ///< Of Kubernetes, by path.
  std::vector<json::object> pods;
  std::map<std::string, json::object> addons;
  std::optional<json::object> association;
  std::optional<std::string> role;              ///< The driver's, by its XML.
  std::map<std::string, std::string> policies;  ///< Of the role: inline, by name.
  std::vector<std::string> mutations;           ///< "CreateBucket data", "PATCH /api/v1/…"
  std::set<std::string> lose;                   ///< Mutations whose reply is lost once.
  bool opens_new_buckets = false;               ///< New buckets are not closed to the public.
  bool binds = true;                            ///< Claims get bound.

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline deadline) override;
  Task<Stream> open(net::ClientRequest request, net::Deadline header_deadline) override;

 private:
  net::ClientResponse answer_to(const net::ClientRequest& request);
  net::ClientResponse kubernetes(const net::ClientRequest& request, const std::string& path);
  net::ClientResponse apply(const net::ClientRequest& request, const std::string& path);
  net::ClientResponse eks(const net::ClientRequest& request, const std::string& path);
  net::ClientResponse pod_identity(const net::ClientRequest& request);
  net::ClientResponse iam(const std::string& form);
  net::ClientResponse s3(const net::ClientRequest& request, const std::string& host, const std::string& path);
  net::ClientResponse list_bucket(const Bucket& bucket, const std::string& query);
  net::ClientResponse list_buckets();
  void note(std::string what);

  std::string last_;
  std::set<std::string> tokens_;
};

}  // namespace instantstart::capabilities::testing
