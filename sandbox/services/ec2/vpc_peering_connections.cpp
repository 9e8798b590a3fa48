#include "sandbox/services/ec2/vpc_peering_connections.h"

#include <array>

#include "sandbox/services/ec2/listing.h"
#include "sandbox/services/ec2/tags.h"

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::VpcPeeringConnection;

constexpr std::array<FilterName, 12> k_filters{
    {{"accepter-vpc-info.cidr-block", "AccepterVpcInfo.CidrBlockSet.CidrBlock"},
     {"accepter-vpc-info.owner-id", "AccepterVpcInfo.OwnerId"},
     {"accepter-vpc-info.vpc-id", "AccepterVpcInfo.VpcId"},
     {"expiration-time", "ExpirationTime"},
     {"requester-vpc-info.cidr-block", "RequesterVpcInfo.CidrBlockSet.CidrBlock"},
     {"requester-vpc-info.owner-id", "RequesterVpcInfo.OwnerId"},
     {"requester-vpc-info.vpc-id", "RequesterVpcInfo.VpcId"},
     {"status-code", "Status.Code"},
     {"status-message", "Status.Message"},
     {"tag:", "Tags"},
     {"tag-key", "Tags.Key"},
     {"vpc-peering-connection-id", "VpcPeeringConnectionId"}}};

}  // namespace

Reply<aws::ec2::DescribeVpcPeeringConnectionsResult> describe_vpc_peering_connections(
    State& state, const Call& call, const aws::ec2::DescribeVpcPeeringConnectionsRequest& in) {
  auto filters = FilterSet::make(in.filters, k_filters);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto page = list_records(
      state.vpc_peering_connections, ResourceKind::vpc_peering_connection, call,
      in.vpc_peering_connection_ids, *filters, page_request(in), [&](const VpcPeeringConnection& connection) {
        return with_tags(state, call.region, *connection.vpc_peering_connection_id, connection);
      });
  if (!page) return std::unexpected(std::move(page.error()));
  return aws::ec2::DescribeVpcPeeringConnectionsResult{.vpc_peering_connections = std::move(page->items),
                                                       .next_token = page->next_token};
}

}  // namespace instantstart::sandbox::ec2
