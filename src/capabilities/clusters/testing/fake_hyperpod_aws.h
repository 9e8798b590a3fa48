// As much of AWS as a HyperPod cluster needs: one EKS cluster in a VPC with a NAT gateway, and what is made
// for nodes. Counts what was changed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "net/http_client.h"

namespace instantstart::capabilities::testing {

class FakeHyperpodAws final : public net::HttpClient {
 public:
  using Tags = std::map<std::string, std::string>;
  struct Role {
    Tags tags;
    std::string trust;
    std::string attached;
    std::string policy;
  };
  struct Bucket {
    Tags tags;
    bool blocked = false;
    std::map<std::string, std::string> objects;
  };
  struct Subnet {
    std::string block;
    Tags tags;
  };
  struct Table {
    Tags tags;
    std::string nat;
    bool associated = false;
    bool at_endpoint = false;
  };
  struct Hyperpod {
    json::object request;
    std::string status = "Creating";
    int looks_left = 2;
  };

  std::optional<Role> role;
  std::optional<Bucket> bucket;
  std::optional<Subnet> subnet;
  std::optional<Table> table;
  std::optional<Hyperpod> hyperpod;
  std::vector<std::string> changes;    ///< Calls that changed something, in order.
  std::string refuse;                  ///< This action is refused for want of permission.
  std::string lose_reply_of;           ///< Its next answer does not arrive.
  std::optional<std::string> failure;  ///< HyperPod's next creation fails with this message.
  std::int64_t quota = 8;              ///< "ml.g5.xlarge for cluster usage"
  bool goes_before_its_tags = false;   ///< A cluster that is deleted ends between two calls of a look.
  bool slurm = false;                  ///< A HyperPod cluster on Slurm is there too.

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline deadline) override;
  Task<Stream> open(net::ClientRequest request, net::Deadline header_deadline) override;

 private:
  using Form = std::map<std::string, std::string>;

  net::ClientResponse answer(const net::ClientRequest& request, std::string& action);
  net::ClientResponse sagemaker(const std::string& action, const json::object& input);
  net::ClientResponse describe_hyperpod();
  net::ClientResponse iam(const std::string& action, const Form& form);
  net::ClientResponse s3(const net::ClientRequest& request, std::string& action);
  net::ClientResponse ec2(const std::string& action, const Form& form);
  net::ClientResponse ec2_change(const std::string& action, const Form& form);
  std::string route_tables() const;
};

}  // namespace instantstart::capabilities::testing
