// The revisions of the protocol that are spoken here, and what sets them apart.
#pragma once

#include <optional>
#include <string_view>

namespace instantstart::faces {

/// In order of age. All but the last begin with a handshake (`initialize`); 2026-07-28 carries what it needs
/// in every request.
enum class Revision { r2024_11_05, r2025_03_26, r2025_06_18, r2025_11_25, r2026_07_28 };

inline constexpr Revision k_newest_handshake = Revision::r2025_11_25;
inline constexpr std::string_view k_modern_revision = "2026-07-28";

std::string_view revision_name(Revision revision);
std::optional<Revision> find_revision(std::string_view name);

constexpr bool is_modern(Revision revision) { return revision == Revision::r2026_07_28; }
constexpr bool has_annotations(Revision revision) { return revision >= Revision::r2025_03_26; }
constexpr bool has_titles(Revision revision) { return revision >= Revision::r2025_06_18; }
constexpr bool has_structured_content(Revision revision) { return revision >= Revision::r2025_06_18; }
/// A broken stream is taken up again by GET with Last-Event-ID. Older clients can't read its first, empty
/// event.
constexpr bool has_resumption(Revision revision) { return revision == Revision::r2025_11_25; }
/// 2024-11-05 says nothing about batches, so JSON-RPC's own rule holds; 2025-06-18 took them out.
constexpr bool has_batches(Revision revision) { return revision <= Revision::r2025_03_26; }

}  // namespace instantstart::faces
