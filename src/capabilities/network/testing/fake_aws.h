// As much of AWS as a control plane's stack needs: one stack that comes up, fails or goes, and answers about
// an empty account around it. Counts what was changed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http_client.h"

namespace instantstart::capabilities::testing {

class FakeAws final : public net::HttpClient {
 public:
  struct Stack {
    std::string status;
    std::string id;
    std::map<std::string, std::string> parameters;
    std::map<std::string, std::string> before;  ///< Parameters before the update that runs.
    std::map<std::string, std::string> tags;
    int looks_left = 0;  ///< Until what is in progress ends.
  };

  std::optional<Stack> stack;
  std::vector<std::string> changes;    ///< Calls that changed something, in order: a repeat is none.
  std::optional<std::string> failure;  ///< Why the next creation or update fails.
  bool lose_next_reply = false;        ///< Of a change.
  std::string vpc_block = "172.31.0.0/16";
  std::string stranger;  ///< Description of a network interface in the VPC.
  std::vector<std::pair<std::string, std::string>> subnets;  ///< Id and zone letter, in vpc-12345678.
  std::optional<std::string> eks_cluster;                    ///< The ARN of a cluster that no stack made.
  int eks_quota = 100;
  std::string denied;  ///< An IAM action.

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline deadline) override;
  Task<Stream> open(net::ClientRequest request, net::Deadline header_deadline) override;

 private:
  using Form = std::map<std::string, std::string>;

  net::ClientResponse answer(const std::string& host, const net::ClientRequest& request);
  net::ClientResponse cloudformation(const Form& form);
  net::ClientResponse describe_stack();
  net::ClientResponse changed(const std::string& action, const Form& form);
  std::string resources() const;
  std::string events() const;
  void go_on();

  std::map<std::string, std::string> tokens_;  ///< What each token did.
  int made_ = 0;
};

}  // namespace instantstart::capabilities::testing
