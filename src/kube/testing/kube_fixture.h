// What tests of the client share: virtual time, a scripted API server, and a connection to it.
#pragma once

#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "aws/testing/run.h"
#include "base/random.h"
#include "kube/client.h"
#include "kube/testing/scripted_api.h"
#include "net/testing/virtual_time.h"

namespace instantstart::kube {

class KubeFixture : public testing::Test {
 protected:
  template <class T>
  Result<T> run(Task<T> task) {
    return aws::run(time, std::move(task));
  }
  net::Deadline in(milliseconds duration) { return net::Deadline::in(time, duration); }

  net::VirtualTime time;
  SeededRandom random{7};
  ScriptedApi api{time};
  std::unique_ptr<Connection> connection = connect(api, time, random);

  const ResourceType pods{.gvk = {.group = "", .version = "v1", .kind = "Pod"}, .plural = "pods"};
  const ResourceType nodes{
      .gvk = {.group = "", .version = "v1", .kind = "Node"}, .plural = "nodes", .namespaced = false};
  const ResourceType jobs{.gvk = {.group = "ray.io", .version = "v1", .kind = "RayJob"}, .plural = "rayjobs"};
};

}  // namespace instantstart::kube
