// The step kinds of dependencies: their inputs, their decisions (pure, tested as tables) and their makers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "capabilities/dependencies/cluster_target.h"
#include "capabilities/dependencies/component_reader.h"
#include "capabilities/dependencies/component_seen.h"
#include "operations/step.h"

namespace instantstart::capabilities {

inline constexpr std::string_view k_objects_step = "dependency_objects";
inline constexpr std::string_view k_addon_step = "dependency_addon";
inline constexpr std::string_view k_oidc_step = "dependency_oidc_provider";
inline constexpr std::string_view k_role_step = "dependency_role";
inline constexpr std::string_view k_association_step = "dependency_pod_identity";
/// Of whatever operation made it here.
inline constexpr std::string_view k_oidc_removal_step = "dependency_oidc_provider_removal";
inline constexpr std::string_view k_role_removal_step = "dependency_role_removal";

struct ObjectsInput {
  ClusterTarget cluster;
  std::string component;
  std::string release;
  bool adopt = false;  ///< Objects of others that have our names become ours.
};

struct AddonInput {
  ClusterTarget cluster;
  std::string component;
  std::string version;
};

struct OidcInput {
  ClusterTarget cluster;
};

struct RoleInput {
  ClusterTarget cluster;
  std::string role_name;
  std::string policy;  ///< A managed policy of AWS; empty: none.
};

struct AssociationInput {
  ClusterTarget cluster;
  std::string space;
  std::string service_account;
  std::string role_name;
};

/// One object to apply, or to delete.
struct ObjectRequest {
  std::string ref;
  std::string maker;   ///< Whose it is, or will be.
  bool force = false;  ///< Fields that others set become ours.
};

struct AddonRequest {
  std::string call;  ///< "create", "update" or "delete"
  std::string version;
};

/// "create", "attach", "detach" or "delete": the role, or its managed policy.
struct RoleRequest {
  std::string call;
};

/// What is named by the input, or by this id, is made or deleted.
struct ThingRequest {
  std::string id;
};

Type describe(ObjectsInput*);
Type describe(AddonInput*);
Type describe(OidcInput*);
Type describe(RoleInput*);
Type describe(AssociationInput*);
Type describe(ObjectRequest*);
Type describe(AddonRequest*);
Type describe(RoleRequest*);
Type describe(ThingRequest*);

operations::Decision choose_objects(const std::string& operation_id, const ObjectsInput& input,
                                    const ObjectsSeen& seen, const operations::History& history);
operations::Decision choose_removal(const std::string& operation_id, const ObjectsSeen& seen,
                                    const operations::History& history);
operations::Decision choose_addon(const std::string& operation_id, const AddonInput& input,
                                  const AddonSeen& seen, const operations::History& history);
operations::Decision choose_addon_removal(const std::string& operation_id, const AddonInput& input,
                                          const AddonSeen& seen);
operations::Decision choose_oidc(const std::string& operation_id, const OidcInput& input,
                                 const OidcSeen& seen);
operations::Decision choose_role(const std::string& operation_id, const RoleInput& input,
                                 const RoleSeen& seen);
/// `meant`: the role is one that shall go.
operations::Decision choose_role_removal(bool meant, const RoleInput& input, const RoleSeen& seen);
operations::Decision choose_association(const std::string& operation_id, const AssociationInput& input,
                                        const AssociationSeen& seen);

std::unique_ptr<const operations::StepKind> objects_step(ComponentReader reader);
std::unique_ptr<const operations::StepKind> addon_step(ComponentReader reader);
std::unique_ptr<const operations::StepKind> oidc_step(ComponentReader reader);
std::unique_ptr<const operations::StepKind> role_step(ComponentReader reader);
std::unique_ptr<const operations::StepKind> oidc_removal_step(ComponentReader reader);
std::unique_ptr<const operations::StepKind> role_removal_step(ComponentReader reader);
std::unique_ptr<const operations::StepKind> association_step(ComponentReader reader);

}  // namespace instantstart::capabilities
