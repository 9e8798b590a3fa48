// Files of the page, part of the program since its build.
#pragma once

#include <span>
#include <string_view>

namespace instantstart::faces {

struct EmbeddedFile {
  std::string_view path;  ///< "/" or "/main.js"
  std::span<const unsigned char> bytes;
  std::string_view etag;  ///< Of its bytes, with the quotes.
};

/// All of ui/plain, by path.
std::span<const EmbeddedFile> embedded_files();

}  // namespace instantstart::faces
