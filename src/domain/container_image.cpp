#include "domain/container_image.h"

namespace instantstart::domain {

Type describe(ImageName*) {
  return text_type<ImageName>("ImageName", "A container image, with its tag or digest.",
                              {.min = 1, .max = 500, .pattern = Pattern("^[a-z0-9][A-Za-z0-9._/:@-]*$")},
                              {"vllm/vllm-openai:v0.33.0"});
}

}  // namespace instantstart::domain
