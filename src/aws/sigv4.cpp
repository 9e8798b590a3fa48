#include "aws/sigv4.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/core.h>

#include "base/digest.h"
#include "base/text.h"

namespace instantstart::aws {
namespace {

constexpr std::string_view k_algorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view k_terminator = "aws4_request";
constexpr std::string_view k_unsigned_payload = "UNSIGNED-PAYLOAD";

using Fields = std::vector<std::pair<std::string, std::string>>;

/// Proxies add or change these (botocore's SIGNED_HEADERS_BLACKLIST). Sorted.
constexpr auto k_never_signed =
    std::to_array<std::string_view>({"baggage", "connection", "expect", "keep-alive", "proxy-authenticate",
                                     "proxy-authorization", "te", "traceparent", "tracestate", "trailer",
                                     "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id"});
static_assert(std::ranges::is_sorted(k_never_signed));

/// The signer sets these itself; what an earlier attempt left in the request does not count.
constexpr auto k_own =
    std::to_array<std::string_view>({"authorization", "host", "x-amz-date", "x-amz-security-token"});
constexpr std::string_view k_payload_header = "X-Amz-Content-SHA256";

bool is_signed(std::string_view lower_name) {
  return !std::ranges::binary_search(k_never_signed, lower_name) &&
         std::ranges::find(k_own, lower_name) == k_own.end();
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// "Trimall": no space at the ends, one in place of several inside.
std::string trimmed_all(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  for (const char c : value) {
    if (!is_space(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// RFC 3986 section 5.2.4, and empty segments go too, as the services do it.
std::string normalized(std::string_view path) {
  std::vector<std::string_view> kept;
  for (const auto segment : split(path, '/')) {
    if (segment.empty() || segment == ".") continue;
    if (segment != "..") {
      kept.push_back(segment);
    } else if (!kept.empty()) {
      kept.pop_back();
    }
  }
  std::string out;
  for (const auto segment : kept) out.append("/").append(segment);
  if (kept.empty() || path.ends_with('/')) out += '/';
  return out;
}

std::string canonical_path(std::string_view path, const SigningOptions& options) {
  std::string out = options.normalize_path ? normalized(path) : std::string(path);
  return options.double_encode_path ? percent_encode(out, "/") : out;
}

/// Sorted after encoding: by the bytes of the encoded name, then of the encoded value.
std::string canonical_query(std::string_view query) {
  if (query.empty()) return "";
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  for (const auto pair : split(query, '&')) {
    const auto equals = pair.find('=');
    pairs.emplace_back(pair.substr(0, equals),
                       equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
  }
  std::ranges::sort(pairs);
  std::string out;
  out.reserve(query.size() + pairs.size());
  for (const auto& [name, value] : pairs) {
    if (!out.empty()) out += '&';
    out.append(name).append("=").append(value);
  }
  return out;
}

struct CanonicalHeaders {
  std::string lines;         ///< "name:value\n" each
  std::string signed_names;  ///< "host;x-amz-date"
};

CanonicalHeaders canonical_headers(const SigningRequest& request, const Fields& added) {
  std::map<std::string, std::string> fields;
  const auto take = [&fields](std::string name, std::string_view value) {
    const auto [field, first] = fields.try_emplace(std::move(name), trimmed_all(value));
    if (!first) field->second.append(",").append(trimmed_all(value));  // repeated: as sent, one after another
  };
  const bool own_payload_hash = !added.empty() && added.back().first == k_payload_header;
  for (const auto& [name, value] : request.headers) {
    std::string lower = to_lower(name);
    const bool replaced = own_payload_hash && lower == to_lower(k_payload_header);
    if (is_signed(lower) && !replaced) take(std::move(lower), value);
  }
  take("host", request.host);
  for (const auto& [name, value] : added) take(to_lower(name), value);

  CanonicalHeaders out;
  for (const auto& [name, value] : fields) {
    out.lines.append(name).append(":").append(value).append("\n");
    if (!out.signed_names.empty()) out.signed_names += ';';
    out.signed_names += name;
  }
  return out;
}

std::string canonical_request(const SigningRequest& request, std::string_view query,
                              const CanonicalHeaders& headers, std::string_view payload_hash,
                              const SigningOptions& options) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, canonical_path(request.path, options),
                     canonical_query(query), headers.lines, headers.signed_names, payload_hash);
}

/// "20261130T193529Z" → "20261130"
std::string_view day_of(std::string_view date) { return date.substr(0, 8); }

std::string credential_scope(std::string_view date, std::string_view region, std::string_view signing_name) {
  return fmt::format("{}/{}/{}/{}", day_of(date), region, signing_name, k_terminator);
}

Sha256 derived_key(const Credentials& credentials, std::string_view day, std::string_view region,
                   std::string_view signing_name) {
  auto key = hmac_sha256("AWS4" + credentials.secret_access_key.reveal(), day);
  for (const auto part : {region, signing_name, k_terminator}) key = hmac_sha256(as_text(key), part);
  return key;
}

std::string signature_of(std::string_view canonical, const Sha256& key, std::string_view date,
                         std::string_view scope) {
  const auto text = fmt::format("{}\n{}\n{}\n{}", k_algorithm, date, scope, to_hex(sha256(canonical)));
  return to_hex(hmac_sha256(as_text(key), text));
}

}  // namespace

SigningOptions signing_options(std::string_view signing_name) {
  if (signing_name != "s3") return {};
  return {.double_encode_path = false, .normalize_path = false, .send_payload_hash = true};
}

Sha256 SigningKeys::get(const Credentials& credentials, std::string_view day, std::string_view region,
                        std::string_view signing_name) {
  constexpr std::size_t most = 64;  // more services and regions than one client has
  std::string scope = fmt::format("{}/{}/{}", day, region, signing_name);
  for (const auto& entry : entries_) {
    if (entry.scope == scope && entry.secret == credentials.secret_access_key) return entry.key;
  }
  // The oldest is of yesterday, or of other credentials.
  if (entries_.size() == most) entries_.erase(entries_.begin());
  entries_.push_back({.secret = credentials.secret_access_key,
                      .scope = std::move(scope),
                      .key = derived_key(credentials, day, region, signing_name)});
  return entries_.back().key;
}

std::string to_amz_date(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time) - day);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

Signature sign_request(const SigningRequest& request, const Credentials& credentials, std::string_view region,
                       std::string_view signing_name, WallTime now, const SigningOptions& options,
                       SigningKeys* keys) {
  const std::string date = to_amz_date(now);
  const bool hashed = options.payload == SigningOptions::Payload::hashed;
  const std::string payload_hash = hashed ? to_hex(sha256(request.body)) : std::string(k_unsigned_payload);

  Signature result;
  result.headers.emplace_back("X-Amz-Date", date);
  if (!credentials.session_token.empty()) {
    result.headers.emplace_back("X-Amz-Security-Token", credentials.session_token.reveal());
  }
  // What is not the hash of the body has to be said, since the service can't guess it.
  if (options.send_payload_hash || !hashed) result.headers.emplace_back(k_payload_header, payload_hash);

  const auto headers = canonical_headers(request, result.headers);
  const std::string scope = credential_scope(date, region, signing_name);
  const Sha256 key = keys ? keys->get(credentials, day_of(date), region, signing_name)
                          : derived_key(credentials, day_of(date), region, signing_name);
  result.canonical_request = canonical_request(request, request.query, headers, payload_hash, options);
  result.headers.emplace_back("Authorization",
                              fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", k_algorithm,
                                          credentials.access_key_id, scope, headers.signed_names,
                                          signature_of(result.canonical_request, key, date, scope)));
  return result;
}

Presigned presign(const SigningRequest& request, const Credentials& credentials, std::string_view region,
                  std::string_view signing_name, WallTime now, std::chrono::seconds expires,
                  const SigningOptions& options) {
  const std::string date = to_amz_date(now);
  const auto headers = canonical_headers(request, {});

  std::string query(request.query);
  const auto add = [&query](std::string_view name, std::string_view value) {
    if (!query.empty()) query += '&';
    query.append(name).append("=").append(percent_encode(value));
  };
  add("X-Amz-Algorithm", k_algorithm);
  const std::string scope = credential_scope(date, region, signing_name);
  add("X-Amz-Credential", credentials.access_key_id + "/" + scope);
  add("X-Amz-Date", date);
  add("X-Amz-Expires", fmt::format("{}", expires.count()));
  add("X-Amz-SignedHeaders", headers.signed_names);
  if (!credentials.session_token.empty()) add("X-Amz-Security-Token", credentials.session_token.reveal());

  const bool hashed = options.payload == SigningOptions::Payload::hashed && signing_name != "s3";
  const std::string payload_hash = hashed ? to_hex(sha256(request.body)) : std::string(k_unsigned_payload);

  Presigned result;
  result.canonical_request = canonical_request(request, query, headers, payload_hash, options);
  const auto key = derived_key(credentials, day_of(date), region, signing_name);
  const auto signature = signature_of(result.canonical_request, key, date, scope);
  add("X-Amz-Signature", signature);
  result.query = std::move(query);
  return result;
}

}  // namespace instantstart::aws
