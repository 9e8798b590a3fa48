#include "sandbox/kubernetes/api/pod_proxy_path.h"

#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/kubernetes/api/refusals.h"

namespace instantstart::sandbox::kubernetes {

bool names_proxy(std::string_view path) { return path.contains("/proxy/") || path.ends_with("/proxy"); }

bool is_proxied(const ApiCall& call) {
  return call.info.is_resource && call.type && call.info.group.empty() && call.info.subresource == "proxy" &&
         (call.info.resource == "services" || call.info.resource == "pods");
}

Outcome<ProxyTarget> proxy_target(const ObjectStore& store, const ApiCall& call) {
  const auto parts = split(call.info.name, ':');
  ProxyTarget target{.cluster = call.cluster,
                     .namespace_name = call.info.namespace_name,
                     .service = call.info.resource == "services",
                     .scheme = "http"};
  if (parts.size() == 3) {
    if (!parts[0].empty()) target.scheme = parts[0];
    target.name = parts[1];
    target.port = parts[2];
  } else if (parts.size() == 2) {
    target.name = parts[0];
    target.port = parts[1];
  } else {
    target.name = call.info.name;
  }
  if (target.scheme != "http" && target.scheme != "https") {
    return refuse(bad_request(fmt::format("invalid service request \"{}\"", call.info.name)));
  }
  if (!store.find({call.cluster, "", call.info.resource, target.namespace_name, target.name})) {
    return refuse(not_found("", call.info.resource, target.name));
  }
  return target;
}

std::string proxied_path(const ApiCall& call) {
  std::string path = call.info.rest.empty() ? "/" : percent_encode(call.info.rest, "/:@!$&'()*+,;=");
  if (const auto query = call.request.query(); !query.empty()) path += fmt::format("?{}", query);
  return path;
}

}  // namespace instantstart::sandbox::kubernetes
