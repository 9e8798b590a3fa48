// The web face: the files of the page. They hold no data, so nobody has to be logged in to get them.
#pragma once

#include <span>
#include <string>

#include "faces/web/embedded_file.h"
#include "net/http.h"

namespace instantstart::faces {

/// Answers GET and HEAD for one file: 200, or 304 when the browser has it already. The document itself is
/// never kept by anybody; what it loads is kept and asked for again each time.
net::Response serve_file(const EmbeddedFile& file, const net::Request& request,
                         const std::string& request_id);

/// The type of a file by its name's ending: .html, .js, .css, .svg. Others are sent as plain bytes.
std::string_view content_type_of(std::string_view path);

}  // namespace instantstart::faces
