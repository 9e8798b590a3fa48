// AWS CloudTrail: the audit trail by its public name. Events are there at once, where AWS takes minutes.
#pragma once

#include "aws/shapes/cloudtrail.h"
#include "sandbox/core/service.h"
#include "sandbox/core/world.h"

namespace instantstart::sandbox {

class CloudTrailService final : public Service {
 public:
  explicit CloudTrailService(World& world);

 private:
  asio::awaitable<Reply<aws::cloudtrail::LookupEventsResponse>> lookup_events(
      Call call, aws::cloudtrail::LookupEventsRequest in) const;

  World& world_;
};

}  // namespace instantstart::sandbox
