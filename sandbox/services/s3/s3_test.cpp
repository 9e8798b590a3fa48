#include "sandbox/services/s3/s3.h"

#include <fmt/format.h>

#include "sandbox/core/testing/world_fixture.h"
#include "sandbox/services/s3/buckets.h"
#include "sandbox/services/s3/byte_range.h"
#include "sandbox/services/s3/checksums.h"

namespace instantstart::sandbox::s3 {
namespace {

namespace api = aws::s3;

class S3Test : public WorldFixture {
 protected:
  S3Test() { restart(); }
  void restart() {
    s3.reset();
    start();
    s3.emplace(process->world(), Limits{.smallest_part_bytes = 4});
    EXPECT_TRUE(process->load());
  }
  template <class Op>
  Reply<typename Op::Output> ask(const typename Op::Input& input, std::string region = "us-west-2") {
    return process->ask<Op>(*s3, input, {.region = std::move(region), .endpoint = "http://127.0.0.1:1"});
  }
  template <class Op>
  std::string code(const typename Op::Input& input, std::string region = "us-west-2") {
    const auto reply = ask<Op>(input, std::move(region));
    return reply ? "" : reply.error().code;
  }
  void make_bucket(const std::string& name = "data") {
    EXPECT_TRUE(ask<api::CreateBucket>(
        {.bucket = name, .create_bucket_configuration = {{.location_constraint = "us-west-2"}}}));
  }
  void put(const std::string& key, std::string body = "x", const std::string& bucket = "data") {
    EXPECT_TRUE(ask<api::PutObject>({.body = aws::Blob{std::move(body)}, .bucket = bucket, .key = key}));
  }
  std::string get(const std::string& key, const std::string& bucket = "data") {
    const auto object = ask<api::GetObject>({.bucket = bucket, .key = key});
    return object ? object->body->bytes : object.error().code;
  }
  std::string keys(const api::ListObjectsV2Request& in) {
    const auto page = ask<api::ListObjectsV2>(in);
    if (!page) return page.error().code;
    std::string text;
    for (const auto& object : aws::items(page->contents)) text += *object.key + " ";
    for (const auto& prefix : aws::items(page->common_prefixes)) text += "[" + *prefix.prefix + "] ";
    token = page->next_continuation_token;
    return text;
  }

  std::optional<S3> s3;
  std::optional<std::string> token;
};

TEST(BucketName, FollowsTheNamingRules) {
  for (const char* good : {"abc", "my-bucket.2", "sagemaker-us-west-2-123456789012", "1a2"}) {
    EXPECT_TRUE(is_bucket_name(good)) << good;
  }
  for (const char* bad :
       {"ab", "Abc", "a_b", "-abc", "abc-", "a..b", "192.168.0.1", "xn--abc", "abc-s3alias", ""}) {
    EXPECT_FALSE(is_bucket_name(bad)) << bad;
  }
  EXPECT_TRUE(is_bucket_name(std::string(63, 'a')));
  EXPECT_FALSE(is_bucket_name(std::string(64, 'a')));
}

TEST(EntityTag, IsTheMd5OfBytesOrOfParts) {
  EXPECT_EQ(entity_tag("hello"), "\"5d41402abc4b2a76b9719d911017c592\"");
  // md5(md5("a") + md5("b")).
  EXPECT_EQ(entity_tag_of_parts({entity_tag("a"), entity_tag("b")}),
            "\"96e024ba2074fe77e8e965ba43a704be-2\"");
}

TEST(Checksum, OfEachAlgorithm) {
  EXPECT_EQ(checksum("CRC32", "hello"), "NhCmhg==");
  EXPECT_EQ(checksum("SHA1", "hello"), "qvTGHdzF6KLavt4PO0gs2a6pQ00=");
  EXPECT_EQ(checksum("SHA256", "hello"), "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=");
  EXPECT_FALSE(checksum("CRC64NVME", "hello"));
}

TEST(ByteRange, OfOneRange) {
  struct Case {
    std::string header;
    std::optional<ByteRange> range;
  };
  const Case cases[] = {{"bytes=0-3", ByteRange{0, 3}},  {"bytes=2-", ByteRange{2, 9}},
                        {"bytes=-3", ByteRange{7, 9}},   {"bytes=-20", ByteRange{0, 9}},
                        {"bytes=5-99", ByteRange{5, 9}}, {"bytes=9-9", ByteRange{9, 9}},
                        {"bytes=3-2", std::nullopt},     {"bytes=0-1,3-4", std::nullopt},
                        {"items=0-1", std::nullopt},     {"bytes=a-b", std::nullopt}};
  for (const auto& [header, expected] : cases) {
    const auto range = read_range(header, 10);
    ASSERT_TRUE(range) << header;
    EXPECT_EQ(*range, expected) << header;
  }
  for (const char* beyond : {"bytes=10-", "bytes=10-12", "bytes=-0"}) {
    const auto range = read_range(beyond, 10);
    ASSERT_FALSE(range) << beyond;
    EXPECT_EQ(range.error().code, "InvalidRange");
  }
  EXPECT_EQ(content_range({2, 4}, 10), "bytes 2-4/10");
}

TEST_F(S3Test, ABucketBelongsToItsRegion) {
  make_bucket();
  EXPECT_EQ(code<api::HeadBucket>({.bucket = "data"}, "eu-west-1"), "AuthorizationHeaderMalformed");
  const auto elsewhere = ask<api::HeadBucket>({.bucket = "data"}, "eu-west-1");
  EXPECT_EQ(elsewhere.error().fields.at("Region"), "us-west-2");
  EXPECT_EQ(ask<api::HeadBucket>({.bucket = "data"})->bucket_region, "us-west-2");
  EXPECT_EQ(ask<api::GetBucketLocation>({.bucket = "data"}, "eu-west-1")->location_constraint, "us-west-2");
  EXPECT_EQ(code<api::HeadBucket>({.bucket = "none"}), "NoSuchBucket");
}

TEST_F(S3Test, TheRegionIsNamedUnlessItIsTheFirst) {
  EXPECT_EQ(code<api::CreateBucket>({.bucket = "aaa"}), "IllegalLocationConstraintException");
  EXPECT_EQ(code<api::CreateBucket>({.bucket = "aaa"}, "us-east-1"), "");
  EXPECT_EQ(code<api::CreateBucket>({.bucket = "aaa"}, "us-east-1"), "");
  EXPECT_FALSE(ask<api::GetBucketLocation>({.bucket = "aaa"})->location_constraint);
}

TEST_F(S3Test, ANameIsTakenOnceAndFollowsTheRules) {
  make_bucket();
  const api::CreateBucketRequest again{.bucket = "data",
                                       .create_bucket_configuration = {{.location_constraint = "us-west-2"}}};
  EXPECT_EQ(code<api::CreateBucket>(again), "BucketAlreadyOwnedByYou");
  EXPECT_EQ(code<api::CreateBucket>({.bucket = "No_Name"}), "InvalidBucketName");
}

TEST_F(S3Test, OnlyAnEmptyBucketIsDeleted) {
  make_bucket();
  put("a");
  EXPECT_EQ(code<api::DeleteBucket>({.bucket = "data"}), "BucketNotEmpty");
  EXPECT_TRUE(ask<api::DeleteObject>({.bucket = "data", .key = "a"}));
  EXPECT_EQ(code<api::DeleteBucket>({.bucket = "data"}), "");
  EXPECT_EQ(code<api::DeleteBucket>({.bucket = "data"}), "NoSuchBucket");
  make_bucket();
}

TEST_F(S3Test, TagsPolicyAndPublicAccessAreKept) {
  make_bucket();
  EXPECT_EQ(code<api::GetBucketTagging>({.bucket = "data"}), "NoSuchTagSet");
  EXPECT_EQ(code<api::PutBucketTagging>(
                {.bucket = "data", .tagging = {{.tag_set = {{{.key = "a", .value = "b"}}}}}}),
            "");
  EXPECT_EQ(ask<api::GetBucketTagging>({.bucket = "data"})->tag_set->at(0).value, "b");
  EXPECT_EQ(code<api::PutBucketTagging>(
                {.bucket = "data", .tagging = {{.tag_set = {{{.key = "aws:x", .value = ""}}}}}}),
            "InvalidTag");
  EXPECT_EQ(code<api::GetBucketPolicy>({.bucket = "data"}), "NoSuchBucketPolicy");
  EXPECT_EQ(code<api::PutBucketPolicy>({.bucket = "data", .policy = "no json"}), "MalformedPolicy");
  EXPECT_EQ(code<api::PutBucketPolicy>({.bucket = "data", .policy = R"({"Statement":[]})"}), "");
  EXPECT_EQ(ask<api::GetBucketPolicy>({.bucket = "data"})->policy, R"({"Statement":[]})");
  EXPECT_EQ(ask<api::GetPublicAccessBlock>({.bucket = "data"})
                ->public_access_block_configuration->block_public_acls,
            true);
}

TEST_F(S3Test, AnObjectIsWhatWasPutAlsoAfterARestart) {
  make_bucket();
  const std::string bytes("a\0b\xff", 4);
  const auto written = ask<api::PutObject>({.body = aws::Blob{bytes},
                                            .bucket = "data",
                                            .content_type = "text/plain",
                                            .key = "dir/x y",
                                            .metadata = {{{"who", "ann"}}}});
  ASSERT_TRUE(written);
  restart();
  const auto read = ask<api::GetObject>({.bucket = "data", .key = "dir/x y"});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->body->bytes, bytes);
  EXPECT_EQ(read->e_tag, written->e_tag);
  EXPECT_EQ(read->content_type, "text/plain");
  EXPECT_EQ(read->metadata->at("who"), "ann");
  const auto head = ask<api::HeadObject>({.bucket = "data", .key = "dir/x y"});
  EXPECT_EQ(head->content_length, 4);
  EXPECT_EQ(get("none"), "NoSuchKey");
}

TEST_F(S3Test, ARangeIsPartialContent) {
  make_bucket();
  put("a", "0123456789");
  const auto part = ask<api::GetObject>({.bucket = "data", .key = "a", .range = "bytes=2-4"});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->body->bytes, "234");
  EXPECT_EQ(part->content_range, "bytes 2-4/10");
  EXPECT_EQ(part->content_length, 3);
  EXPECT_EQ(s3->http_status(api::GetObject::info(), &*part), 206);
  EXPECT_EQ(code<api::GetObject>({.bucket = "data", .key = "a", .range = "bytes=10-"}), "InvalidRange");
}

TEST_F(S3Test, ChecksumsAreHeldToTheBytes) {
  make_bucket();
  const api::PutObjectRequest hello{.body = aws::Blob{"hello"}, .bucket = "data", .key = "a"};
  auto good = hello;
  good.checksum_crc32 = "NhCmhg==";
  EXPECT_EQ(code<api::PutObject>(good), "");
  const auto read = ask<api::GetObject>({.bucket = "data", .key = "a", .checksum_mode = "ENABLED"});
  EXPECT_EQ(read->checksum_crc32, "NhCmhg==");
  EXPECT_FALSE(ask<api::GetObject>({.bucket = "data", .key = "a"})->checksum_crc32);
  auto bad = hello;
  bad.checksum_crc32 = "AAAAAA==";
  EXPECT_EQ(code<api::PutObject>(bad), "BadDigest");
  auto bad_md5 = hello;
  bad_md5.content_md5 = content_md5("other");
  EXPECT_EQ(code<api::PutObject>(bad_md5), "BadDigest");
  auto other = hello;
  other.checksum_crc64_nvme = "AAAAAAAAAAA=";
  EXPECT_EQ(code<api::PutObject>(other), "NotImplemented");
  EXPECT_EQ(get("a"), "hello");
}

TEST_F(S3Test, ConditionsOfReadsAndWrites) {
  make_bucket();
  put("a", "hello");
  const std::string tag = entity_tag("hello");
  EXPECT_EQ(code<api::GetObject>({.bucket = "data", .if_match = tag, .key = "a"}), "");
  EXPECT_EQ(code<api::GetObject>({.bucket = "data", .if_match = "\"x\"", .key = "a"}), "PreconditionFailed");
  EXPECT_EQ(code<api::GetObject>({.bucket = "data", .if_none_match = tag, .key = "a"}), "NotModified");
  EXPECT_EQ(code<api::PutObject>({.bucket = "data", .if_none_match = "*", .key = "a"}), "PreconditionFailed");
  EXPECT_EQ(code<api::PutObject>({.bucket = "data", .if_none_match = "*", .key = "b"}), "");
  EXPECT_EQ(code<api::PutObject>({.bucket = "data", .if_match = tag, .key = "b"}), "PreconditionFailed");
  EXPECT_EQ(code<api::PutObject>({.bucket = "data", .if_match = tag, .key = "a"}), "");
  EXPECT_EQ(code<api::PutObject>({.bucket = "data", .if_match = tag, .key = "none"}), "NoSuchKey");
}

TEST_F(S3Test, KeysAndMetadataHaveLimits) {
  make_bucket();
  EXPECT_EQ(code<api::PutObject>({.bucket = "data", .key = std::string(1025, 'k')}), "KeyTooLongError");
  EXPECT_EQ(
      code<api::PutObject>({.bucket = "data", .key = "a", .metadata = {{{"m", std::string(3000, 'v')}}}}),
      "MetadataTooLarge");
}

TEST_F(S3Test, ListsInPagesAndFoldsAtTheDelimiter) {
  make_bucket();
  make_bucket("data2");
  for (const char* key : {"a", "b/1", "b/2", "b/c/3", "d"}) put(key);
  put("other", "x", "data2");
  EXPECT_EQ(keys({.bucket = "data"}), "a b/1 b/2 b/c/3 d ");
  EXPECT_EQ(keys({.bucket = "data", .delimiter = "/"}), "a d [b/] ");
  EXPECT_EQ(keys({.bucket = "data", .delimiter = "/", .prefix = "b/"}), "b/1 b/2 [b/c/] ");
  EXPECT_EQ(keys({.bucket = "data", .start_after = "b/1"}), "b/2 b/c/3 d ");
  std::string all;
  api::ListObjectsV2Request page{.bucket = "data", .delimiter = "/", .max_keys = 1};
  do {
    all += keys(page);
    page.continuation_token = token;
  } while (token);
  EXPECT_EQ(all, "a [b/] d ");
  EXPECT_EQ(keys({.bucket = "data", .max_keys = 0}), "");
  EXPECT_FALSE(token);
  EXPECT_EQ(keys({.bucket = "data", .continuation_token = "!"}), "InvalidArgument");
}

TEST_F(S3Test, KeysAreEncodedWhenAskedFor) {
  make_bucket();
  put("x y/é");
  EXPECT_EQ(keys({.bucket = "data", .encoding_type = "url"}), "x%20y/%C3%A9 ");
}

TEST_F(S3Test, CopiesKeepOrReplaceWhatIsSaidOfTheObject) {
  make_bucket();
  EXPECT_TRUE(ask<api::PutObject>(
      {.body = aws::Blob{"hi"}, .bucket = "data", .content_type = "text/plain", .key = "a b"}));
  EXPECT_EQ(code<api::CopyObject>({.bucket = "data", .copy_source = "data/a%20b", .key = "c"}), "");
  EXPECT_EQ(ask<api::HeadObject>({.bucket = "data", .key = "c"})->content_type, "text/plain");
  EXPECT_EQ(get("c"), "hi");
  EXPECT_EQ(code<api::CopyObject>({.bucket = "data", .copy_source = "/data/a%20b", .key = "a b"}),
            "InvalidRequest");
  EXPECT_EQ(code<api::CopyObject>({.bucket = "data",
                                   .content_type = "text/html",
                                   .copy_source = "data/a%20b",
                                   .key = "a b",
                                   .metadata_directive = "REPLACE"}),
            "");
  EXPECT_EQ(ask<api::HeadObject>({.bucket = "data", .key = "a b"})->content_type, "text/html");
  EXPECT_EQ(code<api::CopyObject>({.bucket = "data", .copy_source = "data/none", .key = "c"}), "NoSuchKey");
}

TEST_F(S3Test, DeletingIsNoErrorWhenThereIsNothing) {
  make_bucket();
  put("a");
  EXPECT_EQ(code<api::DeleteObject>({.bucket = "data", .key = "none"}), "");
  const auto deleted = ask<api::DeleteObjects>(
      {.bucket = "data", .delete_ = {{.objects = {{{.key = "a"}, {.key = "none"}}}}}});
  ASSERT_TRUE(deleted);
  EXPECT_EQ(deleted->deleted->size(), 2u);
  EXPECT_EQ(get("a"), "NoSuchKey");
  EXPECT_EQ(code<api::DeleteObjects>(
                {.bucket = "data", .delete_ = {{.objects = std::vector<api::ObjectIdentifier>()}}}),
            "MalformedXML");
}

class MultipartTest : public S3Test {
 protected:
  MultipartTest() {
    make_bucket();
    const auto made = ask<api::CreateMultipartUpload>(
        {.bucket = "data", .content_type = "text/plain", .key = "big", .checksum_algorithm = "CRC32"});
    upload = *made->upload_id;
  }
  std::string part(std::int64_t number, std::string bytes) {
    const auto done = ask<api::UploadPart>({.body = aws::Blob{std::move(bytes)},
                                            .bucket = "data",
                                            .key = "big",
                                            .part_number = number,
                                            .upload_id = upload});
    return done ? *done->e_tag : done.error().code;
  }
  api::CompleteMultipartUploadRequest completion(std::vector<std::pair<std::int64_t, std::string>> parts) {
    api::CompletedMultipartUpload list{.parts = std::vector<api::CompletedPart>()};
    for (auto& [number, tag] : parts) list.parts->push_back({.e_tag = std::move(tag), .part_number = number});
    return {.bucket = "data", .key = "big", .multipart_upload = std::move(list), .upload_id = upload};
  }

  std::string upload;
};

TEST_F(MultipartTest, PartsBecomeOneObjectInTheirOrder) {
  const std::string second = part(2, "world");
  restart();
  const std::string first = part(1, "hello ");
  const auto done = ask<api::CompleteMultipartUpload>(completion({{1, first}, {2, second}}));
  ASSERT_TRUE(done);
  EXPECT_EQ(done->e_tag, entity_tag_of_parts({first, second}));
  EXPECT_EQ(done->checksum_crc32,
            checksum_of_parts("CRC32", {*checksum("CRC32", "hello "), *checksum("CRC32", "world")}));
  EXPECT_EQ(get("big"), "hello world");
  EXPECT_EQ(ask<api::HeadObject>({.bucket = "data", .key = "big"})->content_type, "text/plain");
  EXPECT_EQ(part(3, "late"), "NoSuchUpload");
}

TEST_F(MultipartTest, WhatIsWrongWithPartsIsToldApart) {
  const std::string one = part(1, "abc");
  const std::string two = part(2, "defgh");
  const auto refusal = [this](std::vector<std::pair<std::int64_t, std::string>> parts) {
    return code<api::CompleteMultipartUpload>(completion(std::move(parts)));
  };
  EXPECT_EQ(refusal({{2, two}, {1, one}}), "InvalidPartOrder");
  EXPECT_EQ(refusal({{1, two}}), "InvalidPart");
  EXPECT_EQ(refusal({{3, one}}), "InvalidPart");
  EXPECT_EQ(refusal({{1, one}, {2, two}}), "EntityTooSmall");
  EXPECT_EQ(refusal({}), "MalformedXML");
  EXPECT_EQ(part(0, "x"), "InvalidArgument");
  EXPECT_EQ(get("big"), "NoSuchKey");
}

TEST_F(MultipartTest, AnAbortedUploadIsGone) {
  part(1, "abcd");
  EXPECT_EQ(code<api::AbortMultipartUpload>({.bucket = "data", .key = "big", .upload_id = upload}), "");
  EXPECT_EQ(code<api::AbortMultipartUpload>({.bucket = "data", .key = "big", .upload_id = upload}),
            "NoSuchUpload");
  EXPECT_EQ(part(1, "abcd"), "NoSuchUpload");
}

TEST_F(S3Test, OtherServicesReadAndWriteObjects) {
  make_bucket();
  EXPECT_TRUE(s3->write_object("data", "logs/1", "line"));
  EXPECT_FALSE(s3->write_object("none", "x", "y"));
  EXPECT_EQ(get("logs/1"), "line");
  put("logs/2");
  std::string found;
  for (const auto& [id, object] : s3->objects_starting_with("data", "logs/")) found += id + " ";
  EXPECT_EQ(found, "data/logs/1 data/logs/2 ");
  s3->remove_object("data", "logs/1");
  EXPECT_EQ(s3->find_object("data", "logs/1"), nullptr);
}

}  // namespace
}  // namespace instantstart::sandbox::s3
