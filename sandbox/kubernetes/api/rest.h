// What the paths of one cluster's API answer, once it is known who asks and that they may.
#pragma once

#include "sandbox/core/world.h"
#include "sandbox/kubernetes/api/api_call.h"
#include "sandbox/kubernetes/api/authenticator.h"
#include "sandbox/kubernetes/api/authorizer.h"
#include "sandbox/kubernetes/api/node_access.h"
#include "sandbox/kubernetes/api/object_store.h"
#include "sandbox/kubernetes/api/object_writer.h"
#include "sandbox/kubernetes/api/open_api.h"
#include "sandbox/kubernetes/api/representation.h"
#include "sandbox/kubernetes/api/served_types.h"

namespace instantstart::sandbox::kubernetes {

struct RestParts {
  World& world;
  ObjectStore& store;
  ServedTypes& types;
  ObjectWriter& writer;
  OpenApi& open_api;
  const Authorizer& authorizer;
  const Authenticator& authenticator;
  PodLogs& logs;
  const ServiceAccountTokens& tokens;
};

/// Plain functions: what they change is durable with the world's next commit. Loop thread only.
class Rest {
 public:
  explicit Rest(RestParts parts) : parts_(parts) {}

  Outcome<net::Response> answer(const ApiCall& call);

 private:
  Outcome<net::Response> about_the_server(const ApiCall& call);
  Outcome<net::Response> discover(const ApiCall& call, const std::vector<std::string_view>& pieces);
  Outcome<net::Response> describe_types(const ApiCall& call, const std::vector<std::string_view>& pieces);
  Outcome<net::Response> subresource(const ApiCall& call);
  Outcome<net::Response> scale(const ApiCall& call);
  Outcome<net::Response> review(const ApiCall& call);
  Outcome<net::Response> get(const ApiCall& call);
  Outcome<net::Response> list(const ApiCall& call);
  Outcome<net::Response> watch(const ApiCall& call);
  Outcome<net::Response> create(const ApiCall& call);
  Outcome<net::Response> update(const ApiCall& call);
  Outcome<net::Response> patch(const ApiCall& call);
  Outcome<net::Response> remove(const ApiCall& call);
  Outcome<net::Response> remove_collection(const ApiCall& call);

  Outcome<Renderer> renderer(const ApiCall& call);
  net::Response show(const Renderer& renderer, const json::object& object, int status);
  Outcome<WriteTarget> target(const ApiCall& call) const;
  Outcome<net::Response> shown(const ApiCall& call, Outcome<Written> written, int status);

  RestParts parts_;
};

/// nullopt for a type that patches can't have.
std::optional<PatchKind> patch_kind(std::string_view content_type);

}  // namespace instantstart::sandbox::kubernetes
