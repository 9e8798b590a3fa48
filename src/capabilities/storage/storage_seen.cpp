#include "capabilities/storage/storage_seen.h"

namespace instantstart::capabilities {

Type describe(BucketSeen*) {
  return object_type<BucketSeen>(
      "BucketSeen", "A bucket.",
      {field<&BucketSeen::exists>("exists", "Somebody has it."),
       field<&BucketSeen::accessible>("accessible", "We may look at it."),
       field<&BucketSeen::region>("region", "Where it is."),
       field<&BucketSeen::maker>("maker", "Our operation that made it."),
       field<&BucketSeen::public_blocked>("public_blocked", "It is closed to the public."),
       field<&BucketSeen::empty>("empty", "It holds nothing.")});
}

Type describe(AccessSeen*) {
  return object_type<AccessSeen>("AccessSeen", "A mount's policy.",
                                 {field<&AccessSeen::exists>("exists", "It is there."),
                                  field<&AccessSeen::mark>("mark", "Which operation made it."),
                                  field<&AccessSeen::as_wanted>("as_wanted", "It says what we write.")});
}

Type describe(MountSeen*) {
  return object_type<MountSeen>(
      "MountSeen", "Volume and claim of a mount.",
      {field<&MountSeen::objects>("objects", "Both."), field<&MountSeen::phase>("phase", "Of the claim."),
       field<&MountSeen::users>("users", "Pods that use it."),
       field<&MountSeen::user_count>("user_count", "How many.")});
}

}  // namespace instantstart::capabilities
