#include "domain/kms_key.h"

namespace instantstart::domain {

Type describe(KmsKeyArn*) {
  return text_type<KmsKeyArn>(
      "KmsKeyArn", "The ARN of a KMS key.",
      {.min = 40,
       .max = 2048,
       .pattern = Pattern("^arn:aws(-[a-z]+)*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$")},
      {"arn:aws:kms:us-west-2:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"});
}

}  // namespace instantstart::domain
