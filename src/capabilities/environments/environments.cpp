#include "capabilities/environments/environments.h"

#include <iterator>

#include "base/decode.h"
#include "capabilities/environments/stage_requests.h"

namespace instantstart::capabilities {
namespace {

// As control_plane_create has them.
constexpr double k_most_zones = 4;
constexpr double k_most_access_cidrs = 40;
constexpr double k_most_administrators = 20;
constexpr double k_most_components = 100;

/// The members are those of control_plane_create, and so are the rules between them.
void check_create(const EnvironmentCreate& request, std::vector<FieldProblem>& problems) {
  auto decoded = decode<ControlPlaneCreate>(encode(control_plane_of(request)));
  if (decoded) return;
  auto& found = decoded.error().problems;
  problems.insert(problems.end(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
}

}  // namespace

Type describe(EnvironmentStorage*) {
  using Storage = EnvironmentStorage;
  return object_type<Storage>(
      "EnvironmentStorage", "An S3 bucket for the pods of an environment.",
      {field<&Storage::name>("name", "What the mount is called.", {.defaulted = true}),
       field<&Storage::bucket>("bucket", "The bucket."),
       field<&Storage::create>(
           "create", "Make the bucket, in the cluster's region, tagged as ours and closed to the public.",
           {.defaulted = true}),
       field<&Storage::prefix>("prefix", "Mount only this part of it; all when left out."),
       field<&Storage::space>("namespace", "The Kubernetes namespace of the claim.", {.defaulted = true}),
       field<&Storage::path>("path", "Where pods see it. What is at /data every submitted pod gets.",
                             {.defaulted = true}),
       field<&Storage::read_only>("read_only", "Pods may only read.", {.defaulted = true}),
       field<&Storage::uid>("uid", "The user that owns the files in pods; root when left out."),
       field<&Storage::gid>("gid", "The group that owns the files in pods; root when left out."),
       field<&Storage::kms_key>("kms_key", "The key that the bucket is encrypted with, if it is with one.")});
}

Type describe(EnvironmentCreate*) {
  using Request = EnvironmentCreate;
  return object_type<Request>(
      "EnvironmentCreate", "What is left out is kept as it is, or chosen for a new environment.",
      {field<&Request::name>("name", "The EKS cluster's name."),
       field<&Request::region>("region", "The region; the configured one when left out."),
       field<&Request::profile>("profile", "The AWS profile; the environment's when left out."),
       field<&Request::tag>("tag", "A friendly unique name; the EKS name when left out."),
       field<&Request::kubernetes_version>("kubernetes_version", "EKS's default version when left out."),
       field<&Request::vpc_cidr>("vpc_cidr", "The VPC's block; one that overlaps nothing when left out."),
       field<&Request::avoid_cidrs>("avoid_cidrs", "Ranges elsewhere, as on premises, that must stay apart.",
                                    {.rule = {.max = k_most_access_cidrs}}),
       field<&Request::zones>("zones", "At least two; the first two that EKS takes when left out.",
                              {.rule = {.min = 2, .max = k_most_zones}}),
       field<&Request::nat>("nat", "single when left out."),
       field<&Request::vpc>("vpc", "Put the control plane into this VPC and make no network."),
       field<&Request::endpoint_access>("endpoint_access", "public_and_private when left out."),
       field<&Request::public_access_cidrs>("public_access_cidrs",
                                            "Who reaches the public endpoint; everybody when left out.",
                                            {.rule = {.min = 1, .max = k_most_access_cidrs}}),
       field<&Request::administrators>("administrators",
                                       "Roles and users that administer the cluster, beside who creates it.",
                                       {.rule = {.max = k_most_administrators}}),
       field<&Request::components>(
           "components", "Dependencies to bring in place beside those of HyperPod; all when left out.",
           {.rule = {.min = 1, .max = k_most_components}}),
       field<&Request::hyperpod_name>("hyperpod_name",
                                      "The HyperPod cluster's name; made from the EKS name when left out."),
       field<&Request::group>("group", "The first instance group."),
       field<&Request::storage>("storage", "A bucket for the pods; nothing is mounted when left out.")},
      check_create);
}

Type describe(EnvironmentDelete*) {
  return object_type<EnvironmentDelete>(
      "EnvironmentDelete", "Which environment goes.",
      {field<&EnvironmentDelete::cluster>("cluster", "Key, tag or ARN of the managed cluster.")});
}

}  // namespace instantstart::capabilities
