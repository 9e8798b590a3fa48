// What S3 says of an object's bytes: entity tags and checksums ("Checking object integrity" in the S3 user
// guide). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/service.h"

namespace instantstart::sandbox::s3 {

/// The MD5 in hex, in quotes.
std::string entity_tag(std::string_view bytes);
/// Of a multipart object: the MD5 of its parts' MD5s, "-" and their number. `parts` are entity tags.
std::string entity_tag_of_parts(const std::vector<std::string>& parts);

/// Base64 of the MD5, as Content-MD5 has it.
std::string content_md5(std::string_view bytes);

/// The members of a shape that name checksums; nullptr means that the shape has none.
struct Checksums {
  std::optional<std::string> crc32;
  std::optional<std::string> sha1;
  std::optional<std::string> sha256;

  bool operator==(const Checksums&) const = default;
};

/// "CRC32", "SHA1" or "SHA256", base64; nullopt for an algorithm that the sandbox doesn't compute.
std::optional<std::string> checksum(std::string_view algorithm, std::string_view bytes);
/// Of a multipart object: over the raw checksums of its parts, "-" and their number.
std::optional<std::string> checksum_of_parts(std::string_view algorithm,
                                             const std::vector<std::string>& parts);

/// Takes what a request (PutObjectRequest, UploadPartRequest) states and refuses what its bytes don't have.
/// An algorithm that is named without a value gets one.
template <class Request>
Reply<Checksums> checked(const Request& in, std::string_view bytes);

Reply<Checksums> checked(const Checksums& stated, bool states_another,
                         const std::optional<std::string>& content_md5_stated,
                         const std::optional<std::string>& algorithm, std::string_view bytes);

template <class Request>
Reply<Checksums> checked(const Request& in, std::string_view bytes) {
  const bool another = in.checksum_crc32_c || in.checksum_crc64_nvme || in.checksum_sha512 ||
                       in.checksum_md5 || in.checksum_xxhash64 || in.checksum_xxhash3 ||
                       in.checksum_xxhash128;
  return checked({.crc32 = in.checksum_crc32, .sha1 = in.checksum_sha1, .sha256 = in.checksum_sha256},
                 another, in.content_md5, in.checksum_algorithm, bytes);
}

/// Writes them into a shape that answers them.
template <class Output>
void put_checksums(Output& out, const Checksums& checksums) {
  out.checksum_crc32 = checksums.crc32;
  out.checksum_sha1 = checksums.sha1;
  out.checksum_sha256 = checksums.sha256;
}

}  // namespace instantstart::sandbox::s3
