#include "app/server.h"

namespace instantstart::app {

std::string_view version() { return INSTANTSTART_VERSION; }

}  // namespace instantstart::app
