// Small functions on text, all of them total: any bytes may come in.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace instantstart {

/// The candidate with the smallest edit distance, if that is at most a third of the longer text (and at least
/// 1).
std::optional<std::string> nearest(std::string_view text, std::span<const std::string_view> candidates);

/// Code points of UTF-8 text; bytes of anything else.
std::size_t code_points(std::string_view text);

/// At most `max_bytes` bytes, cut between code points, with "…" in place of what was cut.
std::string shortened(std::string_view text, std::size_t max_bytes);

/// Without C0 and C1 controls (tab and newline stay), DEL, escape sequences, bidirectional overrides,
/// zero-width and tag characters: what a cluster wrote can't steer a terminal, hide from a reader or pass for
/// our own words. Invalid UTF-8 becomes U+FFFD.
std::string without_controls(std::string_view text);

std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string_view trim(std::string_view text);  ///< Spaces and tabs.
std::string to_lower(std::string_view text);   ///< ASCII only.

}  // namespace instantstart
