#include "capabilities/clusters/compute_subnet.h"

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"

namespace instantstart::capabilities {
namespace {

using operations::Act;
using operations::Blocked;
using operations::Decision;
using operations::Done;
using operations::Fail;
using operations::History;
using operations::Repeat;
using operations::Resource;
using operations::Wait;

constexpr milliseconds k_poll{5'000};
/// EC2 shows what it made after a while.
constexpr milliseconds k_visible{60'000};
/// How long the network interfaces of nodes that went may take.
constexpr milliseconds k_interfaces_go{3'600'000};
constexpr milliseconds k_between_tries{30'000};

const domain::Cidr k_shared_space(0x64400000, 10);  // RFC 6598, 100.64.0.0/10
constexpr int k_secondary_prefix = 16;

std::vector<domain::Cidr> parsed(const std::vector<std::string>& texts) {
  std::vector<domain::Cidr> blocks;
  for (const auto& text : texts) {
    if (const auto block = domain::Cidr::parse(text)) blocks.push_back(*block);
  }
  return blocks;
}

SubnetRequest last_accepted(const History& history) {
  if (!history.receipt) return {};
  return decode<SubnetRequest>(*history.receipt).value_or(SubnetRequest{});
}

std::string block_name(const ComputeSubnetInput& input, const std::string& block) {
  return input.vpc_id + "/" + block;
}

std::string place_name(const ComputeSubnetInput& input) {
  return domain::to_text(key_of(input.cluster)) + "/" + compute_purpose(input.zone);
}

std::vector<Resource> makes(const ComputeSubnetInput& input, const SubnetRequest& request) {
  switch (request.call) {
    case SubnetCall::associate_block:
      return {{std::string(k_vpc_block_resource), block_name(input, request.block)}};
    case SubnetCall::create_subnet: return {{std::string(k_subnet_resource), place_name(input)}};
    case SubnetCall::create_table: return {{std::string(k_route_table_resource), place_name(input)}};
    case SubnetCall::create_endpoint: return {{std::string(k_endpoint_resource), place_name(input)}};
    default: return {};
  }
}

bool takes_token(SubnetCall call) {
  return call == SubnetCall::create_table || call == SubnetCall::create_endpoint;
}

Act act_on(const ComputeSubnetInput& input, SubnetRequest request) {
  return {.request = encode(request),
          .repeat = takes_token(request.call) ? Repeat::with_token : Repeat::observe,
          .makes = makes(input, request)};
}

bool made_by(const std::optional<OurThing>& thing, const std::optional<std::string>& only_operation) {
  return thing && (!only_operation || thing->maker == *only_operation);
}

/// The next call that takes something of ours away; nullopt when nothing is left.
std::optional<SubnetRequest> next_removal(const ComputeSubnetSeen& seen,
                                          const std::optional<std::string>& only_operation) {
  SubnetRequest request{.endpoint_id = seen.endpoint};
  if (made_by(seen.subnet, only_operation)) {
    request.call = SubnetCall::delete_subnet;
    request.subnet_id = seen.subnet->id;
    return request;
  }
  if (made_by(seen.table, only_operation)) {
    request.table_id = seen.table->id;
    request.call = SubnetCall::delete_table;
    if (seen.endpoint_has_table) {
      const bool last = seen.endpoint_tables == 1 && !seen.endpoint_maker.empty() &&
                        (!only_operation || seen.endpoint_maker == *only_operation);
      request.call = last ? SubnetCall::delete_endpoint : SubnetCall::remove_from_endpoint;
    }
    return request;
  }
  if (!seen.added_association.empty()) {
    request.call = SubnetCall::disassociate_block;
    request.association_id = seen.added_association;
    return request;
  }
  return std::nullopt;
}

Error no_gateway(const ComputeSubnetInput& input) {
  return {.code = std::string(codes::blocked),
          .message = fmt::format("The VPC {} has no NAT gateway that is available, so nodes in {} could not "
                                 "reach AWS. Make one, then retry.",
                                 input.vpc_id, input.zone)};
}

Error no_room(const ComputeSubnetInput& input) {
  return {.code = std::string(codes::blocked),
          .message = fmt::format("The VPC {} is full, and no /16 of 100.64.0.0/10 is free to add to it.",
                                 input.vpc_id)};
}

Decision choose_block(const ComputeSubnetInput& input, const ComputeSubnetSeen& seen,
                      const History& history) {
  // Nothing is begun that can't be finished.
  if (seen.nat.empty()) return Blocked{no_gateway(input)};
  SubnetRequest last = last_accepted(history);
  SubnetRequest request{.added_block = last.added_block};
  if (const auto block = free_compute_block(seen)) {
    request.call = SubnetCall::create_subnet;
    request.block = domain::to_text(*block);
    // Another took the block meanwhile, and EC2 does not list it yet.
    const bool conflict = history.act_error && history.act_error->code == codes::conflict;
    if (conflict && history.since_act < k_visible) return Wait{k_poll, "Another has taken the block"};
    return act_on(input, std::move(request));
  }
  if (seen.block_coming) return Wait{k_poll, "A block is being added to the VPC"};
  const auto block = secondary_block(seen);
  if (!block) return Blocked{no_room(input)};
  request.call = SubnetCall::associate_block;
  request.block = domain::to_text(*block);
  request.added_block = request.block;
  return act_on(input, std::move(request));
}

Done done(const std::string& operation_id, const ComputeSubnetInput& input, const ComputeSubnetSeen& seen,
          const SubnetRequest& last) {
  Done result;
  result.output = json::object{{"subnet_id", seen.subnet->id}, {"block", seen.subnet_block},
                               {"zone", input.zone},           {"route_table_id", seen.table->id},
                               {"nat_gateway_id", seen.nat},   {"added_block", last.added_block}};
  if (seen.subnet->maker == operation_id) {
    result.owned.push_back({std::string(k_subnet_resource), seen.subnet->id});
  }
  if (seen.table->maker == operation_id) {
    result.owned.push_back({std::string(k_route_table_resource), seen.table->id});
  }
  if (seen.endpoint_maker == operation_id) {
    result.owned.push_back({std::string(k_endpoint_resource), seen.endpoint});
  }
  if (!last.added_block.empty()) {
    result.owned.push_back({std::string(k_vpc_block_resource), block_name(input, last.added_block)});
  }
  return result;
}

/// Nothing of ours is left to take; what another operation made may still be there.
Done removed(const ComputeSubnetInput& input, const ComputeSubnetSeen& seen, const SubnetRequest& last) {
  Done result{.output = json::object{{"zone", input.zone}}};
  const auto gone = [&](std::string_view type, const std::string& name) {
    if (!name.empty()) result.removed.push_back({std::string(type), name});
  };
  if (!seen.subnet) {
    gone(k_subnet_resource, place_name(input));
    gone(k_subnet_resource, last.subnet_id);
  }
  if (!seen.table) {
    gone(k_route_table_resource, place_name(input));
    gone(k_route_table_resource, last.table_id);
  }
  if (!last.added_block.empty()) gone(k_vpc_block_resource, block_name(input, last.added_block));
  return result;
}

}  // namespace

std::string compute_purpose(std::string_view zone) { return fmt::format("compute/{}", zone); }

std::optional<domain::Cidr> free_compute_block(const ComputeSubnetSeen& seen) {
  return domain::first_free(parsed(seen.vpc_blocks), k_compute_prefix, parsed(seen.taken));
}

std::optional<domain::Cidr> secondary_block(const ComputeSubnetSeen& seen) {
  auto avoid = parsed(seen.around);
  const auto own = parsed(seen.vpc_blocks);
  avoid.insert(avoid.end(), own.begin(), own.end());
  return domain::first_free(std::span(&k_shared_space, 1), k_secondary_prefix, avoid);
}

std::vector<SubnetCall> missing_calls(const ComputeSubnetSeen& seen) {
  std::vector<SubnetCall> calls;
  if (!seen.subnet) {
    if (!free_compute_block(seen)) calls.push_back(SubnetCall::associate_block);
    calls.push_back(SubnetCall::create_subnet);
  }
  if (!seen.table) calls.push_back(SubnetCall::create_table);
  if (seen.table_nat.empty()) {
    calls.push_back(SubnetCall::create_route);
  } else if (seen.table_route_dead) {
    calls.push_back(SubnetCall::replace_route);
  }
  if (!seen.associated) calls.push_back(SubnetCall::associate_table);
  if (seen.endpoint.empty()) {
    calls.push_back(SubnetCall::create_endpoint);
  } else if (!seen.endpoint_has_table) {
    calls.push_back(SubnetCall::add_to_endpoint);
  }
  return calls;
}

Decision choose_compute_subnet(const std::string& operation_id, const ComputeSubnetInput& input,
                               const ComputeSubnetSeen& seen, const History& history) {
  const SubnetRequest last = last_accepted(history);
  const bool refused =
      history.act_error && !history.act_error->retryable && history.act_error->code != codes::conflict;
  if ((refused || !last.because.empty()) && !history.asked_again) {
    const std::string because = refused && last.because.empty() ? history.act_error->message : last.because;
    auto removal = next_removal(seen, operation_id);
    // A removal that is refused too ends here: what remains is in the inventory.
    if (!removal || (refused && !last.because.empty())) {
      Error error = history.act_error.value_or(Error{.code = std::string(codes::upstream_error)});
      error.message = because;
      return Fail{within("Make the subnet for nodes", std::move(error))};
    }
    removal->because = because;
    removal->added_block = last.added_block;
    return act_on(input, std::move(*removal));
  }
  if (!seen.subnet) {
    if (last.call == SubnetCall::create_subnet && history.receipt && history.since_act < k_visible) {
      return Wait{k_poll, "Waiting for the subnet to be listed"};
    }
    return choose_block(input, seen, history);
  }
  if (!seen.other_table.empty()) {
    return Blocked{{.code = std::string(codes::blocked),
                    .message = fmt::format("The subnet {} was given the route table {}, which is not ours.",
                                           seen.subnet->id, seen.other_table)}};
  }
  const auto missing = missing_calls(seen);
  if (missing.empty()) {
    if (seen.subnet_state != "available") return Wait{k_poll, "The subnet is " + seen.subnet_state};
    return done(operation_id, input, seen, last);
  }
  const bool needs_gateway = seen.table_nat.empty() || seen.table_route_dead;
  if (needs_gateway && seen.nat.empty()) return Blocked{no_gateway(input)};
  return act_on(input, {.call = missing.front(),
                        .subnet_id = seen.subnet->id,
                        .table_id = seen.table ? seen.table->id : "",
                        .nat_id = seen.nat,
                        .endpoint_id = seen.endpoint,
                        .added_block = last.added_block});
}

Decision choose_compute_subnet_removal(const ComputeSubnetInput& input, const ComputeSubnetSeen& seen,
                                       const History& history,
                                       const std::optional<std::string>& only_operation) {
  const SubnetRequest last = last_accepted(history);
  auto request = next_removal(seen, only_operation);
  if (!request) return removed(input, seen, last);
  // Receipts carry what is gone already: the inventory knows it by its id.
  if (request->subnet_id.empty()) request->subnet_id = last.subnet_id;
  if (request->table_id.empty()) request->table_id = last.table_id;
  request->added_block = last.added_block;
  // Interfaces of nodes that are going keep the subnet for a while: "DependencyViolation".
  const bool in_use = history.act_error && history.act_error->code == codes::conflict;
  if (in_use && history.since_start < k_interfaces_go) {
    if (history.since_act < k_between_tries) return Wait{k_poll, "Its network interfaces are not gone"};
    // The same request twice would be a failure to the engine.
    request->because = fmt::format("try {}", history.acts + 1);
  }
  return act_on(input, std::move(*request));
}

Type describe(ComputeSubnetInput*) {
  using Input = ComputeSubnetInput;
  return object_type<Input>(
      "ComputeSubnetInput", "A subnet for nodes.",
      {field<&Input::cluster>("cluster", "The cluster."), field<&Input::zone>("zone", "The zone, by name."),
       field<&Input::vpc_id>("vpc_id", "The cluster's VPC.")});
}

Type describe(OurThing*) {
  return object_type<OurThing>("OurThing", "Something of ours.",
                               {field<&OurThing::id>("id", "Its id."),
                                field<&OurThing::maker>("maker", "The operation that made it.")});
}

Type describe(ComputeSubnetSeen*) {
  using Seen = ComputeSubnetSeen;
  return object_type<Seen>(
      "ComputeSubnetSeen", "What is there of a subnet for nodes.",
      {field<&Seen::vpc_blocks>("vpc_blocks", "Blocks of the VPC.", {.defaulted = true}),
       field<&Seen::block_coming>("block_coming", "Whether one is being added.", {.defaulted = true}),
       field<&Seen::taken>("taken", "Blocks of its subnets.", {.defaulted = true}),
       field<&Seen::around>("around", "Blocks of other networks.", {.defaulted = true}),
       field<&Seen::subnet>("subnet", "The subnet."),
       field<&Seen::subnet_block>("subnet_block", "Its block.", {.defaulted = true}),
       field<&Seen::subnet_state>("subnet_state", "EC2's word.", {.defaulted = true}),
       field<&Seen::free_addresses>("free_addresses", "Addresses left.", {.defaulted = true}),
       field<&Seen::other_table>("other_table", "A route table of others.", {.defaulted = true}),
       field<&Seen::table>("table", "Its route table."),
       field<&Seen::table_nat>("table_nat", "The gateway of its default route.", {.defaulted = true}),
       field<&Seen::table_route_dead>("table_route_dead", "That gateway is gone.", {.defaulted = true}),
       field<&Seen::associated>("associated", "Whether the two are associated.", {.defaulted = true}),
       field<&Seen::nat>("nat", "A NAT gateway for the zone.", {.defaulted = true}),
       field<&Seen::nat_of_zone>("nat_of_zone", "Whether it is in the zone.", {.defaulted = true}),
       field<&Seen::endpoint>("endpoint", "The S3 endpoint.", {.defaulted = true}),
       field<&Seen::endpoint_maker>("endpoint_maker", "The operation that made it.", {.defaulted = true}),
       field<&Seen::endpoint_has_table>("endpoint_has_table", "Whether it serves the table.",
                                        {.defaulted = true}),
       field<&Seen::endpoint_tables>("endpoint_tables", "How many tables it serves.", {.defaulted = true}),
       field<&Seen::added_association>("added_association", "Of the block that was added.",
                                       {.defaulted = true})});
}

Type describe(SubnetCall*) {
  using enum SubnetCall;
  return enum_type<SubnetCall>("SubnetCall", "What is called.",
                               {{associate_block, {"associate_block", "AssociateVpcCidrBlock"}},
                                {create_subnet, {"create_subnet", "CreateSubnet"}},
                                {create_table, {"create_table", "CreateRouteTable"}},
                                {create_route, {"create_route", "CreateRoute"}},
                                {replace_route, {"replace_route", "ReplaceRoute"}},
                                {associate_table, {"associate_table", "AssociateRouteTable"}},
                                {create_endpoint, {"create_endpoint", "CreateVpcEndpoint"}},
                                {add_to_endpoint, {"add_to_endpoint", "ModifyVpcEndpoint"}},
                                {delete_subnet, {"delete_subnet", "DeleteSubnet"}},
                                {remove_from_endpoint, {"remove_from_endpoint", "ModifyVpcEndpoint"}},
                                {delete_endpoint, {"delete_endpoint", "DeleteVpcEndpoints"}},
                                {delete_table, {"delete_table", "DeleteRouteTable"}},
                                {disassociate_block, {"disassociate_block", "DisassociateVpcCidrBlock"}}});
}

Type describe(SubnetRequest*) {
  using Request = SubnetRequest;
  return object_type<Request>(
      "SubnetRequest", "A call about a subnet for nodes.",
      {field<&Request::call>("call", "Which."),
       field<&Request::block>("block", "The address block.", {.defaulted = true}),
       field<&Request::subnet_id>("subnet_id", "The subnet.", {.defaulted = true}),
       field<&Request::table_id>("table_id", "The route table.", {.defaulted = true}),
       field<&Request::nat_id>("nat_id", "The NAT gateway.", {.defaulted = true}),
       field<&Request::endpoint_id>("endpoint_id", "The endpoint.", {.defaulted = true}),
       field<&Request::association_id>("association_id", "The block's association.", {.defaulted = true}),
       field<&Request::added_block>("added_block", "A block that was added.", {.defaulted = true}),
       field<&Request::because>("because", "Why it goes again.", {.defaulted = true})});
}

}  // namespace instantstart::capabilities
