#include "sandbox/services/s3/checksums.h"

#include <array>
#include <span>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <zlib.h>

#include "base/digest.h"

namespace instantstart::sandbox::s3 {
namespace {

std::string digest(const EVP_MD* kind, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  // It fails only for want of memory.
  if (EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, kind, nullptr) != 1) std::abort();
  return {reinterpret_cast<const char*>(out.data()), size};
}

std::string hex(std::string_view bytes) {
  return to_hex(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

/// nullopt for an algorithm that isn't computed.
std::optional<std::string> raw_checksum(std::string_view algorithm, std::string_view bytes) {
  if (algorithm == "SHA1") return digest(EVP_sha1(), bytes);
  if (algorithm == "SHA256") return digest(EVP_sha256(), bytes);
  if (algorithm != "CRC32") return std::nullopt;
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return big_endian(static_cast<std::uint32_t>(crc32_z(0, data, bytes.size())));
}

std::optional<std::string> from_hex(std::string_view text) {
  std::string bytes;
  if (text.size() % 2 != 0) return std::nullopt;
  const auto value = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = value(text[i]);
    const int low = value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

AwsFault wrong_digest(std::string_view name) {
  return {.code = "BadDigest",
          .message = fmt::format("The {} you specified did not match the calculated checksum.", name)};
}

}  // namespace

std::string entity_tag(std::string_view bytes) {
  return fmt::format("\"{}\"", hex(digest(EVP_md5(), bytes)));
}

std::string entity_tag_of_parts(const std::vector<std::string>& parts) {
  std::string all;
  for (const auto& tag : parts) all += from_hex(std::string_view(tag).substr(1, 32)).value_or("");
  return fmt::format("\"{}-{}\"", hex(digest(EVP_md5(), all)), parts.size());
}

std::string content_md5(std::string_view bytes) { return to_base64(digest(EVP_md5(), bytes)); }

std::optional<std::string> checksum(std::string_view algorithm, std::string_view bytes) {
  const auto raw = raw_checksum(algorithm, bytes);
  return raw ? std::optional(to_base64(*raw)) : std::nullopt;
}

std::optional<std::string> checksum_of_parts(std::string_view algorithm,
                                             const std::vector<std::string>& parts) {
  std::string all;
  for (const auto& part : parts) all += from_base64(part).value_or("");
  const auto whole = checksum(algorithm, all);
  return whole ? std::optional(fmt::format("{}-{}", *whole, parts.size())) : std::nullopt;
}

Reply<Checksums> checked(const Checksums& stated, bool states_another,
                         const std::optional<std::string>& content_md5_stated,
                         const std::optional<std::string>& algorithm, std::string_view bytes) {
  const std::string_view named = algorithm ? std::string_view(*algorithm) : "";
  const bool is_known = named.empty() || named == "CRC32" || named == "SHA1" || named == "SHA256";
  if (states_another || !is_known) {
    return fault("NotImplemented", "The sandbox computes CRC32, SHA1 and SHA256 only.", 501);
  }
  if (content_md5_stated && *content_md5_stated != content_md5(bytes)) {
    return std::unexpected(wrong_digest("Content-MD5"));
  }
  Checksums found;
  const auto check = [&](std::string_view name, const std::optional<std::string>& wanted,
                         std::optional<std::string>& kept) {
    if (!wanted && named != name) return true;
    kept = checksum(name, bytes);
    return !wanted || *wanted == *kept;
  };
  if (!check("CRC32", stated.crc32, found.crc32)) return std::unexpected(wrong_digest("CRC32"));
  if (!check("SHA1", stated.sha1, found.sha1)) return std::unexpected(wrong_digest("SHA1"));
  if (!check("SHA256", stated.sha256, found.sha256)) return std::unexpected(wrong_digest("SHA256"));
  return found;
}

}  // namespace instantstart::sandbox::s3
