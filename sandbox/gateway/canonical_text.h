// The canonical forms that a signature is made over (SigV4, "Create a canonical request").
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace instantstart::sandbox {

/// Trimmed, runs of blanks as one.
std::string collapsed_spaces(std::string_view value);

/// Without empty, "." and ".." segments, and then encoded once more, so "%3A" becomes "%253A".
std::string canonical_path(std::string_view path);
/// Encoded exactly once, whatever the sender encoded.
std::string canonical_s3_path(std::string_view path);

/// Parameters sorted by encoded name and value, `left_out` not among them.
std::string canonical_query(std::string_view query, std::string_view left_out);

/// Decoded pairs in order; a broken escape stays as it is. A plus is a plus: SigV4 knows spaces as %20 only.
std::vector<std::pair<std::string, std::string>> query_parameters(std::string_view query);

}  // namespace instantstart::sandbox
