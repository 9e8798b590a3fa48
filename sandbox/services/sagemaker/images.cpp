#include "sandbox/services/sagemaker/images.h"

#include <algorithm>
#include <array>

namespace instantstart::sandbox::sagemaker {
namespace {

/// Oldest first. The numbers are made up in the form that HyperPod's release notes have.
constexpr std::array<std::string_view, 3> k_releases{"1.1.0", "1.2.0", "1.3.0"};

}  // namespace

bool is_release(std::string_view version) {
  return std::ranges::find(k_releases, version) != k_releases.end();
}

std::string_view latest_release() { return k_releases.back(); }

std::string image_status(std::string_view version) {
  if (version == k_releases.back()) return "UpToDate";
  return version == k_releases.front() ? "SecurityUpdateRequired" : "UpdateAvailable";
}

}  // namespace instantstart::sandbox::sagemaker
