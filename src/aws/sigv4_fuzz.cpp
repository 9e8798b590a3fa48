// The signer takes any path, query and header, and the canonical request keeps its lines: nothing that is
// signed can pass for another part of it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "aws/sigv4.h"
#include "base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace instantstart;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parts = split(text, '\0');
  const auto part = [&](std::size_t index) {
    return index < parts.size() ? parts[index] : std::string_view();
  };
  if (part(0).contains('\n') || part(1).contains('\n')) return 0;  // the wire can't carry those
  const std::string path = "/" + std::string(part(0));
  const net::Headers headers{{"x-a", std::string(part(2))}, {"x-b", std::string(part(3))}};
  const aws::Credentials keys{.access_key_id = "AKIDEXAMPLE", .secret_access_key = Secret("s")};
  for (const std::string_view service : {"s3", "ec2"}) {
    const auto signature = aws::sign_request(
        {.method = "GET", .host = "h", .path = path, .query = part(1), .headers = headers, .body = part(4)},
        keys, "us-east-1", service, WallTime{}, aws::signing_options(service));
    // method, path, query; host, x-a, x-amz-…, x-b; empty; names; hash
    const auto lines = std::ranges::count(signature.canonical_request, '\n') + 1;
    if (lines != (service == "s3" ? 11 : 10)) std::abort();
  }
  return 0;
}
