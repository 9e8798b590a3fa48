// One EKS cluster whose Kubernetes objects a test holds in its hands, with a Deployment controller that is
// told how its pods fare and a model server behind the Service proxy. Counts what was changed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "net/http_client.h"

namespace instantstart::capabilities::testing {

class MadeUpCluster final : public net::HttpClient {
 public:
  enum class Fate { answers, unpullable, crashes, pending };

  MadeUpCluster();

  std::map<std::string, json::object> objects;  ///< By path.
  Fate fate = Fate::answers;                    ///< Of pods that are made from now on.
  std::string log = "ValueError: boom";         ///< Of containers that crashed.
  std::vector<std::string> mutations;           ///< "PATCH /apis/…"
  std::set<std::string> lose;                   ///< Mutations whose reply is lost once.

  int chat_status = 200;
  std::string chat_body = R"({"model":"m","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]})";
  bool chat_is_lost = false;
  std::vector<std::string> chats;  ///< The bodies that the model server was sent.

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline deadline) override;
  Task<Stream> open(net::ClientRequest request, net::Deadline header_deadline) override;

 private:
  net::ClientResponse answer_to(const net::ClientRequest& request);
  net::ClientResponse apply(const net::ClientRequest& request, const std::string& path);
  net::ClientResponse remove(const std::string& path);
  net::ClientResponse list(const std::string& path, const std::string& query);
  net::ClientResponse chat(const net::ClientRequest& request);
  void roll_out(json::object& deployment);
  void add_pod(const json::object& deployment, const std::string& hash);
  void count(json::object& deployment, const std::string& hash);

  std::string last_;
  int made_ = 0;
};

}  // namespace instantstart::capabilities::testing
