// Releases of HyperPod's machine image.
#pragma once

#include <string>
#include <string_view>

namespace instantstart::sandbox::sagemaker {

bool is_release(std::string_view version);
std::string_view latest_release();
/// "UpToDate", "UpdateAvailable" or "SecurityUpdateRequired"
std::string image_status(std::string_view version);

}  // namespace instantstart::sandbox::sagemaker
