// Which service a request is for: by the scope of its signature, or, unsigned, by what it asks for.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "aws/protocols/http_parts.h"
#include "sandbox/core/service.h"
#include "sandbox/gateway/signature.h"

namespace instantstart::sandbox {

class ServiceTable {
 public:
  /// The services must outlive the table.
  explicit ServiceTable(std::vector<Service*> services) : services_(std::move(services)) {}

  /// nullptr when the sandbox has none for it.
  Service* find(const std::optional<SignatureClaim>& claim, const aws::HttpRequestParts& request) const;

  const std::vector<Service*>& all() const { return services_; }

 private:
  Service* signed_for(std::string_view signing_name, const aws::HttpRequestParts& request) const;
  Service* asked_for(const aws::HttpRequestParts& request) const;

  std::vector<Service*> services_;
};

/// Stands for a service that the sandbox hasn't, in the protocol that the request seems to speak, so that its
/// client can read the refusal.
const aws::ServiceInfo& stand_in_service(const aws::HttpRequestParts& request);

}  // namespace instantstart::sandbox
