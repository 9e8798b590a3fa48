#include "sandbox/services/s3/multipart.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/services/s3/buckets.h"
#include "sandbox/services/s3/checksums.h"
#include "sandbox/services/s3/objects.h"

namespace instantstart::sandbox::s3 {
namespace {

template <class Request>
Reply<const api::CreateMultipartUploadRequest*> find_upload(const State& state, const Call& call,
                                                            const Request& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  const auto* upload = state.uploads.find(*in.upload_id);
  if (upload && upload->bucket == in.bucket && upload->key == in.key) return upload;
  return fault("NoSuchUpload",
               "The specified upload does not exist. The upload ID may be invalid, or the upload may have "
               "been aborted or completed.",
               404, {{"UploadId", *in.upload_id}});
}

void forget(State& state, const std::string& upload_id) {
  std::vector<std::string> ids;
  for (const auto& [id, part] : state.parts.starting_with(upload_id + "/")) ids.push_back(id);
  for (const auto& id : ids) state.parts.erase(id);
  state.uploads.erase(upload_id);
}

/// What becomes of the parts.
struct Whole {
  std::string bytes;
  std::vector<std::string> tags;
  std::vector<Checksums> checksums;
};

AwsFault invalid_part() {
  return {.code = "InvalidPart",
          .message =
              "One or more of the specified parts could not be found.  The part may not have been "
              "uploaded, or the specified entity tag may not match the part's entity tag."};
}

Reply<Whole> put_together(const State& state, const std::string& upload_id,
                          const std::vector<api::CompletedPart>& wanted) {
  Whole whole;
  std::int64_t last_number = 0;
  for (const auto& part : wanted) {
    const std::int64_t number = part.part_number.value_or(0);
    if (number <= last_number) {
      return fault("InvalidPartOrder",
                   "The list of parts was not in ascending order. Parts must be ordered by part number.");
    }
    last_number = number;
    const auto* stored = state.parts.find(part_id(upload_id, number));
    if (!stored) return std::unexpected(invalid_part());
    const std::string& bytes = stored->body->bytes;
    const std::string tag = entity_tag(bytes);
    const std::string named = part.e_tag.value_or("");
    if (named != tag && fmt::format("\"{}\"", named) != tag) return std::unexpected(invalid_part());
    if (&part != &wanted.back() && bytes.size() < state.limits.smallest_part_bytes) {
      return fault("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size", 400,
                   {{"PartNumber", fmt::to_string(number)}});
    }
    whole.bytes += bytes;
    whole.tags.push_back(tag);
    whole.checksums.push_back({stored->checksum_crc32, stored->checksum_sha1, stored->checksum_sha256});
  }
  return whole;
}

/// Of the algorithm that the upload named: over all bytes, or over the parts' checksums.
Checksums checksums_of(const api::CreateMultipartUploadRequest& upload, const Whole& whole) {
  Checksums out;
  if (!upload.checksum_algorithm) return out;
  const std::string& algorithm = *upload.checksum_algorithm;
  const auto member = algorithm == "CRC32"  ? &Checksums::crc32
                      : algorithm == "SHA1" ? &Checksums::sha1
                                            : &Checksums::sha256;
  if (upload.checksum_type == "FULL_OBJECT") {
    out.*member = checksum(algorithm, whole.bytes);
    return out;
  }
  std::vector<std::string> parts;
  for (const auto& part : whole.checksums) parts.push_back((part.*member).value_or(""));
  out.*member = checksum_of_parts(algorithm, parts);
  return out;
}

}  // namespace

Reply<api::CreateMultipartUploadOutput> create_multipart_upload(State& state, const Call& call,
                                                                const api::CreateMultipartUploadRequest& in) {
  if (auto bucket = find_bucket(state, call, *in.bucket); !bucket) return std::unexpected(bucket.error());
  if (auto refused = refuse_key(state, *in.key, in.metadata)) return std::unexpected(std::move(*refused));
  if (in.checksum_algorithm && !checksum(*in.checksum_algorithm, "")) {
    return fault("NotImplemented", "The sandbox computes CRC32, SHA1 and SHA256 only.", 501);
  }
  api::CreateMultipartUploadOutput out{.bucket = in.bucket,
                                       .key = in.key,
                                       .upload_id = state.world.make_capital_id("", 64),
                                       .server_side_encryption = in.server_side_encryption.value_or("AES256"),
                                       .checksum_algorithm = in.checksum_algorithm};
  if (in.checksum_algorithm) out.checksum_type = in.checksum_type.value_or("COMPOSITE");
  state.uploads.put(*out.upload_id, in);
  return out;
}

Reply<api::UploadPartOutput> upload_part(State& state, const Call& call, const api::UploadPartRequest& in) {
  const auto upload = find_upload(state, call, in);
  if (!upload) return std::unexpected(upload.error());
  if (*in.part_number < 1 || *in.part_number > state.limits.largest_part_number) {
    return fault("InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive");
  }
  api::UploadPartRequest part = in;
  if (!part.body) part.body.emplace();
  if (!part.checksum_algorithm) part.checksum_algorithm = (*upload)->checksum_algorithm;
  auto checksums = checked(part, part.body->bytes);
  if (!checksums) return std::unexpected(std::move(checksums.error()));
  put_checksums(part, *checksums);
  api::UploadPartOutput out{.server_side_encryption = (*upload)->server_side_encryption.value_or("AES256"),
                            .e_tag = entity_tag(part.body->bytes)};
  put_checksums(out, *checksums);
  state.parts.put(part_id(*in.upload_id, *in.part_number), std::move(part));
  return out;
}

Reply<api::CompleteMultipartUploadOutput> complete_multipart_upload(
    State& state, const Call& call, const api::CompleteMultipartUploadRequest& in) {
  const auto upload = find_upload(state, call, in);
  if (!upload) return std::unexpected(upload.error());
  const std::string id = object_id(*in.bucket, *in.key);
  if (auto refused = refuse_write(state, id, in.if_match, in.if_none_match)) {
    return std::unexpected(std::move(*refused));
  }
  if (!in.multipart_upload || aws::items(in.multipart_upload->parts).empty()) {
    return fault("MalformedXML",
                 "The XML you provided was not well-formed or did not validate against our published schema");
  }
  auto whole = put_together(state, *in.upload_id, *in.multipart_upload->parts);
  if (!whole) return std::unexpected(std::move(whole.error()));

  api::GetObjectOutput object = described(**upload);
  object.e_tag = entity_tag_of_parts(whole->tags);
  object.content_length = static_cast<std::int64_t>(whole->bytes.size());
  object.last_modified = now(state);
  object.parts_count = static_cast<std::int64_t>(whole->tags.size());
  const Checksums checksums = checksums_of(**upload, *whole);
  put_checksums(object, checksums);
  if (checksums != Checksums()) object.checksum_type = (*upload)->checksum_type.value_or("COMPOSITE");
  api::CompleteMultipartUploadOutput out{.location = fmt::format("{}/{}", call.endpoint, id),
                                         .bucket = in.bucket,
                                         .key = in.key,
                                         .e_tag = object.e_tag,
                                         .server_side_encryption = object.server_side_encryption};
  put_checksums(out, checksums);
  out.checksum_type = object.checksum_type;
  object.body = aws::Blob{std::move(whole->bytes)};
  state.objects.put(id, std::move(object));
  forget(state, *in.upload_id);
  return out;
}

Reply<api::AbortMultipartUploadOutput> abort_multipart_upload(State& state, const Call& call,
                                                              const api::AbortMultipartUploadRequest& in) {
  if (auto upload = find_upload(state, call, in); !upload) return std::unexpected(upload.error());
  forget(state, *in.upload_id);
  return api::AbortMultipartUploadOutput{};
}

}  // namespace instantstart::sandbox::s3
